import { existsSync, readFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { describe, expect, test } from "vitest";
import { pages } from "../../scripts/docs/pages.mjs";

const root = resolve(import.meta.dirname, "../..");

describe("generated pages are fresh", () => {
  test.each(Object.entries(pages))("docs/%s", async (name, make) => {
    expect(readFileSync(join(root, "docs", name), "utf8"), "run `npm run docs`").toBe(await make());
  });
});

test("every page the README points to exists, and its commands are commands", () => {
  const readme = readFileSync(join(root, "README.md"), "utf8");
  const linked = [...readme.matchAll(/\]\(([^)#]+)\)/g)].map(([, path = ""]) => path);
  expect(linked).toContain("docs/cli.md");
  expect(linked.filter((path) => !existsSync(join(root, path)))).toEqual([]);
  const commands = [...readme.matchAll(/^waymark (\w+)/gm)].map(([, command = ""]) => command);
  const cli = readFileSync(join(root, "docs/cli.md"), "utf8");
  expect(commands).toContain("start");
  expect(commands.filter((command) => !cli.includes(`### \`waymark ${command}`))).toEqual([]);
});

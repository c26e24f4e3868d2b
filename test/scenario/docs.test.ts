import { readFileSync } from "node:fs";
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
  for (const [, path = ""] of readme.matchAll(/\]\(([^)#]+)\)/g))
    expect(() => readFileSync(join(root, path, path.endsWith("/") ? "001-one-package-with-rooms.md" : ""))).not.toThrow();
  const cli = readFileSync(join(root, "docs/cli.md"), "utf8");
  for (const [, command = ""] of readme.matchAll(/^waymark (\w+)/gm)) expect(cli).toContain(`waymark ${command}`);
});

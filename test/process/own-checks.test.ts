import { spawnSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import picomatch from "picomatch";
import { expect, test } from "vitest";
import config from "../../vitest.config.ts";

const root = join(import.meta.dirname, "../..");
const read = (name: string): string => readFileSync(join(root, name), "utf8");

interface Project {
  readonly test: { readonly name: string; readonly include: readonly string[]; readonly exclude?: readonly string[] };
}

test("`npm test` checks format, lint and types, and a machine that integrates runs nothing else", () => {
  const { status, stderr } = spawnSync(process.execPath, ["scripts/check.mjs", "nothing"], { cwd: root, encoding: "utf8" });
  expect(status).toBe(2);
  expect(stderr).toMatch(/Parts: format, lint, types,/);
  expect((JSON.parse(read("package.json")) as { scripts: { test: string } }).scripts.test).toBe("node scripts/test.mjs");
  expect(read("scripts/test.mjs")).toContain('runNode(["scripts/check.mjs"]');
  expect(read(".ci/run").trim().split("\n").slice(-2)).toEqual(["npm ci --ignore-scripts", "npm test"]);
});

test("every test file belongs to exactly one kind of tests", () => {
  const projects = (config.test?.projects ?? []) as readonly Project[];
  const { stdout } = spawnSync("git", ["ls-files", "-z", "-co", "--exclude-standard", "*.test.ts"], { cwd: root, encoding: "utf8" });
  const files = stdout.split("\0").filter((file) => file !== "");
  const kinds = projects.map(({ test: { name, include, exclude = [] } }) => ({
    name,
    fits: picomatch([...include], { ignore: [...exclude] }),
  }));
  const counts = files.map((file) => ({ file, kinds: kinds.filter(({ fits }) => fits(file)).map(({ name }) => name) }));
  expect(counts.filter(({ kinds: of }) => of.length !== 1)).toEqual([]);
  const ran = /for \(const project of \[(.*?)\]\)/.exec(read("scripts/test.mjs"))?.[1];
  expect(`${ran}, "long"`).toBe(kinds.map(({ name }) => `"${name}"`).join(", "));
  expect(files.length).toBeGreaterThan(500);
});

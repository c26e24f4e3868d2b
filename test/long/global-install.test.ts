/** `npm install -g` of a clone gives everybody the program that `waymark init` names. */
import { execFileSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { delimiter, join } from "node:path";
import { afterAll, expect, test } from "vitest";

const clone = join(import.meta.dirname, "../..");
const base = mkdtempSync(join(tmpdir(), "waymark-global-"));
afterAll(() => rmSync(base, { recursive: true, force: true }));

const npm = (...words: string[]): string => execFileSync("npm", words, { cwd: clone, encoding: "utf8", stdio: ["ignore", "pipe", "pipe"] });

test("npm pack builds what it packs, and the installed program starts, and writes its own name", { timeout: 600_000 }, () => {
  // What the build says comes before the document.
  const said = npm("pack", "--json", "--pack-destination", base);
  const [packed] = JSON.parse(said.slice(said.indexOf("[\n"))) as {
    readonly files: readonly { readonly path: string }[];
  }[];
  expect(packed?.files.map(({ path }) => path)).toContain("dist/waymark.js");
  npm("install", "-g", "--prefix", base, "--offline", "--no-audit", "--no-fund", ".");
  const env = { PATH: [join(base, "bin"), process.env["PATH"] ?? ""].join(delimiter), HOME: base };
  const work = mkdtempSync(join(base, "work-"));
  const waymark = (...words: string[]): string => execFileSync("waymark", words, { cwd: work, env, encoding: "utf8" });
  expect(waymark("--version").trim()).toBe((JSON.parse(readFileSync(join(clone, "package.json"), "utf8")) as { version: string }).version);
  const written = waymark("-C", work, "init", "--client", "claude-code", "--yes");
  expect(written).not.toContain("not on your PATH");
  expect(JSON.parse(readFileSync(join(work, ".mcp.json"), "utf8"))).toEqual({
    mcpServers: { waymark: { type: "stdio", command: "waymark", args: ["mcp"] } },
  });
});

/** The action of GitHub: what its step runs, with the built package and the environment that GitHub gives it. */
import { execFileSync, spawnSync } from "node:child_process";
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { afterAll, expect, test } from "vitest";
import { parse } from "yaml";
import { sarifProblems } from "../support/sarif-problems.ts";

const root = resolve(import.meta.dirname, "../..");
const base = mkdtempSync(join(tmpdir(), "waymark action-"));
afterAll(() => rmSync(base, { recursive: true, force: true }));

interface Action {
  readonly inputs: Readonly<Record<string, { readonly default: string }>>;
  readonly runs: {
    readonly steps: readonly { readonly name: string; readonly run: string; readonly env?: Readonly<Record<string, string>> }[];
  };
}

test("annotates what it finds, writes SARIF beside it, and takes no input for a command", () => {
  const { inputs, runs } = parse(readFileSync(join(root, "action.yml"), "utf8")) as Action;
  const step = runs.steps.find(({ name }) => name === "Scan");
  const given: Readonly<Record<string, string>> = {
    workflow: "keys",
    paths: "src/odd $(touch gone).ts\nsrc/plain.ts\n",
    "sarif-file": "found.sarif",
  };
  const filled = (text: string): string =>
    text
      .replaceAll("${{ github.action_path }}", root)
      .replaceAll(/\$\{\{ inputs\.([\w-]+) \}\}/g, (_, name: string) => given[name] ?? inputs[name]?.default ?? `no input ${name}`);
  expect(step?.run).not.toContain("${{");
  mkdirSync(join(base, "src"));
  mkdirSync(join(base, ".waymark/workflows"), { recursive: true });
  const workflow = `type: keys\nname: Keys\ndescription: Looks for keys.\nfile_patterns: ["**/*.ts"]
phases: [{ id: inventory, name: I }, { id: scan, name: S }, { id: review, name: R }, { id: summary, name: Z }]
pattern_discovery: { patterns: [{ id: key, regex: "KEY_(?<secret>\\\\w+)", severity: critical, secret: true, description: A key. }] }\n`;
  writeFileSync(join(base, ".waymark/workflows/keys.workflow.yaml"), workflow);
  writeFileSync(join(base, "src/odd $(touch gone).ts"), "const a = 'KEY_abcdefghijkl';\n");
  writeFileSync(join(base, "src/plain.ts"), "const a = 1;\n");
  const env = {
    PATH: process.env["PATH"] ?? "",
    HOME: join(base, "home"),
    ...Object.fromEntries(Object.entries(step?.env ?? {}).map(([name, value]) => [name, filled(value)])),
  };
  const done = spawnSync("bash", ["-c", step?.run ?? ""], { cwd: base, env, encoding: "utf8", timeout: 60_000 });
  expect(done.stdout, done.stderr).toBe(
    "::error file=src/odd $(touch gone).ts,line=1,endLine=1,col=12,endColumn=28,title=critical%3A key::A key.\n",
  );
  expect(done.status).toBe(1);
  const sarif = readFileSync(join(base, "found.sarif"), "utf8");
  expect(sarifProblems(JSON.parse(sarif))).toEqual([]);
  expect(sarif).toContain("KEY_abc*** (12 characters)");
  expect(`${sarif}${done.stdout}${done.stderr}`).not.toContain("defghijkl");
  expect(execFileSync("ls", [base], { encoding: "utf8" })).not.toContain("gone");
});

/** Which folder the built command takes as its workspace. */
import { spawnSync, type SpawnSyncReturns } from "node:child_process";
import { mkdirSync, mkdtempSync, readdirSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join, resolve } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";

const product = resolve(import.meta.dirname, "../../dist/waymark.js");
const hello = 'name: hello\ndescription: d\nversion: "1.0.0"\nsteps: [{ id: a, type: user_message, message: hi }]\n';

let base: string;
let home: string;
let temp: string;

beforeEach(() => {
  base = realpathSync(mkdtempSync(join(tmpdir(), "waymark-choice-")));
  [home, temp] = [folder("home"), folder("temp")];
});
afterEach(() => rmSync(base, { recursive: true, force: true }));

function folder(path: string): string {
  mkdirSync(join(base, path), { recursive: true });
  return join(base, path);
}

function file(path: string, text = ""): void {
  folder(dirname(path));
  writeFileSync(join(base, path), text);
}

function waymark(cwd: string, ...argv: readonly string[]): SpawnSyncReturns<string> {
  const env = { PATH: process.env["PATH"] ?? "", HOME: home, TMPDIR: temp };
  return spawnSync(process.execPath, [product, ...argv], { cwd, env, encoding: "utf8", timeout: 60_000 });
}

function workspaceFrom(path: string): unknown {
  const { status, stdout, stderr } = waymark(folder(path), "status", "--json");
  if (status !== 0) throw new Error(stderr);
  return (JSON.parse(stdout) as { workspace: unknown }).workspace;
}

describe("the workspace", () => {
  test.each([".waymark", ".aromcp", ".archon", ".claude/workflows", ".agents/workflows", ".agents-work"])(
    "is the folder with %s, not above the repository",
    (name) => {
      folder(`home/outer/${name}`);
      folder("home/outer/project/.git");
      expect(workspaceFrom("home/outer/project/src")).toBe(join(home, "outer/project"));
      expect(workspaceFrom("home/outer/other")).toBe(join(home, "outer"));
      folder(`home/outer/project/app/${name}`);
      expect(workspaceFrom("home/outer/project/app/src")).toBe(join(home, "outer/project/app"));
    },
  );

  test("is the worktree, whose `.git` is a file, and else the folder with a project file", () => {
    folder("home/p/.waymark");
    file("home/p/tree/.git", "gitdir: elsewhere\n");
    expect(workspaceFrom("home/p/tree/src")).toBe(join(home, "p/tree"));
    file("home/q/package.json", "{}");
    expect(workspaceFrom("home/q/src")).toBe(join(home, "q"));
    expect(workspaceFrom("home/none/src")).toBe(join(home, "none/src"));
  });

  test.each(["home", "temp"])("is never the %s folder, unless it is named", (name) => {
    for (const sign of [".waymark", ".git"]) folder(join(name, sign));
    file(join(name, "package.json"), "{}");
    expect(workspaceFrom(join(name, "thing"))).toBe(join(base, name, "thing"));
    const refused = waymark(join(base, name), "start", "hello");
    expect(refused).toMatchObject({ status: 2, stdout: "", stderr: expect.stringContaining("(CLI_NO_WORKSPACE)\n→ ") });
    expect(readdirSync(join(base, name, ".waymark"))).toEqual([]);
    expect(waymark(join(base, name), "completion", "bash").status).toBe(0);
    expect(waymark(join(base, name), "-C", ".", "status").stdout).toContain(`Workspace: ${join(base, name)}\n`);
  });

  test("is never the root of the disk, unless it is named", () => {
    expect(waymark("/", "list")).toMatchObject({ status: 2, stderr: expect.stringContaining("CLI_NO_WORKSPACE") });
    expect(waymark("/", "-C", home, "list").status).toBe(0);
  });

  test("is what `-C` names, whatever is around it", () => {
    file("home/p/.waymark/workflows/hello.yaml", hello);
    folder("home/p/.git");
    const inside = folder("home/p/inner");
    expect(waymark(inside, "start", "hello").status).toBe(0);
    expect(waymark(inside, "-C", ".", "start", "hello")).toMatchObject({
      status: 2,
      stderr: expect.stringContaining("ENGINE_NO_WORKFLOW"),
    });
    expect(waymark(inside, "-C", ".", "status").stdout).toContain(`Workspace: ${inside}\n`);
  });
});

describe("the folder in use is named", () => {
  test("by start, status, init and scan", () => {
    file("home/p/.waymark/workflows/hello.yaml", hello);
    file("home/p/src/A.al", "codeunit 50100 A\n{\n}\n");
    file("home/p/src/app.json", '{ "runtime": "12.0" }');
    const [cwd, line] = [join(home, "p/src"), `Workspace: ${join(home, "p")}\n`];
    const started = waymark(cwd, "start", "hello");
    expect(started.stdout).toMatch(/^Started run \S+\.\nWorkspace: /);
    expect(started.stdout).toContain(line);
    expect(waymark(cwd, "start", "hello", "--quiet").stdout).not.toContain("Workspace");
    const { run_id: run, workspace } = JSON.parse(waymark(cwd, "start", "hello", "--json").stdout) as Record<string, string>;
    expect(workspace).toBe(join(home, "p"));
    expect(waymark(cwd, "status", run!).stdout).toContain(line);
    expect(JSON.parse(waymark(cwd, "status", run!, "--json").stdout)).toMatchObject({ workspace, run_id: run });
    expect(waymark(cwd, "init", "--client", "cursor", "--dry-run").stdout).toContain(line);
    expect(waymark(cwd, "scan", "error-to-errorinfo-migration", ".").stderr).toContain(line);
  });

  test("by the server in its instructions", () => {
    const hi = { protocolVersion: "2025-06-18", capabilities: {}, clientInfo: { name: "test", version: "1" } };
    folder("home/p/.waymark");
    const served = spawnSync(process.execPath, [product, "mcp"], {
      cwd: folder("home/p/src"),
      env: { PATH: process.env["PATH"] ?? "", HOME: home, TMPDIR: temp },
      input: `${JSON.stringify({ jsonrpc: "2.0", id: 1, method: "initialize", params: hi })}\n`,
      encoding: "utf8",
    });
    const { result } = JSON.parse(served.stdout) as { result: { instructions: string } };
    expect(result.instructions).toContain(`\nWorkspace: ${join(home, "p")}`);
  });
});

test("validate of a folder without workflows fails and says where it looked", () => {
  const empty = folder("home/empty");
  const { status, stderr } = waymark(empty, "validate");
  expect(status).toBe(1);
  for (const name of [".waymark/workflows", ".aromcp/workflows"]) expect(stderr).toContain(join(empty, name));
  expect(stderr).toContain("(CLI_NO_WORKFLOWS)");
  expect(waymark(empty, "list").stdout).toContain(`Waymark looked in ${join(empty, ".waymark/workflows")}`);
});

test("a checklist in JSON is found by its name, and a broken one has problems", () => {
  const checklist = {
    type: "j2",
    name: "J",
    description: "d",
    version: "1.0",
    per_file_checklist: [{ id: "a", type: "analysis", description: "x" }],
  };
  file("home/p/.waymark/workflows/j2.workflow.json", JSON.stringify(checklist));
  const here = join(home, "p");
  expect(waymark(here, "list").stdout).toContain("j2");
  file("home/p/.waymark/workflows/j2.workflow.json", `${JSON.stringify(checklist)}}`);
  expect(waymark(here, "validate")).toMatchObject({ status: 1, stdout: expect.stringContaining("j2.workflow.json:1:") });
});

test("a command that only looks makes no store, so that it does not change which folder is the workspace", () => {
  folder("home/p/.git");
  const inner = folder("home/p/lib");
  for (const command of [["status"], ["runs"], ["doctor"], ["prune", "--older-than", "1d", "--dry-run"]])
    expect(waymark(inner, "-C", ".", ...command).status, command.join(" ")).toBe(0);
  expect(readdirSync(inner)).toEqual([]);
  expect(workspaceFrom("home/p/lib")).toBe(join(home, "p"));
});

/** Checklists over files with the built command line: scanning threads, several processes on one state file, the whole demo. */
import { spawn, spawnSync, type SpawnSyncReturns } from "node:child_process";
import { once } from "node:events";
import { cpSync, existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, relative, resolve } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { createRepository } from "../support/repository.ts";
import { parseSharedState, statusBar, type SharedWorkflowSession } from "../../src/dialects/checklist/views/index.ts";

const root = resolve(import.meta.dirname, "../..");
const product = join(root, "dist", "waymark.js");
const base = mkdtempSync(join(tmpdir(), "waymark-checklist-"));
const sample = join(root, "examples/sample-al-app");
const migration = "error-to-errorinfo-migration";
const state = join(base, "state", "workflows.json");
const env: Record<string, string> = { PATH: process.env["PATH"] ?? "", HOME: join(base, "home") };

interface Call {
  readonly cwd?: string;
  readonly env?: Readonly<Record<string, string>>;
}

function waymark(argv: readonly string[], { cwd = base, env: more = {} }: Call = {}): SpawnSyncReturns<string> {
  return spawnSync(process.execPath, [product, ...argv], { cwd, env: { ...env, ...more }, encoding: "utf8", timeout: 60_000 });
}

function document(argv: readonly string[], call: Call = {}): Record<string, unknown> {
  const done = waymark(["--json", ...argv], call);
  if (done.status !== 0) throw new Error(`exit ${String(done.status)}\n${done.stdout}\n${done.stderr}`);
  return JSON.parse(done.stdout) as Record<string, unknown>;
}

function copy(name: string): string {
  const folder = join(base, name);
  cpSync(sample, folder, { recursive: true });
  return folder;
}

function sessions(): readonly SharedWorkflowSession[] {
  return parseSharedState(readFileSync(state, "utf8"))?.activeWorkflows ?? [];
}

beforeAll(() => mkdirSync(join(base, "home")));
afterAll(() => rmSync(base, { recursive: true, force: true }));

describe("scan", () => {
  test("finds in threads what the sample lists, from anywhere, and writes nothing", () => {
    const listed = readFileSync(join(sample, "planted-faults.yaml"), "utf8");
    const before = readdirSync(sample, { recursive: true }).length;
    const done = waymark(["scan", migration, sample, "--json"]);
    expect(done.status, done.stderr).toBe(0);
    const { findings: found } = JSON.parse(done.stdout) as { readonly findings: readonly Record<string, unknown>[] };
    expect(found).toHaveLength(57);
    const there = relative(base, sample);
    for (const { file, line, text, end_line: end } of found) {
      expect(String(file).startsWith(`${there}/`), "rows are relative to the workspace").toBe(true);
      expect(listed).toContain(String(file).slice(there.length + 1));
      expect([typeof line, typeof text, typeof end]).toEqual(["number", "string", "number"]);
    }
    expect(done.stderr).toMatch(/^Workspace: .+\nScanned 41 files in .* s: 57 instances in 23 files, 18 auto-fixable\./);
    expect(readdirSync(sample, { recursive: true })).toHaveLength(before);
    expect(existsSync(join(base, ".waymark"))).toBe(false);
  });

  test("of a branch that changes 12 files of 600 it reads these, and a review of them has no others", () => {
    const folder = join(base, "tree");
    const call = (at: number): string =>
      `codeunit ${50_000 + at} C${at}\n{\n    procedure P()\n    begin\n        Error('${at}');\n    end;\n}\n`;
    const path = (at: number): string => `src/part${at % 9}/C${at}.al`;
    const all = Array.from({ length: 600 }, (_, at) => at);
    const { git, commit } = createRepository(folder, Object.fromEntries(all.map((at) => [path(at), call(at)])));
    git("checkout", "-qb", "work");
    const changed = all.filter((at) => at % 50 === 0);
    commit(Object.fromEntries(changed.map((at) => [path(at), call(at).replace("Error", "// changed\n        Error")])));
    const scanned = waymark(["scan", migration, "--since", "main", "--jsonl"], { cwd: folder });
    expect(scanned.status, scanned.stderr).toBe(0);
    const rows = scanned.stdout
      .trim()
      .split("\n")
      .map((line) => (JSON.parse(line) as { readonly file: string }).file);
    expect(rows.toSorted()).toEqual(changed.map(path).toSorted());
    expect(scanned.stderr).toMatch(/12 files changed since `main` \([0-9a-f]{10}\)\.\nScanned 12 files /);
    const { run_id: run } = document(["start", migration, "--since", "main"], { cwd: folder });
    const status = document(["status", String(run)], { cwd: folder });
    expect(status).toMatchObject({ checklist: { progress: { files_total: 12, instances_total: 12 }, changed_since: { ref: "main" } } });
    const unknown = waymark(["start", migration, "--since", "nothing"], { cwd: folder });
    expect([unknown.status, unknown.stderr]).toEqual([2, expect.stringContaining("CHECKLIST_UNKNOWN_REF")]);
  });

  test("a pattern that would never end is refused by its name before anything is read", () => {
    const folder = join(base, "slow");
    mkdirSync(join(folder, ".waymark/workflows"), { recursive: true });
    const text = readFileSync(join(root, `workflows/${migration}.workflow.yaml`), "utf8");
    const slow =
      '    - id: slow-one\n      name: "Slow"\n      description: "Slow."\n      regex: "(?:x+x+)+y"\n\n    - id: error-call\n      name: "Error() Call"';
    writeFileSync(
      join(folder, ".waymark/workflows/slow.workflow.yaml"),
      text.replace(/^type: .*$/m, "type: slow").replace('    - id: error-call\n      name: "Error() Call"', slow),
    );
    writeFileSync(
      join(folder, "A.al"),
      `codeunit 1 A\n{\n    procedure P()\n    begin\n        Error('a');\n        // ${"x".repeat(60)}\n    end;\n}\n`,
    );
    const done = waymark(["scan", "slow", ".", "--json"], { cwd: folder });
    expect(done).toMatchObject({ status: 2, stdout: "", stderr: expect.stringMatching(/SCAN_SLOW_PATTERN.*`slow-one`/) });
    const checked = waymark(["validate", "slow"], { cwd: folder });
    expect(checked.status).toBe(1);
    expect(checked.stdout).toMatch(/slow\.workflow\.yaml:\d+:11 error SCAN_SLOW_PATTERN: .*`slow-one`/);
    expect(waymark(["validate", migration], { cwd: base }).status).toBe(0);
  });

  test("a reader that goes away does not make it fail", () => {
    const { stdout, status } = spawnSync(
      "sh",
      ["-c", `"$0" "$1" scan ${migration} "$2" --jsonl | head -1`, process.execPath, product, sample],
      {
        cwd: base,
        env,
        encoding: "utf8",
      },
    );
    expect(status).toBe(0);
    expect(JSON.parse(stdout)).toMatchObject({ type: "literal" });
  });
});

describe("a run over several processes", () => {
  test("batch in one, undo in another, every byte restored", () => {
    const cwd = copy("undo");
    const run = String(document(["start", migration], { cwd })["run_id"]);
    document(["done", run, "--result", "apply_auto_first"], { cwd });
    const { confirmation_token: token } = document(["batch", run, "apply_fixes", "--auto-only"], { cwd });
    expect(document(["batch", run, "apply_fixes", "--confirm", String(token)], { cwd })).toMatchObject({
      modified: 18,
      failed: 0,
      remaining: 0,
    });
    expect(waymark(["scan", migration, cwd, "--fail-on", "auto-fixable"]).status).toBe(0);
    const { restored } = document(["undo", run], { cwd });
    expect(restored).toHaveLength(14);
    const changed = spawnSync("diff", ["-r", "-x", ".waymark", sample, cwd], { encoding: "utf8" });
    expect(changed.stdout).toBe("");
    expect(waymark(["doctor"], { cwd }).status).toBe(0);
  });
});

describe("the state for status bars", () => {
  test("is kept by every process, through all of a run, and drops nothing of the others", async () => {
    const shared = { env: { BC_INTEL_WORKFLOW_STATE_PATH: state } };
    const places = ["one", "two", "three", "four"].map(copy);
    const children = places.map((cwd) =>
      spawn(process.execPath, [product, "start", migration, "--quiet"], { cwd, env: { ...env, ...shared.env }, stdio: "ignore" }),
    );
    expect(await Promise.all(children.map(async (child) => (await once(child, "exit"))[0] as number))).toEqual([0, 0, 0, 0]);
    expect(sessions()).toHaveLength(4);
    for (const session of sessions())
      expect(session).toMatchObject({
        status: "active",
        filesTotal: 41,
        instancesTotal: 57,
        instancesCompleted: 0,
        type: migration,
        currentPhase: "batch_auto",
      });
    expect(readdirSync(join(base, "state"))).toEqual(["workflows.json"]);
    const [cwd = ""] = places;
    const run = waymark(["runs", "--ids"], { cwd }).stdout.trim();
    const mine = (): SharedWorkflowSession | undefined => sessions().find((session) => session.id === run);
    document(["done", run, "--result", "review_by_file"], { cwd, ...shared });
    expect(mine()).toMatchObject({ currentPhase: "manual_review", currentFile: expect.stringContaining(".al"), filesInProgress: 1 });
    document(["skip", run, "--reason", "later"], { cwd, ...shared });
    // With the two empty ones that the engine settled.
    expect(mine()).toMatchObject({ instancesCompleted: 3 });
    waymark(["abort", run], { cwd, ...shared });
    expect(mine()).toMatchObject({ status: "cancelled", endedAt: expect.any(String) });
    expect(sessions()).toHaveLength(4);
    expect(statusBar({ activeWorkflows: sessions() }).text).toContain("+3");
  });

  test("is not written when nobody asks for it, and harms nothing when it cannot be", () => {
    const cwd = copy("five");
    const before = readFileSync(state, "utf8");
    document(["start", migration], { cwd });
    expect(readFileSync(state, "utf8")).toBe(before);
    writeFileSync(join(base, "plain"), "");
    const done = waymark(["start", migration, "--quiet"], { cwd, env: { WAYMARK_STATE_PATH: join(base, "plain", "state.json") } });
    expect(done.status, done.stderr).toBe(0);
    expect(done.stderr).toContain("could not be written for status bars");
  });

  test("a file that is damaged is begun again, and said so", () => {
    const cwd = copy("six");
    const path = join(base, "damaged.json");
    writeFileSync(path, "{ not json");
    const done = waymark(["start", migration, "--quiet"], { cwd, env: { WAYMARK_STATE_PATH: path } });
    expect(done.stderr).toContain("created again");
    expect(parseSharedState(readFileSync(path, "utf8"))?.activeWorkflows).toHaveLength(1);
  });
});

describe("the demo", () => {
  test("migrates the sample application and back in less than 30 s", () => {
    const done = waymark(["demo", "--json"]);
    expect(done.status, `${done.stdout}${done.stderr}`).toBe(0);
    const told = JSON.parse(done.stdout) as { ms: number };
    expect(told).toMatchObject({ ok: true, wrong: [], converted: 6, left: 33 });
    expect(told.ms).toBeLessThan(30_000);
    expect(waymark(["demo"]).stdout.split("\n").length).toBeLessThan(60);
  });

  test("keeps its folder when asked, with a run that can be looked at", () => {
    const { run_id: run, workspace, report } = document(["demo", "--keep"]) as Record<string, string>;
    try {
      expect(readFileSync(report ?? "", "utf8")).toMatch(/^# /);
      const status = waymark(["--workspace", workspace ?? "", "status", run ?? ""]);
      expect(status.stdout).toContain("undone");
    } finally {
      rmSync(resolve(workspace ?? "", ".."), { recursive: true, force: true });
    }
  });
});

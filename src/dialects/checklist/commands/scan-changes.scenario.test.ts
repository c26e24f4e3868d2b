import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { openCliBench, type CliBench, type CliResult } from "../../../../test/process/cli-world.ts";
import { oldCalls } from "../../../../test/support/checklist-sample.ts";
import { createRepository, type Repository } from "../../../../test/support/repository.ts";

let bench: CliBench;
let repository: Repository;
beforeEach(async () => {
  bench = await openCliBench();
  repository = createRepository(bench.workspace, {
    ".waymark/workflows/old-calls.workflow.yaml": oldCalls,
    "src/a.js": "old('a1');\nkeep();\nold('a2');\n",
    "src/b.js": "old('b');\n",
    "test/c.js": "old('c');\n",
    "notes.md": "old('n');\n",
  });
});
afterEach(() => bench.close());

function work(): void {
  repository.git("checkout", "-qb", "work");
  repository.commit({ "src/a.js": "old('a1');\nchanged();\nold(\n  'a2',\n);\n" });
  repository.put({ "test/new.js": "old('new');\n", "notes.md": "changed\n" });
}

const scan = (...more: string[]): Promise<CliResult> => bench.run(["scan", "old-calls", ...more, "--format", "jsonl"]);
const rows = ({ stdout }: CliResult): string[] =>
  stdout.split("\n").flatMap((line) => (line === "" ? [] : [`${JSON.parse(line).file}:${JSON.parse(line).line}`]));

test("--since scans the files that were changed, and --changed-lines shows what is on changed lines", async () => {
  work();
  const since = await scan("--since", "main");
  expect(rows(since), since.stderr).toEqual(["src/a.js:1", "src/a.js:3", "test/new.js:1"]);
  expect(since.stderr).toMatch(/\n3 files changed since `main` \([0-9a-f]{10}\)\.\nScanned 2 files in /);
  expect(rows(await scan("--since", "main", "--changed-lines"))).toEqual(["src/a.js:3", "test/new.js:1"]);
  expect(rows(await scan("--changed-lines")), "without --since the branch is chosen").toEqual(["src/a.js:3", "test/new.js:1"]);
  expect(rows(await scan("src", "--since", "main"))).toEqual(["src/a.js:1", "src/a.js:3"]);
  expect(rows(await scan("src/b.js", "test/new.js", "--since", "main"))).toEqual(["test/new.js:1"]);
});

test("nothing that was changed is one of the workflow's files: that is said, and the scan is done", async () => {
  expect((await scan("--since", "main")).code).toBe(0);
  repository.put({ "notes.md": "changed\n" });
  const { code, stdout, stderr } = await scan("--since", "HEAD", "--fail-on", "found");
  expect([code, stdout]).toEqual([0, ""]);
  expect(stderr).toContain("1 file changed since `HEAD`");
  expect(stderr).toContain("No changed file is one that `old-calls` looks at.");
});

test("an unknown ref, an empty one and a folder without git end with 2", async () => {
  const unknown = await scan("--since", "mian");
  expect([unknown.code, unknown.stdout]).toEqual([2, ""]);
  expect(unknown.stderr).toMatch(/Did you mean `main`\? \(CHECKLIST_UNKNOWN_REF\)/);
  expect((await scan("--since", "")).code).toBe(2);
  const other = join(bench.home, "plain");
  mkdirSync(other);
  const outside = await scan(other, "--since", "main");
  expect([outside.code, outside.stderr]).toEqual([2, expect.stringContaining("CHECKLIST_NO_GIT")]);
});

test("a folder outside of the workspace is compared in its own repository, and a folder of the repository has its own changes", async () => {
  work();
  const other = join(bench.home, "other");
  createRepository(other, { "x.js": "old('x');\n", "y.js": "old('y');\n" }).put({ "y.js": "old('z');\n" });
  expect(rows(await scan(other, "--since", "HEAD"))).toEqual(["../home/other/y.js:1"]);
  await bench.write("test/.waymark/workflows/old-calls.workflow.yaml", oldCalls);
  const cwd = join(bench.workspace, "test");
  const below = await bench.run(["-C", cwd, "scan", "old-calls", "--since", "main", "--format", "jsonl"], { cwd });
  expect(rows(below), below.stderr).toEqual(["new.js:1"]);
  // So git calls its hooks, which count for the whole work tree alone.
  const env = { GIT_DIR: join(bench.workspace, ".git"), GIT_INDEX_FILE: join(bench.workspace, ".git", "index") };
  const inHook = await bench.run(["-C", cwd, "scan", "old-calls", "--since", "main", "--format", "jsonl"], { cwd, env });
  expect(rows(inHook), inHook.stderr).toEqual(["new.js:1"]);
});

const start = (...more: string[]): Promise<CliResult> => bench.run(["start", "old-calls", ...more]);
const filesOf = async (run: string): Promise<string[]> =>
  (await bench.run(["items", run, "--kind", "file", "--jsonl"])).stdout
    .split("\n")
    .flatMap((line) => (line === "" ? [] : [JSON.parse(line).file]));

test("start takes the same paths, lists and refs, and says what it is about", async () => {
  work();
  const about = async (more: string[], typed: readonly string[] = []): Promise<string[]> => {
    const { run_id: run } = await bench.json<{ run_id: string }>(["start", "old-calls", ...more], { typed });
    return filesOf(run);
  };
  expect(await about(["src", "notes.md"])).toEqual(["notes.md", "src/a.js", "src/b.js"]);
  expect(await about(["-"], ["src/b.js", "notes.md"])).toEqual(["src/b.js"]);
  expect(await about(["-", "--since", "main"])).toEqual([]);
  expect(await about(["test", "--since", "main", "--input", 'options={"max_files":5}'])).toEqual(["test/new.js"]);
  const { stdout, code } = await start("--since", "main", "--changed-lines");
  expect(code, stdout).toBe(0);
  const [run = ""] = /wf-old-calls-[\w-]+/.exec(stdout) ?? [];
  expect(await filesOf(run)).toEqual(["src/a.js", "test/new.js"]);
  expect((await bench.run(["status", run])).stdout).toMatch(/\nOnly +files changed since main \([0-9a-f]{10}\), changed lines only\n/);
  expect((await bench.run(["report", run])).stdout).toMatch(/Only files: changed since main/);
  await bench.run(["export", run, "--format", "bc"]);
  const session = JSON.parse(await bench.read(`.bc-workflows/sessions/${run}.json`));
  expect(session).toMatchObject({ files_total: 2, options: { since: "main", changed_since: { ref: "main", changed_lines: true } } });
});

test("start refuses what is outside of the workspace, what is not there, what is given twice, and paths where there are none", async () => {
  await bench.write(
    ".waymark/workflows/hello.yaml",
    'name: hello\ndescription: d\nversion: "1.0.0"\nsteps: [{ id: a, type: user_message, message: hi }]\n',
  );
  const wrong: readonly (readonly [string[], string])[] = [
    [["start", "old-calls", bench.home], "outside of the workspace"],
    [["start", "old-calls", "nowhere"], "does not exist"],
    [["start", "old-calls", "--since", ""], "`--since` is empty"],
    [["start", "old-calls", "--since", "nothing"], "CHECKLIST_UNKNOWN_REF"],
    [["start", "old-calls", "--since", "main", "--input", 'options={"since":"main"}'], "`since` is given twice"],
    [["start", "hello", "src"], "`hello` takes no paths."],
    [["start", "hello", "--changed-lines"], "`hello` takes no `--changed-lines`."],
  ];
  for (const [argv, why] of wrong) {
    const { code, stderr } = await bench.run(argv);
    expect([argv, code, stderr]).toEqual([argv, 2, expect.stringContaining(why)]);
  }
  expect((await bench.run(["runs", "--ids"])).stdout).toBe("");
});

test("without a changed file a run has nothing to do and says so", async () => {
  const { code, stdout } = await start("--since", "main");
  expect([code, stdout]).toEqual([
    0,
    expect.stringMatching(
      /No file changed since main \([0-9a-f]{10}\) is one that this workflow looks at \(\*\*\/\*\.js\), so there is nothing to do/,
    ),
  ]);
});

test("of what tools report only findings in changed files count, and with --changed-lines those on changed lines", async () => {
  work();
  const from = `findings_from:
  - { id: probe, command: cat report.txt, format: lines, pattern: '^(?<file>[^:]+):(?<line>\\d+): (?<message>.*)$' }
`;
  const patterns = /^pattern_discovery:[\s\S]*(?=^completion_rules:)/m;
  await bench.write(
    ".waymark/workflows/probes.workflow.yaml",
    oldCalls.replace("type: old-calls", "type: probes").replace(patterns, () => from),
  );
  await bench.write("report.txt", "src/a.js:1: was there\nsrc/a.js:2: is new\nsrc/b.js:1: elsewhere\n");
  const allowed = await bench.run(["allow", "probes"], { terminal: true, typed: ["y"] });
  expect(allowed.code, allowed.stderr).toBe(0);
  const probes = (...more: string[]): Promise<CliResult> => bench.run(["scan", "probes", "--since", "main", "--format", "jsonl", ...more]);
  const since = await probes();
  expect(rows(since), since.stderr).toEqual(["src/a.js:1", "src/a.js:2"]);
  expect(since.stderr).toContain("probe: not listed are 1 finding in files outside this scan.");
  expect(rows(await probes("--changed-lines"))).toEqual(["src/a.js:2"]);
  const { run_id: run } = await bench.json<{ run_id: string }>(["start", "probes", "--since", "main", "--changed-lines"]);
  const found = await bench.run(["items", run, "--kind", "instance", "--json"]);
  expect(found.stdout).toMatch(/is new/);
  expect(found.stdout).not.toMatch(/was there|elsewhere/);
});

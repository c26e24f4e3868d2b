/** Calls that work in worktrees of their own: `isolation: worktree`. */
import { execFile } from "node:child_process";
import { mkdir, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { basename, dirname, join } from "node:path";
import { promisify } from "node:util";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { next, progress, whatAgentsGet, type LoadedWorkflow } from "../../src/engine/index.ts";
import { textOf } from "../../src/base/index.ts";
import { makeWorktree } from "../../src/host/index.ts";
import { lostItems, lostLines } from "../../src/dialects/prompts/run/index.ts";
import type { Commands } from "../../src/ports/index.ts";
import { GraphBench, type GraphRun, type RunsCommands, type Says } from "../support/graph-bench.ts";
import { makeRepository } from "../support/machine-world.ts";

const exec = promisify(execFile);
let bench: GraphBench;
let made = 0;
/** What happens right after a worktree was made. */
let afterAdd: (() => Promise<unknown>) | undefined;

const watched = (commands: Commands): RunsCommands => ({
  run: async (request) => {
    const outcome = await commands.run(request);
    if (request.command.includes("worktree add")) await afterAdd?.();
    return outcome;
  },
});

beforeAll(async () => {
  const files = { "shared.txt": "one\ntwo\nthree\n", ".gitignore": ".waymark/\n", "app/keep.txt": "app\n" };
  bench = await GraphBench.open(files, undefined, watched);
  await bench.define("- id: edit\n  prompt: Migrate <$ARGUMENTS>.", "", "migrate");
  // `bad` fails behind its work, until a file beside the worktrees is there.
  await bench.define(
    '- id: touch\n  bash: echo "$ARGUMENTS" >> "$ARGUMENTS.txt"\n- id: check\n  depends_on: [touch]\n  bash: \'[ "$ARGUMENTS" != bad ] || [ -f ../mended ]\'',
    "",
    "touch",
  );
  await makeRepository(bench.engine.folder, true);
});
afterAll(() => bench.close());

/** A worktree for a run, of the workspace or of a folder in it. */
async function worktree(of = ""): Promise<string> {
  const trees = join(dirname(bench.engine.folder), "trees");
  const { folder } = await makeWorktree(join(bench.engine.folder, of), trees, `run-${(made += 1)}`);
  return folder;
}

async function git(folder: string, ...args: readonly string[]): Promise<string> {
  return (await exec("git", [...args], { cwd: folder })).stdout.trim();
}

/** Subjects of what was committed in a run, oldest first. */
async function log(folder: string): Promise<readonly string[]> {
  const text = await git(folder, "log", "--format=%s", "--reverse", "main..HEAD");
  return text === "" ? [] : text.split("\n");
}

/** Worktrees beside that of a run. */
async function beside(folder: string): Promise<readonly string[]> {
  const top = await git(folder, "rev-parse", "--show-toplevel");
  return (await readdir(dirname(top))).filter((name) => name.startsWith(`${basename(top)}+`));
}

/** The item that a prompt of `migrate` is about. */
function itemOf(prompt: string): string {
  return /<(\w+)>/.exec(prompt)?.[1] ?? "";
}

const writes: Says = async (prompt, { cwd }) => {
  const item = itemOf(prompt);
  await writeFile(join(cwd, `${item}.txt`), `${item}\n`);
  return `did ${item}`;
};

/** All items change the same line. */
const edits: Says = async (prompt, turn, door) => {
  const path = join(turn.cwd, "shared.txt");
  if (prompt.includes("both sides are between conflict markers")) {
    const sides = (await readFile(path, "utf8")).match(/^by \w+$/gm) ?? [];
    await writeFile(path, `one\n${sides.join("\n")}\nthree\n`);
    return "resolved";
  }
  const said = await writes(prompt, turn, door);
  await writeFile(path, `one\nby ${itemOf(prompt)}\nthree\n`);
  return said;
};

const fan = (items: string, more = "", workflow = "migrate"): string =>
  `- id: all\n  workflow: ${workflow}\n  isolation: worktree\n  fan_out: { items: '${items}'${more} }\n- id: use\n  depends_on: [all]\n  bash: printf %s $all.output`;

const cwds = (run: GraphRun): readonly string[] => run.bench.driven.turns.map(({ cwd }) => cwd);

describe("each item of a fan_out", () => {
  test("works in a worktree of its own, and becomes one commit, in the order of the items", async () => {
    const folder = await worktree();
    const before = bench.driven.turns.length;
    const run = await bench.run(fan('["b","a","c"]'), writes, { folder });
    expect(run.end).toMatchObject({ kind: "completed" });
    expect(await log(folder)).toEqual(["all: b", "all: a", "all: c"]);
    expect(await git(folder, "log", "-1", "--format=%b")).toMatch(new RegExp(`^Waymark-Item: ${run.id} run\\.all\\.2-e\\d+$`));
    expect(JSON.parse((await run.output("use")) ?? "")).toEqual(["did b", "did a", "did c"]);
    const used = cwds(run).slice(before);
    expect(new Set(used).size).toBe(3);
    expect(used).not.toContain(folder);
    expect(await readFile(join(folder, "c.txt"), "utf8")).toBe("c\n");
    expect(await beside(folder)).toEqual([]);
    expect(await git(folder, "status", "--porcelain")).toBe("");
  });

  test("begins with what nodes before it left in the folder of the run", async () => {
    const folder = await worktree();
    const seen: string[] = [];
    const nodes = `- id: first\n  bash: echo first > first.txt\n${fan('["a","b"]').replace("  workflow", "  depends_on: [first]\n  workflow")}`;
    const run = await bench.run(
      nodes,
      async (...asked) => {
        seen.push(await readFile(join(asked[1].cwd, "first.txt"), "utf8"));
        return writes(...asked);
      },
      { folder },
    );
    expect(run.end).toMatchObject({ kind: "completed" });
    expect(seen).toEqual(["first\n", "first\n"]);
    expect(await log(folder)).toEqual(["What was done before all", "all: a", "all: b"]);
  });

  test("that changed nothing is no commit, and none of no item", async () => {
    const folder = await worktree();
    const run = await bench.run(fan('["a","b"]'), () => "looked", { folder });
    expect(run.end).toMatchObject({ kind: "completed" });
    expect(await log(folder)).toEqual([]);
    const none = await bench.run(fan("[]"), writes, { folder: await worktree() });
    expect(none.end).toMatchObject({ kind: "completed" });
    expect(await none.output("use")).toBe("[]");
  });

  test("that fails brings nothing; what it did is on a branch that the reason names", async () => {
    const folder = await worktree();
    const run = await bench.run(fan('["a","bad","c"]', "", "touch"), writes, { folder });
    expect(run.end).toMatchObject({ kind: "completed" });
    expect(await log(folder)).toEqual(["all: a", "all: c"]);
    const [, bad] = JSON.parse((await run.output("use")) ?? "") as [string, { error: string }];
    const [, branch = ""] = /What was done is on the branch `([^`]+)`/.exec(bad.error) ?? [];
    expect(await git(folder, "show", `${branch}:bad.txt`)).toBe("bad");
    expect(await beside(folder)).toEqual([]);
    expect((await run.nodes())["all"]?.reason).toMatch(/^1 of 3 failed: item 2: /);
    const [lost, ...others] = await lostItems(bench.engine.context, await bench.engine.context.runs.open(run.id));
    expect([lost?.total, others]).toEqual([3, []]);
    expect(lostLines(lost!, 5)).toEqual([expect.stringMatching(/^item 2 of `all` \(bad\): /)]);
    expect(lostLines(lost!, 5)[0]).toContain(`What was done is on the branch \`${branch}\`.`);
  });
});

describe("a conflict", () => {
  test("is resolved by an agent on top of the newest result, and brought in in its turn", async () => {
    const folder = await worktree();
    const before = bench.driven.turns.length;
    const run = await bench.run(fan('["a","b","c"]'), edits, { folder });
    expect(run.end).toMatchObject({ kind: "completed" });
    expect(await readFile(join(folder, "shared.txt"), "utf8")).toBe("one\nby a\nby b\nby c\nthree\n");
    expect(await log(folder)).toEqual(["all: a", "all: b", "all: c"]);
    const turns = bench.driven.turns.slice(before);
    expect(turns).toHaveLength(5);
    expect(turns[3]!.prompt).toMatch(/^What was done for `b` does not fit .* the commit [0-9a-f]{40}, .* in shared\.txt both sides/);
    expect(new Set(turns.map(({ cwd }) => cwd)).size).toBe(5);
    expect(JSON.parse((await run.output("use")) ?? "")).toEqual(["did a", "did b", "did c"]);
    expect(await beside(folder)).toEqual([]);
  });

  test("that nobody resolves fails its item after four tries, with the files and the branch that has its work", async () => {
    const folder = await worktree();
    const leaves: Says = (prompt, ...rest) => (prompt.includes("conflict markers") ? "left it" : edits(prompt, ...rest));
    const run = await bench.run(fan('["a","b","c"]'), leaves, { folder });
    expect(run.end).toMatchObject({ kind: "completed" });
    expect(await log(folder)).toEqual(["all: a"]);
    const [, b] = JSON.parse((await run.output("use")) ?? "") as [string, { error: string }];
    const [, branch = ""] =
      /^`all: b` conflicts with .*, in `shared\.txt`, and 4 tries did not resolve that\. What was done is on the branch `([^`]+)`\.$/.exec(
        b.error,
      ) ?? [];
    expect(await git(folder, "show", `${branch}:b.txt`)).toBe("b");
    expect(await git(folder, "status", "--porcelain")).toBe("");
    expect(await beside(folder)).toEqual([]);
  });

  test("of a node that needs all is given back again when the run is retried", async () => {
    const folder = await worktree();
    let resolves = false;
    const says: Says = (prompt, ...rest) => (prompt.includes("conflict markers") && !resolves ? "left it" : edits(prompt, ...rest));
    const run = await bench.run(fan('["a","b","c"]', ", join: all_success"), says, { folder });
    expect(run.end).toMatchObject({ kind: "failed" });
    expect((await run.nodes())["all"]?.error).toContain("conflicts with what was brought in before it, in `shared.txt`");
    expect(await log(folder)).toEqual(["all: a"]);
    resolves = true;
    await run.retry();
    await run.drive(says);
    expect(run.end).toMatchObject({ kind: "completed" });
    expect(await log(folder)).toEqual(["all: a", "all: b", "all: c"]);
    expect(JSON.parse((await run.output("use")) ?? "")).toEqual(["did a", "did b", "did c"]);
    expect(await readFile(join(folder, "shared.txt"), "utf8")).toBe("one\nby a\nby b\nby c\nthree\n");
  });
});

test("with all_success nothing is brought in while an item has failed; a retry continues it where it was", async () => {
  const folder = await worktree();
  const run = await bench.run(fan('["a","bad","c"]', ", join: all_success", "touch"), writes, { folder });
  expect(run.end).toMatchObject({ kind: "failed" });
  expect(await log(folder)).toEqual([]);
  expect(await beside(folder)).toHaveLength(3);
  await writeFile(join(dirname(folder), "mended"), "");
  await run.retry();
  await run.drive(writes);
  expect(run.end).toMatchObject({ kind: "completed" });
  expect(await log(folder)).toEqual(["all: a", "all: bad", "all: c"]);
  // What it had done was not done again.
  expect(await readFile(join(folder, "bad.txt"), "utf8")).toBe("bad\n");
  expect(await beside(folder)).toEqual([]);
});

test("a single call works in a worktree too, and its output is that of the workflow", async () => {
  const folder = await worktree();
  const run = await bench.run(
    "- id: one\n  workflow: migrate\n  input: a\n  isolation: worktree\n- id: use\n  depends_on: [one]\n  bash: printf %s $one.output",
    writes,
    { folder },
  );
  expect(run.end).toMatchObject({ kind: "completed" });
  expect(await run.output("use")).toBe("did a");
  expect(await log(folder)).toEqual(["one: migrate"]);
  expect(await beside(folder)).toEqual([]);
});

test("a called graph works in the worktree with all of its strands, also with worktrees of its own inside", async () => {
  await bench.define(`- id: here\n  bash: pwd > "$ARGUMENTS-here.txt"\n${fan('["x","y"]')}`, "", "nested");
  const folder = await worktree();
  const before = bench.driven.turns.length;
  const says: Says = async (prompt, turn, door) => {
    const outer = /run\.out\.(\d)/.exec(turn.cwd)?.[1] ?? "";
    await writeFile(join(turn.cwd, `${itemOf(prompt)}-of-${outer}.txt`), "");
    return writes(`<${itemOf(prompt)}>`, { ...turn, cwd: await mkdirOf(turn.cwd, outer) }, door);
  };
  const nodes = '- id: out\n  workflow: nested\n  isolation: worktree\n  fan_out: { items: \'["a","b"]\' }';
  const run = await bench.run(nodes, says, { folder });
  expect(run.end).toMatchObject({ kind: "completed" });
  expect(await log(folder)).toEqual(["out: a", "out: b"]);
  expect((await readdir(folder)).filter((name) => name.includes("-")).toSorted()).toEqual(
    ["a-here.txt", "b-here.txt", "x-of-0.txt", "x-of-1.txt", "y-of-0.txt", "y-of-1.txt"].toSorted(),
  );
  expect((await readFile(join(folder, "a-here.txt"), "utf8")).trim()).toMatch(/\+run\.out\.0-e\d+$/);
  for (const cwd of cwds(run).slice(before)) expect(basename(cwd)).toMatch(/\+run\.out\.\d-e\d+\+c\d+\.all\.\d-e\d+$/);
  expect(await beside(folder)).toEqual([]);
});

async function mkdirOf(cwd: string, name: string): Promise<string> {
  await mkdir(join(cwd, name), { recursive: true });
  return join(cwd, name);
}

test("each round of a group brings in its own, and begins with what the round before brought", async () => {
  const folder = await worktree();
  const nodes = `- id: rounds
  loop_group:
    max_iterations: 2
    until_bash: test "$(wc -l < round.txt)" -ge 2
    nodes:
      - { id: all, workflow: round, isolation: worktree, fan_out: { items: '["a","b"]' } }`;
  await bench.define("- id: add\n  bash: '[ \"$ARGUMENTS\" = b ] || echo round >> round.txt'", "", "round");
  const run = await bench.run(nodes, writes, { folder });
  expect(run.end).toMatchObject({ kind: "completed" });
  expect(await readFile(join(folder, "round.txt"), "utf8")).toBe("round\nround\n");
  expect(await log(folder)).toEqual(["all: a", "all: a"]);
});

test("done again after a rejection it begins with what it brought before", async () => {
  const folder = await worktree();
  const nodes = `- id: all
  workflow: touch
  isolation: worktree
  fan_out: { items: '["a","b"]' }
- id: ok
  depends_on: [all]
  approval: { message: Right?, on_reject: { reopens: [all] } }`;
  const run = await bench.run(nodes, writes, { folder });
  expect(run.end).toMatchObject({ kind: "waits" });
  await run.answer("reject", "Once more");
  await run.drive(writes);
  await run.answer("approve");
  await run.drive(writes);
  expect(run.end).toMatchObject({ kind: "completed" });
  expect(await readFile(join(folder, "a.txt"), "utf8")).toBe("a\na\n");
  expect(await log(folder)).toEqual(["all: a", "all: b", "all: a", "all: b"]);
});

test("with always_run a retry does it again, from what it brought before", async () => {
  const folder = await worktree();
  const nodes = `- id: all
  workflow: touch
  input: a
  isolation: worktree
  always_run: true
- id: later
  depends_on: [all]
  bash: test -f ../may-pass`;
  const run = await bench.run(nodes, writes, { folder });
  expect(run.end).toMatchObject({ kind: "failed" });
  await writeFile(join(dirname(folder), "may-pass"), "");
  await run.retry();
  await run.drive(writes);
  expect(run.end).toMatchObject({ kind: "completed" });
  expect(await readFile(join(folder, "a.txt"), "utf8")).toBe("a\na\n");
  expect(await log(folder)).toEqual(["all: touch", "all: touch"]);
  expect(await beside(folder)).toEqual([]);
});

test("given up in the middle, what was done is put on a branch, and it begins again", async () => {
  await bench.define(
    '- id: touch\n  bash: echo "$ARGUMENTS" >> "$ARGUMENTS.txt"\n- id: sure\n  depends_on: [touch]\n  approval: { message: Sure? }',
    "",
    "asks",
  );
  const folder = await worktree();
  const nodes = `- id: first
  bash: echo first
- id: all
  depends_on: [first]
  workflow: asks
  input: a
  isolation: worktree
- id: gate
  depends_on: [first]
  approval: { message: Right?, on_reject: { reopens: [first] } }`;
  const run = await bench.run(nodes, writes, { folder });
  expect(run.questions.map(({ id }) => id).toSorted()).toEqual(["gate", "sure"]);
  const [given] = await beside(folder);
  await run.answer("reject", "Once more", undefined, "gate");
  await run.drive(writes);
  for (const id of ["gate", "sure"])
    await run.answer("approve", undefined, undefined, run.questions.find((each) => each.id.startsWith(id))?.id);
  await run.drive(writes);
  expect(run.end).toMatchObject({ kind: "completed" });
  expect(await log(folder)).toEqual(["all: asks"]);
  expect(await readFile(join(folder, "a.txt"), "utf8")).toBe("a\n");
  expect(await git(folder, "log", "-1", "--format=%s", `waymark/${given}`)).toBe("all: given up");
  expect(await git(folder, "show", `waymark/${given}:a.txt`)).toBe("a");
  expect(await beside(folder)).toEqual([]);
});

test("artifacts and what a workflow keeps go with it, and come back", async () => {
  const folder = await worktree();
  await bench.define(
    `- id: plan
  prompt: Write the report of <$ARGUMENTS> from $INPUTS.plan to $ARTIFACTS_DIR/report.md
  artifacts: [report.md]
- id: keep
  depends_on: [plan]
  bash: 'cat "$STATE_DIR/../parent/note" > "$STATE_DIR/$ARGUMENTS"'`,
    "inputs: { plan: { type: string } }",
    "reports",
  );
  const says: Says = async (prompt, { cwd }) => {
    const [, plan = "", report = ""] = /from (\S+) to (\S+)/.exec(prompt) ?? [];
    // An agent may read and write in its folder alone.
    for (const path of [plan, report]) expect(path.startsWith(`${cwd}/`)).toBe(true);
    await writeFile(report, `${await readFile(plan, "utf8")} for ${itemOf(prompt)}`);
    return "written";
  };
  const name = await bench.define(
    `- id: plan
  bash: 'printf plan > "$ARTIFACTS_DIR/plan.md"; printf note > "$STATE_DIR/note"; mkdir -p "$STATE_DIR/../parent"; cp "$STATE_DIR/note" "$STATE_DIR/../parent/note"'
- id: all
  depends_on: [plan]
  workflow: reports
  isolation: worktree
  with: { plan: $ARTIFACTS_DIR/plan.md }
  fan_out: { items: '["a","b"]' }
- id: use
  depends_on: [all]
  bash: 'cat "$ARTIFACTS_DIR"/all/*/report.md "$STATE_DIR"/../reports/*'`,
  );
  const run = await bench.start(name, { folder });
  await run.drive(says);
  expect(run.end).toMatchObject({ kind: "completed" });
  expect(await run.output("use")).toBe("plan for aplan for bnotenote");
  // Neither is part of the commits.
  expect(await log(folder)).toEqual([]);
});

test.each([
  [
    "steps",
    'name: looks\ndescription: Looks.\nversion: "1"\nsteps: [{ id: look, type: shell_command, command: "pwd > seen.txt" }]\n',
    "looks.yaml",
  ],
  ["a chain", "name: looks\ndescription: Looks.\nsteps: [{ step: look }]\n", "../../.archon/workflows/looks.yaml"],
  [
    "a checklist",
    [
      "type: looks",
      "name: looks",
      "description: Looks at every file.",
      'file_patterns: ["**/made.js"]',
      "phases:",
      "  - { id: inventory, name: Inventory, description: d, required: true }",
      "  - { id: analysis, name: Analysis, description: d, required: true, available_actions: [analyze_file] }",
      "  - { id: summary, name: Summary, description: d, required: true }",
      "per_file_checklist: [{ id: analyze, type: analysis, description: Analyse it, required: true }]",
      "topic_discovery: { enabled: false, tool: analyze_code, auto_expand_checklist: false, min_relevance_score: 0.6 }",
      "completion_rules: { require_all_files: true, require_all_checklist_items: true, allow_skip_with_reason: true }",
      "",
    ].join("\n"),
    "looks.workflow.yaml",
  ],
])("a called workflow works in the worktree, whatever it is written in: %s", async (_what, text, path) => {
  await bench.engine.write(".archon/steps/look.md", "Look.\n");
  await bench.engine.write(`.waymark/workflows/${path}`, text);
  await bench.engine.allow("looks");
  const folder = await worktree();
  const says: Says = async (prompt, { cwd }, door) => {
    await writeFile(join(cwd, "seen.txt"), `${cwd}\n`);
    const [, run, action] = /"run_id":"([^"]+)","action_id":"([^"]+)"/.exec(prompt) ?? [];
    const report = { run_id: run, action_id: action, status: "completed", result: "It makes what it says." };
    if (action !== undefined) await door.call("workflow_progress", report);
    return "looked";
  };
  // Only in the run's own folder, so far.
  const nodes = "- id: make\n  bash: echo 1 > made.js\n- id: one\n  depends_on: [make]\n  workflow: looks\n  isolation: worktree";
  const run = await bench.run(nodes, says, { folder });
  expect(run.end).toMatchObject({ kind: "completed" });
  expect((await readFile(join(folder, "seen.txt"), "utf8")).trim()).toMatch(/\+run\.one\.0-e\d+$/);
  expect(await log(folder)).toEqual(["What was done before one", "one: looks"]);
  await rm(join(bench.engine.folder, ".waymark/workflows"), { recursive: true, force: true });
  await rm(join(bench.engine.folder, ".archon/workflows/looks.yaml"), { force: true });
});

test("in a run on a folder of its repository, calls work in the same folder", async () => {
  const folder = await worktree("app");
  const run = await bench.run(fan('["a","b"]'), writes, { folder });
  expect(run.end).toMatchObject({ kind: "completed" });
  expect(await log(folder)).toEqual(["all: a", "all: b"]);
  expect((await readdir(folder)).filter((name) => name.endsWith(".txt")).toSorted()).toEqual(["a.txt", "b.txt", "keep.txt"]);
  expect(await beside(folder)).toEqual([]);
});

describe("two nodes at once", () => {
  const two =
    "- id: one\n  workflow: migrate\n  input: a\n  isolation: worktree\n- id: two\n  workflow: migrate\n  input: b\n  isolation: worktree";

  test("are brought in one after the other; the later one resolves a conflict with the earlier one", async () => {
    const folder = await worktree();
    const run = await bench.begin(two, { folder });
    await run.drive(edits, { workers: 2 });
    expect(run.end).toMatchObject({ kind: "completed" });
    expect((await log(folder)).toSorted()).toEqual(["one: migrate", "two: migrate"]);
    expect((await readFile(join(folder, "shared.txt"), "utf8")).split("\n").toSorted()).toEqual(["", "by a", "by b", "one", "three"]);
    expect(await beside(folder)).toEqual([]);
  });

  test("do not take back what was brought in while a worktree was made", async () => {
    const folder = await worktree();
    afterAdd = async () => {
      afterAdd = undefined;
      await writeFile(join(folder, "meanwhile.txt"), "there\n");
      await git(folder, "add", "-A");
      await git(folder, "-c", "user.name=t", "-c", "user.email=t@localhost", "commit", "-qm", "meanwhile");
    };
    const run = await bench.run(fan('["a"]'), writes, { folder });
    expect(run.end).toMatchObject({ kind: "completed" });
    expect(await log(folder)).toEqual(["meanwhile", "all: a"]);
    expect(await readFile(join(folder, "meanwhile.txt"), "utf8")).toBe("there\n");
  });
});

test("an agent that asks for a node itself is told the folder", async () => {
  const folder = await worktree();
  const { context, caller } = bench.engine;
  const { id: run } = await bench.begin(fan('["a","b"]'), { folder });
  const told: string[] = [];
  for (let position = await next(context, caller, { run, waitMs: 20_000 }); position.standing.kind === "action";) {
    const { shown, action } = position.standing;
    const [, cwd = ""] = /^Work in (\S+) and nowhere else: paths are relative to it\. Do what/.exec(shown.step.instructions) ?? [];
    told.push(basename(cwd));
    await writeFile(join(cwd, `${itemOf(textOf(action.args["prompt"]))}.txt`), "");
    await progress(context, caller, { run, action: action.id, status: "success", result: "done", waitMs: 0 });
    position = await next(context, caller, { run, waitMs: 20_000 });
  }
  // Which worktree is made first is left to git.
  expect(told.toSorted((a, b) => a.localeCompare(b))).toEqual([
    expect.stringMatching(/\+run\.all\.0-e\d+$/),
    expect.stringMatching(/\+run\.all\.1-e\d+$/),
  ]);
  expect(await log(folder)).toEqual(["all: a", "all: b"]);
});

test("what a person allows is another one with it, and shows the prompt for conflicts", async () => {
  const { context } = bench.engine;
  const loaded = async (more: string): Promise<LoadedWorkflow> =>
    context.catalog.load(await bench.define(`- id: one\n  workflow: migrate\n  input: x${more}`, "", "allowed"));
  const prompts = ({ program }: LoadedWorkflow): string => JSON.stringify(whatAgentsGet(context, program!));
  const [plain, apart] = [await loaded(""), await loaded("\n  isolation: worktree")];
  expect(apart.hash).not.toBe(plain.hash);
  expect(prompts(apart)).toContain("both sides are between conflict markers");
  expect(prompts(plain)).not.toContain("conflict");
});

describe("is refused before anything begins", () => {
  test("in a run without a worktree of its own, with the line that gives it one", async () => {
    await expect(bench.begin(fan('["a"]'))).rejects.toMatchObject({
      code: "PROMPTS_NEEDS_WORKTREE",
      fix: expect.stringMatching(/^Start it with `waymark run graph-\d+ --worktree`/) as string,
    });
  });

  test("of a workflow with steps that nobody waits for", async () => {
    await bench.engine.write(
      ".aromcp/workflows/loose.yaml",
      `name: loose
description: It does not wait.
version: "1"
steps:
  - id: later
    type: parallel_foreach
    items: "{{ [1, 2] }}"
    wait_for_all: false
    sub_agent_task: each
sub_agent_tasks:
  each:
    description: One.
    steps: [{ id: say, type: user_message, message: Hello }]
`,
    );
    await expect(bench.begin(fan('["a"]', "", "loose"), { folder: await worktree() })).rejects.toMatchObject({
      code: "PROMPTS_NOT_AWAITED",
    });
  });
});

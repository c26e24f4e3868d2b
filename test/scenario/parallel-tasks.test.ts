/** A delivery whose tasks are implemented at the same time, each in a worktree of its own, and brought together in order. */
import { execFile } from "node:child_process";
import { existsSync } from "node:fs";
import { mkdir, readdir, readFile, symlink, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { promisify } from "node:util";
import { afterEach, describe, expect, test } from "vitest";
import { textOf, type JsonObject } from "../../src/base/index.ts";
import { answer, journal, next, progress, readItems, start } from "../../src/engine/index.ts";
import { makeWorktree } from "../../src/host/index.ts";
import type { Commands, Turn } from "../../src/ports/index.ts";
import { RunLines } from "../../src/views/index.ts";
import { openDriven, type AgentDoorClient, type Behaviour, type DrivenRun } from "../support/driven-run.ts";
import { bundledMachine, makeRepository, person } from "../support/machine-world.ts";
import { acceptance, architecture, passes, reported, reportText, spec } from "../support/scripted-team.ts";
import { openTestEngine, type RunsCommands, type TestEngine } from "../support/test-engine.ts";

const exec = promisify(execFile);
let engine: TestEngine;
let driven: DrivenRun;
afterEach(async () => {
  await driven.close();
  await engine.close();
});

interface Task {
  readonly id: string;
  readonly files: readonly string[];
  readonly after?: string;
}

function planOf(tasks: readonly Task[]): string {
  const rows = tasks.map(
    ({ id, files, after = "" }) => `  - id: ${id}
    status: not-started
    type: chore
    title: Make ${id}
    depends_on: [${after}]
    goal: Make ${id}
    non_goals: []
    context_files: []
    files_expected: ${JSON.stringify(files)}
    acceptance_checks: ["cmd: node check.mjs"]
    risk_flags: [none]
    done_when: ["it is there"]
`,
  );
  return `project:\n  name: slugs\n  definition_of_done: ["checks pass"]\ntasks:\n${rows.join("")}`;
}

/** Everything that a Coder is asked: its task, its folder, and what to do there. */
type Code = (asked: { readonly task: string; readonly folder: string; readonly prompt: string }) => Promise<void>;

function teamOf(tasks: readonly Task[], code: Code): Behaviour {
  const write = async (turn: Turn, path: string, text: string): Promise<void> => {
    await mkdir(dirname(join(turn.cwd, path)), { recursive: true });
    await writeFile(join(turn.cwd, path), text);
  };
  return async (turn, door) => {
    const { prompt } = turn;
    const role = /You are (\w+)\./.exec(prompt)?.[1] ?? "";
    const session = /"session":"([^"]+)"/.exec(prompt)?.[1] ?? "";
    const task = /"task":\{"id":"([^"]+)"/.exec(prompt)?.[1] ?? "";
    if (role === "SpecAgent") {
      await write(turn, `${session}/spec.md`, spec);
      await write(turn, `${session}/acceptance.json`, acceptance);
    }
    if (role === "Architect") await write(turn, `${session}/architecture.md`, architecture);
    if (role === "Planner") await write(turn, `${session}/tasks.yaml`, planOf(tasks));
    if (role === "Docs") await write(turn, `${session}/report.md`, reportText);
    if (role === "Coder") await code({ task, folder: turn.cwd, prompt });
    return report(door, prompt, reportOf(role));
  };
}

function reportOf(role: string): JsonObject {
  if (role === "Reviewer") return passes();
  const artifacts: Record<string, JsonObject> = {
    Coder: { patch_summary: ["made it"] },
    QA: { test_results: { passed: 1, failed: 0, skipped: 0, output: "ok" }, coverage_gaps: [] },
    Integrator: { ci_notes: [] },
  };
  return reported("OK", "Done.", { artifacts: artifacts[role] ?? {} });
}

async function report(door: AgentDoorClient, prompt: string, result: JsonObject): Promise<object> {
  const [, run, action] = /"run_id":"([^"]+)","action_id":"([^"]+)"/.exec(prompt) ?? [];
  const { text, isError } = await door.call("workflow_progress", { run_id: run, action_id: action, result });
  return isError ? { text } : {};
}

const project = { "check.mjs": "process.exit(0);\n", "shared.txt": "one\ntwo\nthree\n", ".gitignore": ".agents-work/\n.waymark/\n" };

/** What a user's git may be like: it signs, runs hooks that fail, knows no name, and worktrees are where a link leads. */
async function makeHard(repository: string): Promise<void> {
  const settings = { "commit.gpgsign": "true", "gpg.program": "false", "log.showSignature": "true", "status.showUntrackedFiles": "no" };
  const others = { "user.useConfigOnly": "true", "user.email": "ada@example.org", "user.name": "", "commit.cleanup": "strip" };
  for (const [key, value] of Object.entries({ ...settings, ...others })) await exec("git", ["config", key, value], { cwd: repository });
  for (const hook of ["pre-commit", "commit-msg", "post-commit", "post-checkout"]) {
    const text = `#!/bin/sh\necho ${hook} >> "$(git rev-parse --git-common-dir)/ran"\nexit 1\n`;
    await writeFile(join(repository, ".git/hooks", hook), text, { mode: 0o755 });
  }
  const beside = dirname(repository);
  await mkdir(join(beside, "elsewhere"));
  await symlink("elsewhere", join(beside, "trees"));
}

const same = (commands: Commands): RunsCommands => commands;

async function begin(
  tasks: readonly Task[],
  code: Code,
  { worktree = true, parallel = 3, watched = same } = {},
): Promise<{ run: string; folder: string }> {
  engine = await openTestEngine({ ...project, ...(await bundledMachine()) }, {}, undefined, watched);
  await makeRepository(engine.folder, true);
  await makeHard(engine.folder);
  const made = worktree ? await makeWorktree(engine.folder, join(dirname(engine.folder), "trees"), "run-1") : undefined;
  driven = await openDriven(engine, teamOf(tasks, code));
  await engine.allow("delivery");
  const inputs = { request: "Make them", parallel };
  const more = made === undefined ? {} : { folder: made.path };
  const { run } = await start(engine.context, engine.caller, { workflow: "delivery", inputs, held: false, ...more });
  return { run, folder: made?.path ?? engine.folder };
}

/** Drives, and answers what only a person may; `meanwhile`, no role works. */
async function toEnd(run: string, meanwhile: () => Promise<void> = () => Promise.resolve()): Promise<string> {
  const answers: Record<string, string> = { "UD-APPROVE-DESIGN": "approved", "UD-REVIEW-STRATEGY": "single-final" };
  for (let turn = 0; turn < 20; turn += 1) {
    const end = await driven.drive({ run });
    if (end.kind !== "waits") return "why" in end ? `${end.kind}: ${end.why}` : end.kind;
    await meanwhile();
    for (const { id, name = id } of end.questions)
      await answer(engine.context, person, { run, decision: id, answer: answers[name] ?? "allow", relayed: false });
    await engine.context.holding.release(person.leaseOwner);
  }
  return "no end";
}

/** A sub-agent of an interactive client does a task; answers the folder that it was shown. */
async function byHand(run: string, task: string): Promise<string> {
  const caller = {
    ...engine.caller,
    holder: { kind: "agent", name: task, session: task },
    leaseOwner: `${engine.caller.leaseOwner}-${task}`,
  } as const;
  const { standing } = await next(engine.context, caller, { run, task, waitMs: 20_000 });
  if (standing.kind !== "action") throw new Error(JSON.stringify(standing));
  const { instructions, definition } = standing.shown.step;
  // It is a fresh one itself.
  expect(instructions).toMatch(/^You are Coder\..*Work in folder and nowhere else/s);
  const folder = textOf(definition["folder"]);
  await writes({ task, folder, prompt: instructions });
  await progress(engine.context, caller, {
    run,
    action: standing.action.id,
    task,
    status: "success",
    result: reportOf("Coder"),
    waitMs: 20_000,
  });
  return folder;
}

async function log(folder: string): Promise<readonly string[]> {
  const { stdout } = await exec("git", ["log", "--format=%s", "--reverse"], { cwd: folder });
  return stdout.trim().split("\n");
}

const coders = (): readonly string[] => driven.turns.filter(({ prompt }) => prompt.includes("You are Coder.")).map(({ cwd }) => cwd);

const three: readonly Task[] = [
  { id: "T-001", files: ["a.txt"] },
  { id: "T-002", files: ["b.txt"] },
  { id: "T-003", files: ["c/**"] },
];

const writes: Code = async ({ task, folder }) => {
  const path = { "T-001": "a.txt", "T-002": "b.txt", "T-003": "c/c.txt" }[task] ?? "other.txt";
  await mkdir(dirname(join(folder, path)), { recursive: true });
  await writeFile(join(folder, path), `${task}\n`);
};

describe("tasks whose files do not meet", () => {
  test("are implemented in worktrees of their own, and brought together as one commit each, in order", async () => {
    const { run, folder } = await begin(three, writes);
    expect(await toEnd(run)).toBe("completed");
    expect(await log(folder)).toEqual(["begin", "T-001: Make T-001", "T-002: Make T-002", "T-003: Make T-003"]);
    expect(new Set(coders()).size).toBe(3);
    expect(coders()).not.toContain(folder);
    expect(await readFile(join(folder, "c/c.txt"), "utf8")).toBe("T-003\n");
    expect(await readdir(dirname(folder))).toEqual(["run-1"]);
    const { stdout } = await exec("git", ["log", "-1", "--format=%an <%ae>"], { cwd: folder });
    expect(stdout).toBe("Waymark <ada@example.org>\n");
    expect(existsSync(join(engine.folder, ".git/ran"))).toBe(false);
  });

  test("leave alone what somebody else puts into the folder of the run meanwhile: it is in no commit", async () => {
    let folderOfRun = "";
    const listed: (readonly unknown[])[] = [];
    const { run, folder } = await begin(three, async (asked) => {
      listed.push((await readItems(engine.context, run)).map(({ id }) => id));
      await writes(asked);
      await writeFile(join(folderOfRun, "fo reign.txt"), "of somebody else\n");
      await writeFile(join(folderOfRun, "shared.txt"), "changed by somebody else\n");
    });
    folderOfRun = folder;
    expect(await toEnd(run)).toBe("completed");
    expect((await log(folder)).slice(1)).toEqual(["T-001: Make T-001", "T-002: Make T-002", "T-003: Make T-003"]);
    const { stdout } = await exec("git", ["status", "--porcelain", "--untracked-files=normal"], { cwd: folder });
    expect(stdout.split("\n").filter((line) => !line.includes(".agents-work"))).toEqual([" M shared.txt", '?? "fo reign.txt"', ""]);
    // Each task is listed once also then.
    expect(listed).toEqual(Array(3).fill(["T-001", "T-002", "T-003"]));
  });

  test("are worked on at the same time by agents that ask for a task each, in the folder that they are shown", async () => {
    const others: Record<string, string> = {};
    let first = "";
    const { run, folder } = await begin(three, async (asked) => {
      await writes(asked);
      if (first !== "") return;
      first = asked.task;
      // While the first one is open, whichever it is.
      for (const { id } of three) if (id !== first) others[id] = await byHand(run, id);
    });
    expect(await toEnd(run)).toBe("completed");
    for (const [id, other] of Object.entries(others)) expect(other).toContain(`run-1+${id}-`);
    expect(Object.keys(others)).toHaveLength(2);
    expect(coders()).toHaveLength(1);
    expect((await log(folder)).slice(1)).toEqual(["T-001: Make T-001", "T-002: Make T-002", "T-003: Make T-003"]);
  });

  test("begin with what the tasks before them brought", async () => {
    const tasks = [three[0]!, three[1]!, { id: "T-003", files: ["c/**"], after: "T-001" }];
    const seen: Record<string, readonly string[]> = {};
    const { run, folder } = await begin(tasks, async (asked) => {
      seen[asked.task] = (await readdir(asked.folder)).filter((name) => /^[abc](?:\.txt)?$/.test(name));
      await writes(asked);
    });
    expect(await toEnd(run)).toBe("completed");
    expect(seen).toEqual({ "T-001": [], "T-002": [], "T-003": ["a.txt", "b.txt"] });
    expect((await log(folder)).slice(1)).toEqual(["T-001: Make T-001", "T-002: Make T-002", "T-003: Make T-003"]);
  });
});

describe("worktrees of one wave", () => {
  test("are made one at a time; one that fails is tried again, in words that name its task", async () => {
    let [open, most, made] = [0, 0, 0];
    const watched = (commands: Commands): RunsCommands => ({
      run: async (request) => {
        if (!request.command.includes("worktree add")) return commands.run(request);
        open += 1;
        made += 1;
        most = Math.max(most, open);
        const command = made === 2 ? "exit 1" : request.command;
        const outcome = await commands.run({ ...request, command });
        open -= 1;
        return outcome;
      },
    });
    const { run } = await begin(three, writes, { watched });
    const { context } = engine;
    const handle = await context.runs.open(run);
    const told = new RunLines(handle, { called: () => undefined, kind: () => undefined });
    const head = handle.head;
    expect(await toEnd(run)).toBe("completed");
    expect({ most, made }).toEqual({ most: 1, made: 4 });
    const lines = (await journal(context, run, head, 1_000_000)).flatMap(({ events }) => told.of(events));
    expect(lines.filter((line) => line.includes("git worktree"))).toEqual([
      expect.stringMatching(/^✗ \S*T-00\d\S* failed, trying again: `git worktree`/),
    ]);
  });
});

describe("a conflict", () => {
  const edits: Code = async ({ task, folder, prompt }) => {
    const path = join(folder, "shared.txt");
    if (prompt.includes("Resolve the conflicts in shared.txt")) {
      const text = await readFile(path, "utf8");
      expect(text).toMatch(/<{7} [^]*by T-001[^]*={7}[^]*by T-002[^]*>{7} /);
      return writeFile(path, "one\nby T-001\nby T-002\nthree\n");
    }
    await writes({ task, folder, prompt });
    if (task !== "T-003") await writeFile(path, `one\nby ${task}\nthree\n`);
  };

  test("goes back to its strand, with both sides and the newest result, and is brought in when it is resolved", async () => {
    const { run, folder } = await begin(three, edits);
    expect(await toEnd(run)).toBe("completed");
    expect(await readFile(join(folder, "shared.txt"), "utf8")).toBe("one\nby T-001\nby T-002\nthree\n");
    expect((await log(folder)).slice(1)).toEqual(["T-001: Make T-001", "T-003: Make T-003", "T-002: Make T-002"]);
    expect(await readFile(join(folder, "b.txt"), "utf8")).toBe("T-002\n");
    expect(coders()).toHaveLength(4);
    expect(coders()).not.toContain(folder);
  });

  test("that is left with its markers is not brought in: the task is done in its turn", async () => {
    const { run, folder } = await begin(three, async (asked) => {
      if (asked.prompt.includes("Resolve the conflicts")) return;
      await edits(asked);
    });
    expect(await toEnd(run)).toBe("completed");
    expect(coders().filter((cwd) => cwd === folder)).toHaveLength(1);
    expect(await readFile(join(folder, "shared.txt"), "utf8")).toBe("one\nby T-002\nthree\n");
  });
});

describe("one at a time", () => {
  const serial = async (tasks: readonly Task[], options: object): Promise<readonly string[]> => {
    const { run, folder } = await begin(tasks, writes, options);
    expect(await toEnd(run)).toBe("completed");
    expect(coders()).toEqual([folder, folder, folder]);
    const [session = ""] = await readdir(join(folder, ".agents-work"));
    const status = JSON.parse(await readFile(join(folder, ".agents-work", session, "status.json"), "utf8")) as { assumptions: string[] };
    return status.assumptions;
  };

  test("is how tasks are done where nobody asks for more", async () => {
    expect(await serial(three, { parallel: 1 })).toEqual([]);
  });

  test("is how tasks are done in a run without a worktree, and its status says why", async () => {
    expect(await serial(three, { worktree: false })).toEqual([
      "Tasks are done one at a time: the run has no worktree of its own (`waymark run --worktree`).",
    ]);
  });

  test("is how tasks are done where the folder of the run has changes of somebody else: the screen and its status say why, once", async () => {
    const { run, folder } = await begin(three, writes);
    const handle = await engine.context.runs.open(run);
    const { leaves } = engine.context;
    const told = new RunLines(handle, { called: () => undefined, kind: () => undefined, told: (of, event) => leaves.told(of, event) });
    const head = handle.head;
    expect(await toEnd(run, () => writeFile(join(folder, "mine.txt"), "not committed\n"))).toBe("completed");
    expect(coders()).toEqual([folder, folder, folder]);
    const why = "Tasks are done one at a time: the folder of the run has changes that are not committed.";
    const lines = (await journal(engine.context, run, head, 1_000_000)).flatMap(({ events }) => told.of(events));
    expect(lines.filter((line) => line.startsWith("!"))).toEqual([`! ${why}`]);
  });

  test("is how tasks are done whose files meet, or are not known", async () => {
    expect(await serial([three[0]!, { id: "T-002", files: ["*.txt"] }, { id: "T-003", files: [] }], {})).toEqual([]);
  });
});

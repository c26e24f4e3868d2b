import { afterEach, expect, test } from "vitest";
import { driveToEnd, inHand, oldCalls } from "../../../../../test/support/checklist-sample.ts";
import { openTestEngine, type TestEngine } from "../../../../../test/support/test-engine.ts";
import type { CommandOutcome, CommandRequest } from "../../../../ports/index.ts";
import { completeChecklist } from "../commands/complete-checklist.ts";
import { gatherFacts } from "../commands/gather-facts.ts";
import { next, progress, start, type Settings } from "../../../../engine/index.ts";
import { reportCheck } from "../commands/check-report.ts";

let engine: TestEngine;
afterEach(() => engine.close());

const skip = () => ({ status: "skipped" as const, skipReason: "not now" });
const passes: CommandOutcome = { exitCode: 0, signal: null, ended: "exit", stdout: { text: "", bytes: 0 }, stderr: "", ms: 1 };
const says = (text: string, more: Partial<CommandOutcome> = {}): CommandOutcome => ({
  ...passes,
  exitCode: 1,
  stdout: { text, bytes: text.length },
  ...more,
});

/** A migration that comes to its verification, where commands end as they are told to; nothing is started. */
async function verified(
  outcomes: Readonly<Record<string, readonly CommandOutcome[]>>,
  verifyCommands: Settings["verifyCommands"] = Object.keys(outcomes).map((name) => ({ name, command: `run ${name}`, fromProject: false })),
  allowed: readonly string[] = [],
): Promise<{ readonly run: string; readonly ran: readonly string[]; readonly claims: readonly CommandRequest["claim"][] }> {
  const ran: string[] = [];
  const claims: CommandRequest["claim"][] = [];
  const files = { ".waymark/workflows/old-calls.workflow.yaml": oldCalls, "a.js": "old(y);\n", "sub/b.js": "old(z);\n" };
  engine = await openTestEngine(files, { verifyCommands }, undefined, () => ({
    run: ({ command, claim }) => {
      ran.push(command);
      claims.push(claim);
      const name = command.replace("run ", "");
      const turn = ran.filter((each) => each === command).length - 1;
      return Promise.resolve(outcomes[name]?.[turn] ?? passes);
    },
  }));
  const { context, caller } = engine;
  const { workspace } = engine.host;
  await engine.host.permissions.grant({ hash: "shown", workflow: "old-calls", workspace, runs: allowed, unattended: false });
  const { run } = await start(context, caller, { workflow: "old-calls" });
  await progress(context, caller, { run, result: "review_by_file" });
  for (let reports = 0; reports < 2; reports += 1) {
    await reportCheck(context, caller, { run, ...skip() });
    await next(context, caller, { run });
  }
  return { run, ran, claims };
}

const verification = async (run: string) => (await gatherFacts(engine.context, run)).verification;

test("commands that pass let the run end, and the facts name them", async () => {
  const { run, ran, claims } = await verified({ build: [passes] });
  expect(ran).toEqual(["run build"]);
  expect(claims, "who takes the verification up finds what is left of it").toMatchObject([{ run, effect: expect.any(String) }]);
  expect(await verification(run)).toMatchObject({
    compiled: true,
    commands: [{ name: "build", ok: true, errors: 0 }],
    errorsByFile: {},
    notAllowed: [],
  });
  expect((await completeChecklist(engine.context, engine.caller, run)).state.status).toBe("completed");
});

test("without a command nothing counts as compiled", async () => {
  const { run, ran } = await verified({});
  expect(ran).toEqual([]);
  expect(await verification(run)).toMatchObject({ compiled: false, commands: [] });
});

test("what a compiler says about a file of the run opens that file with an entry that carries it", async () => {
  const lines = [
    "a.js(1,5): error X1: bad call",
    "sub\\b.js:7:2: error: missing ;",
    "./a.js:9: error again",
    "other.js(1,1): error of nobody",
    "a.js(2,1): warning only",
    `${"x".repeat(3_000)}: a.js(3,3): error far away`,
  ];
  const { run } = await verified({ build: [says(lines.join("\n")), passes] });
  expect(await verification(run)).toMatchObject({
    commands: [{ name: "build", ok: false, errors: 3 }],
    errorsByFile: { "a.js": ["line 1: error X1: bad call", "line 9: error again"], "sub/b.js": ["line 7: error: missing ;"] },
  });
  const { context, caller } = engine;
  const open: string[] = [];
  await driveToEnd(engine, run, ({ file, item }) => (open.push(`${file} ${item.replace(/\d+$/, "")}`), { status: "completed" }));
  expect(open.toSorted()).toEqual(["a.js verify-e", "sub/b.js verify-e"]);
  expect(inHand(await next(context, caller, { run })).what).toBe("complete_workflow");
  expect(await verification(run)).toMatchObject({ commands: [{ ok: true }], errorsByFile: {} });
});

test("errors may come on the error output", async () => {
  const { run } = await verified({ build: [says("", { stderr: "a.js(4): error on the other stream" })] });
  expect(await verification(run)).toMatchObject({ errorsByFile: { "a.js": ["line 4: error on the other stream"] } });
});

test("a command that was stopped or never started has not passed", async () => {
  const { run } = await verified({
    slow: [says("", { ended: "timeout", exitCode: 0 })],
    none: [says("", { ended: "not_started", problem: "no shell" })],
  });
  expect(await verification(run)).toMatchObject({
    compiled: true,
    commands: [
      { name: "slow", ok: false, errors: 0 },
      { name: "none", ok: false, errors: 0 },
    ],
  });
});

test("a command that the project names runs only after a person has allowed it", async () => {
  const { run, ran } = await verified({}, [
    { name: "mine", command: "run mine", fromProject: false },
    { name: "theirs", command: "run theirs", fromProject: true },
  ]);
  expect(ran).toEqual(["run mine"]);
  expect(await verification(run)).toMatchObject({ notAllowed: ["run theirs"] });
});

test("a command that the project names runs when a person has seen and allowed it with a workflow", async () => {
  const theirs = [{ name: "theirs", command: "run theirs", fromProject: true }];
  const { run, ran } = await verified({}, theirs, ["command: run theirs"]);
  expect(ran).toEqual(["run theirs"]);
  expect(await verification(run)).toMatchObject({ notAllowed: [] });
});

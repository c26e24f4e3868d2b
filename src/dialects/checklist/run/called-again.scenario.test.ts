import { rm } from "node:fs/promises";
import { join } from "node:path";
import { afterEach, describe, expect, test } from "vitest";
import { answer, next, progress, start, type Caller, type Position } from "../../../engine/index.ts";
import { callBot } from "../../bots/run/index.ts";
import { reportCheck, type CheckReport } from "./commands/check-report.ts";
import { samples, type SampleFiles } from "../../../../test/support/calling-samples.ts";
import { inHand, oldCalls } from "../../../../test/support/checklist-sample.ts";
import { expectSound } from "../../../../test/support/checklist-sound.ts";
import { reported } from "../../../../test/support/scripted-team.ts";
import { openTestEngine, type TestEngine } from "../../../../test/support/test-engine.ts";

let engine: TestEngine;
afterEach(() => engine.close());

const person: Caller = { holder: { kind: "person", name: "owner", session: "desk" }, surface: "cli-terminal", leaseOwner: "desk" };
const files = { "a.js": "1;\n", "b.js": "2;\n" };
const inner = samples.checklist("inner");

type Hand = ReturnType<typeof inHand>;
type Reported = Omit<CheckReport, "run">;
interface Doing {
  /** What is reported about an entry; undefined stops the walk there. */
  readonly check?: (hand: Hand, nth: number) => Reported | undefined | Promise<Reported | undefined>;
  readonly message?: () => Promise<void>;
  readonly answers?: string[];
}

interface Walked {
  readonly run: string;
  /** Entries by file and item, messages as "-", in the order in which they were handed out. */
  readonly seen: string[];
  readonly position: Position;
}

async function begin(made: SampleFiles): Promise<string> {
  engine = await openTestEngine({ ...inner, ...files, ...made });
  return (await start(engine.context, engine.caller, { workflow: "outer" })).run;
}

const results: Readonly<Record<string, unknown>> = { bot_action: { summary: "Done." }, role: reported("OK", "Done.") };

async function walk(
  run: string,
  { check = () => ({ status: "completed", result: "read" }), message, answers = [] }: Doing = {},
): Promise<Walked> {
  const { context, caller } = engine;
  const seen: string[] = [];
  for (let turn = 0; turn < 80; turn += 1) {
    const position = await next(context, caller, { run, waitMs: 20_000 });
    const { standing } = position;
    if (standing.kind === "question") {
      const { id, options } = standing.decision;
      await answer(context, person, { run, decision: id, answer: answers.shift() ?? options?.[0]?.value ?? "area", relayed: false });
    } else if (standing.kind === "action" && standing.action.what === "check") {
      const hand = inHand(position);
      seen.push(`${hand.file} ${hand.type === "other" ? "instance" : hand.item}`);
      const report = await check(hand, seen.length);
      if (report === undefined) return { run, seen, position };
      await reportCheck(context, caller, { run, ...report });
    } else if (standing.kind === "action") {
      const { id, what } = standing.action;
      if (what === "user_message") seen.push("-");
      if (what === "user_message") await message?.();
      await progress(context, caller, { run, action: id, status: "success", result: (results[what] ?? null) as never, waitMs: 0 });
    } else {
      if (position.state.status !== "completed") throw new Error(`It stands: ${JSON.stringify(position.state.error ?? standing)}`);
      await expectSound(context, run);
      return { run, seen, position };
    }
  }
  throw new Error(`The run does not end: ${seen.join(", ")}`);
}

const round = ["a.js analyze", "b.js analyze"];
const twice = (called = "inner"): SampleFiles => ({
  ".waymark/workflows/outer.yaml": [
    "name: outer",
    "description: Calls a checklist twice.",
    'version: "1.0.0"',
    "steps:",
    `  - { id: one, type: include_workflow, workflow: ${called} }`,
    "  - { id: mid, type: user_message, message: mid }",
    `  - { id: two, type: include_workflow, workflow: ${called} }`,
    "",
  ].join("\n"),
});

describe("every entry is handed out each time that a checklist is called", () => {
  test("by two steps", async () => {
    const { seen } = await walk(await begin(twice()));
    expect(seen).toEqual([...round, "-", ...round]);
  });

  test("in a loop", async () => {
    const loop = [
      "name: outer",
      "description: Calls a checklist in a loop.",
      'version: "1.0.0"',
      "steps:",
      "  - id: each",
      "    type: foreach",
      "    items: [1, 2, 3]",
      "    steps:",
      "      - { id: one, type: include_workflow, workflow: inner }",
      "",
    ].join("\n");
    const { seen } = await walk(await begin({ ".waymark/workflows/outer.yaml": loop }));
    expect(seen).toEqual([...round, ...round, ...round]);
  });

  test("by a machine, after the workflow that calls the machine", async () => {
    const steps = twice()[".waymark/workflows/outer.yaml"]?.replace(/(id: two.*workflow: )inner/, "$1engineer") ?? "";
    const made = { ".waymark/workflows/outer.yaml": steps, ...samples.machine("engineer", "inner") };
    const { seen } = await walk(await begin(made));
    expect(seen).toEqual([...round, "-", ...round]);
  });

  test("by a bot whose person says that it is not done", async () => {
    const bot = samples.bots("outer", "inner");
    const call = ".waymark/workflows/outer/base_actions/call/action_config.json";
    const made = { ...bot, [call]: (bot[call] ?? "").replace('"auto_progress":true', '"auto_progress":false') };
    const { seen } = await walk(await begin(made), { answers: ["area", "redo", "redo", "done"] });
    expect(seen).toEqual([...round, ...round, ...round]);
  });
});

test("a call that is entered again while rows are open continues with them", async () => {
  const run = await begin(samples.bots("outer", "inner"));
  const stopped = await walk(run, { check: (_hand, nth) => (nth === 2 ? undefined : { status: "completed", result: "read" }) });
  expect(stopped.seen).toEqual(round);
  const { standing } = await callBot(engine.context, engine.caller, { bot: "outer", behaviour: "shape", action: "gather" });
  const decision = standing.kind === "question" ? standing.decision : undefined;
  await answer(engine.context, person, { run, decision: decision?.id ?? "", answer: decision?.options?.[0]?.value ?? "", relayed: false });
  expect((await walk(run)).seen).toEqual(["b.js analyze"]);
});

describe("a new round", () => {
  test("opens what was skipped and what failed, takes files that appeared, and lets go of those that vanished", async () => {
    const run = await begin({ ...twice(), "c.js": "3;\n" });
    const { seen } = await walk(run, {
      check: ({ file }, nth) => {
        if (nth > 4) return { status: "completed", result: "read" };
        return file === "a.js"
          ? { status: "skipped", skipReason: "not now" }
          : { status: file === "b.js" ? "failed" : "completed", error: "no", result: "read" };
      },
      message: async () => {
        await engine.write("d.js", "4;\n");
        await rm(join(engine.folder, "c.js"));
      },
    });
    expect(seen).toEqual([...round, "c.js analyze", "-", ...round, "d.js analyze"]);
    const row = async (id: string): Promise<unknown> => engine.context.store.readItem(run, "inner/files", id);
    expect(await row("a.js#analyze")).toMatchObject({ status: "completed", attempts: 2 });
    expect(await row("c.js")).toMatchObject({ status: "skipped", reason: "The file is gone." });
  });

  test("adds what is found for the first time, and counts what was found before once", async () => {
    const run = await begin(twice());
    const found = (description: string): Reported => ({
      status: "completed",
      findings: [{ severity: "warning", line: 1, description }],
      changes: [{ proposed_code: description }],
    });
    await walk(run, { check: ({ file }, nth) => (file === "b.js" && nth > 2 ? found("another") : found("same")) });
    const { state } = await engine.context.runs.open(run);
    expect(state.lists["findings"]?.total).toBe(3);
    expect(state.lists["changes"]?.total).toBe(3);
  });

  test("asks again about instances that are still there, and not about those that were converted", async () => {
    const workflow = { ".waymark/workflows/old-calls.workflow.yaml": oldCalls.replace(/^ {2}- \{ id: batch_auto.*\n/m, "") };
    const run = await begin({ ...twice("old-calls"), ...workflow, "a.js": "old(x);\n", "b.js": "old(y);\n" });
    const { seen } = await walk(run, {
      check: async ({ file }) => {
        if (file === "a.js") return { status: "skipped", skipReason: "not now" };
        await engine.write("b.js", "fresh(y);\n");
        return { status: "completed", result: "read" };
      },
    });
    expect(seen).toEqual(["a.js instance", "b.js instance", "-", "a.js instance"]);
    expect((await engine.context.runs.open(run)).state.lists["old-calls/files"]?.facets["kind=instance"]).toMatchObject({
      completed: 1,
      skipped: 1,
    });
  });

  test("goes through what the checklist itself calls once more", async () => {
    const run = await begin({ ...twice("middle"), ...samples.checklist("middle", "inner") });
    expect((await walk(run)).seen).toEqual([...round, ...round, "-", ...round, ...round]);
  });
});

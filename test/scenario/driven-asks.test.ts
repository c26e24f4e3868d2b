import { afterEach, expect, test } from "vitest";
import { answer, journal, next, note, start, status, type Caller } from "../../src/engine/index.ts";
import { TranscriptKeeper } from "../../src/runner/keep-transcript.ts";
import { openDriven, type Behaviour, type DrivenRun } from "../support/driven-run.ts";
import { DrivenTime } from "../support/driven-time.ts";
import { openTestEngine, type TestEngine } from "../support/test-engine.ts";

let engine: TestEngine;
let driven: DrivenRun;
afterEach(async () => {
  await driven.close();
  await engine.close();
});

const flow = `
name: ask:flow
description: One task and one judgement
steps:
  - { id: change, type: agent_task, prompt: "Rename the API.", state_update: { path: raw.changed } }
  - { id: judge, type: agent_shell_command, command: "wc -l a.txt", reason: You judge. }
`;

const person: Caller = { holder: { kind: "person", name: "a person", session: "p" }, surface: "cli-terminal", leaseOwner: "p" };

async function begin(behave: Behaviour): Promise<string> {
  engine = await openTestEngine({ ".waymark/workflows/ask__flow.yaml": flow });
  await engine.allow("ask:flow");
  driven = await openDriven(engine, behave);
  const { run } = await start(engine.context, engine.caller, { workflow: "ask:flow", held: false });
  return run;
}

const asks = { question: "Keep the old name as an alias?", options: ["keep", "drop"] };

test("a driven agent puts a question to a person, and its step comes again in the same conversation with the answer", async () => {
  const replies: string[] = [];
  const run = await begin(async (turn, door) => {
    if (turn.prompt.includes("Rename") && !turn.prompt.includes("The answer")) {
      replies.push((await door.call("workflow_ask", asks)).text);
      replies.push((await door.call("workflow_progress", { run_id: run, result: "done" })).text);
      return { usage: { inputTokens: 40, outputTokens: 2 } };
    }
    if (turn.prompt.includes("Rename")) return { text: "renamed" };
    await door.call("workflow_progress", { run_id: run, result: "1" });
    return {};
  });
  const waits = await driven.drive({ run });
  expect(waits).toMatchObject({ kind: "waits", questions: [{ kind: "asked", step: "change", question: asks.question }] });
  expect(replies[0]).toMatch(/Your question is recorded.*End your turn/);
  // What it says after that is not taken for the step's report.
  expect(replies[1]).toMatch(/Your question is recorded.*End your turn/);
  expect((await status(engine.context, run)).handle.state.budget.used.tokens).toBe(42);

  const decision = waits.kind === "waits" ? (waits.questions[0]?.id ?? "") : "";
  const agent: Caller = { ...engine.caller, surface: "mcp-stdio" };
  await expect(answer(engine.context, agent, { run, decision, answer: "keep", relayed: true })).rejects.toMatchObject({
    code: "DECISION_FOR_PERSON",
  });
  await expect(answer(engine.context, person, { run, decision, answer: "perhaps", relayed: false })).rejects.toThrow("must be one of");
  await answer(engine.context, person, { run, decision, answer: "keep", relayed: false });

  expect(await driven.drive({ run })).toMatchObject({ kind: "completed" });
  const [first, second] = driven.turns;
  expect(second?.session).toBeDefined();
  expect(second?.prompt).toContain("Rename the API.");
  expect(second?.prompt).toContain("You asked: Keep the old name as an alias? The answer: keep");
  expect(first?.prompt).not.toContain("Notes");
});

test("an agent that cannot continue its conversation gets the step with the answer in a new one", async () => {
  const run = await begin(async (turn, door) => {
    if (turn.session !== undefined) return { stop: "error", errorKind: "lost", error: "The session is gone.", text: "" };
    if (turn.prompt.includes("Rename") && !turn.prompt.includes("The answer")) await door.call("workflow_ask", asks);
    else if (!turn.prompt.includes("Rename")) await door.call("workflow_progress", { run_id: run, result: "1" });
    return {};
  });
  const waits = await driven.drive({ run });
  const decision = waits.kind === "waits" ? (waits.questions[0]?.id ?? "") : "";
  await answer(engine.context, person, { run, decision, answer: "keep", relayed: false });
  expect(await driven.drive({ run })).toMatchObject({ kind: "completed" });
  expect(driven.turns.filter(({ prompt }) => prompt.includes("The answer: keep")).map(({ session }) => session === undefined)).toEqual([
    false,
    true,
  ]);
});

test("on a terminal the question is asked in place, and the step continues", async () => {
  const run = await begin(async (turn, door) => {
    if (turn.prompt.includes("Rename") && !turn.prompt.includes("The answer")) await door.call("workflow_ask", asks);
    else if (!turn.prompt.includes("Rename")) await door.call("workflow_progress", { run_id: run, result: "1" });
    return {};
  });
  const end = await driven.drive({
    run,
    ask: async (_position, { id }) => {
      await answer(engine.context, person, { run, decision: id, answer: "drop", relayed: false });
      return true;
    },
  });
  expect(end).toMatchObject({ kind: "completed" });
  expect(driven.turns).toHaveLength(3);
});

test("a question needs words, and a choice needs more than one", async () => {
  const replies: string[] = [];
  const run = await begin(async (turn, door) => {
    if (!turn.prompt.includes("Rename")) return {};
    for (const args of [{}, { question: " " }, { question: "Which?", options: ["only"] }, { question: "Which?", options: ["a", "a"] }])
      replies.push((await door.call("workflow_ask", args)).text);
    return { text: "renamed" };
  });
  await driven.drive({ run });
  expect(replies).toHaveLength(4);
  for (const text of replies) expect(text).toMatch(/question|options/);
  expect((await status(engine.context, run)).handle.state.decisions).toEqual({});
});

test("what an agent used and was not allowed is recorded with steps that it reports itself", async () => {
  const run = await begin(async (turn, door) => {
    if (turn.prompt.includes("Rename")) return { text: "renamed", usage: { inputTokens: 10, outputTokens: 1, costUsd: 0.5 } };
    await door.call("workflow_progress", { run_id: run, result: "1" });
    return { usage: { inputTokens: 100, outputTokens: 5, costUsd: 0.25 }, denied: ["rm -rf build"] };
  });
  expect(await driven.drive({ run })).toMatchObject({ kind: "completed" });
  expect((await status(engine.context, run)).handle.state.budget.used).toMatchObject({ tokens: 116, money: 0.75 });
  expect(JSON.stringify(await journal(engine.context, run, 0, 100))).toContain("rm -rf build");
});

test("an agent cannot give itself a budget by what it says that it used", async () => {
  const replies: boolean[] = [];
  const run = await begin(async (turn, door) => {
    if (turn.prompt.includes("Rename")) return { text: "renamed", usage: { inputTokens: 10 } };
    for (const tokens of [-1000, 70])
      replies.push((await door.call("workflow_progress", { run_id: run, result: "1", usage: { tokens } })).isError);
    return { usage: { inputTokens: 100 } };
  });
  expect(await driven.drive({ run })).toMatchObject({ kind: "completed" });
  expect(replies).toEqual([true, false]);
  expect((await status(engine.context, run)).handle.state.budget.used.tokens).toBe(110);
});

test("a person's note reaches the agent of a task", async () => {
  const run = await begin(async (turn, door) => {
    if (!turn.prompt.includes("Rename")) await door.call("workflow_progress", { run_id: run, result: "1" });
    return { text: "done" };
  });
  await note(engine.context, person, { run, text: "The tests are in spec/." });
  await next(engine.context, engine.caller, { run }).catch(() => undefined);
  await engine.context.holding.release(engine.caller.leaseOwner);
  expect(await driven.drive({ run })).toMatchObject({ kind: "completed" });
  expect(driven.turns.map(({ prompt }) => prompt).join("\n")).toContain("The tests are in spec/.");
});

test("a turn whose step ran out of time is cancelled, and the run follows the step's policy", async () => {
  const limited = `
name: ask:flow
description: A task with a limit
steps:
  - { id: slow, type: agent_task, prompt: "Take your time.", timeout: 60000, on_error: continue }
  - { id: after, type: agent_task, prompt: "Go on." }
`;
  let cancelled = false;
  const time = new DrivenTime();
  engine = await openTestEngine({ ".waymark/workflows/ask__flow.yaml": limited }, {}, time);
  await engine.allow("ask:flow");
  driven = await openDriven(engine, async ({ prompt, signal }) => {
    if (!prompt.includes("Take your time")) return {};
    const stopped = new Promise<void>((resolve) => signal?.addEventListener("abort", () => resolve(), { once: true }));
    while (signal?.aborted !== true) await time.advance(1_000);
    await stopped;
    cancelled = true;
    return { stop: "cancelled" };
  });
  const { run } = await start(engine.context, engine.caller, { workflow: "ask:flow", held: false });
  expect(await driven.drive({ run })).toMatchObject({ kind: "completed" });
  expect(cancelled).toBe(true);
  expect(driven.turns.map(({ prompt }) => prompt)).toEqual(["Take your time.", "Go on."]);
});

test("what an agent does is in the transcript a moment later, in order, while its turn still runs", async () => {
  const time = new DrivenTime();
  engine = await openTestEngine({}, {}, time);
  driven = await openDriven(engine, async () => ({}));
  const keeper = new TranscriptKeeper(engine.context, { run: "wf-x", action: "a1", step: "one", strand: "main", agent: "scripted" });
  const kept = async (): Promise<readonly string[]> => (await driven.kept("wf-x")).map(({ event }) => event.type);
  await keeper.add({ type: "message", text: "I run the tests." });
  await keeper.add({ type: "tool", id: "t1", name: "Bash", status: "running" });
  expect(await kept()).toEqual([]);
  await time.advance(250);
  await expect.poll(kept, { timeout: 30_000 }).toEqual(["message", "tool"]);
  await keeper.add({ type: "thinking", text: "Hm." });
  await keeper.add({ type: "session", sessionId: "s", resumed: "new" });
  expect(await kept()).toEqual(["message", "tool", "thinking", "session"]);
});

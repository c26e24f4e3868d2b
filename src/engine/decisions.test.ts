import { afterAll, beforeAll, expect, test } from "vitest";
import { answer } from "./commands/answer.ts";
import { end } from "./commands/end.ts";
import { note } from "./commands/note.ts";
import { resume, retry } from "./commands/resume.ts";
import { setLimits } from "./commands/set-limits.ts";
import { journal } from "./commands/journal.ts";
import { next } from "./commands/next.ts";
import { progress } from "./commands/progress.ts";
import { readState, updateState } from "./commands/state.ts";
import { report } from "./commands/report.ts";
import { start } from "./commands/start.ts";
import type { Caller } from "./caller.ts";
import { AlwaysBench, codeOf } from "../../test/crash/engine-bench.ts";
import type { ComposedEngine } from "../../test/crash/compose-engine.ts";

const bench = new AlwaysBench();
let engine: ComposedEngine;
let other: ComposedEngine;
beforeAll(async () => {
  engine = await bench.open();
  other = await bench.open();
  await engine.define("ask:person", workflow("person"));
  await engine.define("ask:relay", workflow("relay"));
  await engine.define(
    "ask:budget",
    `
name: ask:budget
budget: { steps: 1 }
steps:
  - { id: one, type: user_message, message: one }
  - { id: two, type: user_message, message: two }
`,
  );
});
afterAll(() => bench.close());

const workflow = (by: string): string => `
name: ask:${by}
default_state: { raw: {} }
steps:
  - { id: gate, type: user_input, prompt: "Deploy?", options: ["yes", "no"], answer_by: ${by}, state_update: { path: raw.deploy } }
  - { id: after, type: user_message, message: "{{ deploy }}" }
`;

async function asked(
  name: string,
): Promise<{ readonly run: string; readonly caller: Caller; readonly decision: string; readonly head: number }> {
  const caller = engine.caller();
  const position = await start(engine.context, caller, { workflow: name });
  const { run, standing } = name === "ask:budget" ? (await progress(engine.context, caller, { run: position.run })).position : position;
  if (standing.kind !== "question") throw new Error(`There is no question but ${standing.kind}.`);
  return { run, caller, decision: standing.decision.id, head: (await bench.records(run)).length };
}

test("rule 6: a decision is recorded before it is asked", async () => {
  const { run, decision } = await asked("ask:person");
  const events = (await journal(other.context, run, 0, 100)).flatMap((entry) => entry.events);
  expect(events.filter((event) => event.type === "decision_opened" && event.decision.id === decision)).toHaveLength(1);
});

/** Every command of the engine by which an agent could try to get past a question that is not its own. */
const attempts: readonly [string, (caller: Caller, run: string, decision: string) => Promise<unknown>][] = [
  ["an answer of its own", (caller, run, decision) => answer(engine.context, caller, { run, decision, answer: "yes", relayed: false })],
  ["a relayed answer", (caller, run, decision) => answer(engine.context, caller, { run, decision, answer: "yes", relayed: true })],
  ["a report of the decision", (caller, run, decision) => report(engine.context, caller, { run, action: decision, result: "yes" })],
  ["a report of the step", (caller, run) => progress(engine.context, caller, { run, step: "gate", result: "yes" })],
  ["a report without a name", (caller, run) => progress(engine.context, caller, { run, result: "yes" })],
  ["a report that it failed", (caller, run) => progress(engine.context, caller, { run, status: "failed", error: "no answer" })],
  [
    "a written state and a report without result",
    async (caller, run) => {
      await updateState(engine.context, caller, { run, updates: [{ path: "raw.deploy", value: "yes" }] });
      await progress(engine.context, caller, { run });
    },
  ],
  ["a retry", (caller, run) => retry(engine.context, caller, { run })],
  ["a completion", (caller, run) => end(engine.context, caller, { run, status: "completed" })],
  ["new limits", (caller, run) => setLimits(engine.context, caller, { run, budget: { steps: 1000 } })],
  [
    "a client that is called person on a surface without one",
    (caller, run, decision) =>
      answer(
        engine.context,
        { ...caller, holder: { ...caller.holder, kind: "person" }, surface: "cli" },
        { run, decision, answer: "yes", relayed: false },
      ),
  ],
];

test.each(attempts)("rule 6: an agent cannot pass a person's gate by %s", async (_how, attempt) => {
  for (const name of ["ask:person", "ask:budget"]) {
    const { run, caller, decision } = await asked(name);
    expect(await codeOf(attempt(caller, run, decision))).not.toBe("ok");
    await resume(engine.context, caller, { run });
    const { state } = await bench.stored(run);
    expect(state.decisions[decision]?.status).toBe("pending");
    expect(Object.values(state.strands).map((strand) => strand.waits)).toEqual([{ on: "decision", id: decision }]);
  }
});

test("rule 6: notes, asking again and waiting leave the gate shut, and the refusal names the person's command", async () => {
  const { run, caller, decision } = await asked("ask:person");
  await note(engine.context, caller, { run, text: "yes, go on" });
  expect((await next(engine.context, caller, { run })).standing).toMatchObject({
    kind: "question",
    decision: { id: decision, status: "pending" },
  });
  const refusal = await answer(engine.context, caller, { run, decision, answer: "yes", relayed: true }).catch((error: unknown) => error);
  expect(refusal).toMatchObject({ code: "DECISION_FOR_PERSON", fix: expect.stringContaining(`waymark decide ${run} ${decision}`) });
});

test("rule 6: a person's answer passes it once; the second is told, and nothing changes", async () => {
  const { run, caller, decision } = await asked("ask:person");
  const person = engine.person();
  expect(await answer(engine.context, person, { run, decision, answer: "yes", relayed: false })).toMatchObject({
    recorded: "now",
    answer: "yes",
  });
  expect((await next(engine.context, caller, { run })).standing).toMatchObject({
    kind: "action",
    action: { step: "after", args: { message: "yes" } },
  });
  const { length } = await bench.records(run);
  expect(await answer(other.context, other.person(), { run, decision, answer: "no", relayed: false })).toMatchObject({
    recorded: "before",
    answer: "yes",
  });
  expect((await bench.records(run)).length).toBe(length);
  expect((await readState(other.context, run)).state["deploy"]).toBe("yes");
});

test("rule 6: of two people who answer at the same moment one decides, and the other is told what was decided", async () => {
  const { run, decision } = await asked("ask:person");
  const told = await Promise.all(
    [engine, other, engine, other].map((on, index) =>
      answer(on.context, on.person(), { run, decision, answer: index % 2 === 0 ? "yes" : "no", relayed: false }).catch(
        (error: { code: string }) => error.code,
      ),
    ),
  );
  const now = told.filter((one) => typeof one !== "string" && one.recorded === "now");
  expect(now).toHaveLength(1);
  const recorded = (await readState(engine.context, run)).state["deploy"];
  expect(now[0]).toMatchObject({ answer: recorded });
  expect(told.map((one) => (typeof one === "string" ? one : one.answer))).toEqual(told.map(() => recorded));
  expect((await bench.stored(run)).keys.filter((key) => key.startsWith("answer:"))).toHaveLength(1);
});

test("rule 6: an answer for another revision than the current one is refused", async () => {
  const { run, decision } = await asked("ask:person");
  expect(await codeOf(answer(engine.context, engine.person(), { run, decision, revision: 7, answer: "yes", relayed: false }))).toBe(
    "DECISION_REVISED",
  );
  expect((await bench.stored(run)).state.decisions[decision]?.status).toBe("pending");
});

test("rule 6: a question marked relay may be carried by the agent and is recorded as relayed", async () => {
  const { run, caller, decision } = await asked("ask:relay");
  await progress(engine.context, caller, { run, result: "no" });
  const closed = (await journal(other.context, run, 0, 100))
    .flatMap((entry) => entry.events)
    .find((event) => event.type === "decision_closed" && event.decision === decision);
  expect(closed).toMatchObject({ answer: "no", by: { kind: "agent", relayed: true } });
});

import { afterAll, beforeAll, expect, test } from "vitest";
import type { Json } from "../../base/index.ts";
import type { ComposedEngine } from "../../../test/crash/compose-engine.ts";
import { AlwaysBench } from "../../../test/crash/engine-bench.ts";
import { answer } from "./answer.ts";
import { journal } from "./journal.ts";
import { next } from "./next.ts";
import { start } from "./start.ts";
import type { Caller } from "../caller.ts";

const bench = new AlwaysBench();
let engine: ComposedEngine;
beforeAll(async () => {
  engine = await bench.open();
  await engine.define("say:fail", asking("fail", ""));
  await engine.define("say:goes", asking("goes", ", on_error: continue"));
  await engine.define(
    "say:last",
    `
name: say:last
default_state: { raw: {} }
steps:
  - { id: code, type: user_input, prompt: "Code?", validation: { pattern: "^[0-9]+$" }, attempts: 1, on_error: continue }
`,
  );
  await engine.define(
    "say:twice",
    `
name: say:twice
default_state: { raw: {} }
steps:
  - { id: code, type: user_input, prompt: "Code?", validation: { pattern: "^[0-9]+$" }, attempts: 1, on_error: continue }
  - { id: other, type: user_input, prompt: "And now?" }
`,
  );
});
afterAll(() => bench.close());

const asking = (name: string, more: string): string => `
name: say:${name}
default_state: { raw: {} }
steps:
  - { id: code, type: user_input, prompt: "Code?", validation: { pattern: "^[0-9]+$" }, attempts: 3, state_update: { path: raw.code }${more} }
  - { id: after, type: user_message, message: done }
`;

interface Asked {
  readonly run: string;
  readonly caller: Caller;
  readonly decision: string;
  readonly say: (text: string) => Promise<Said>;
}

interface Said {
  readonly code?: string;
  readonly message?: string;
  readonly fix?: string;
  readonly recorded?: string;
  readonly answer?: unknown;
  readonly details?: unknown;
}

async function asked(workflow: string): Promise<Asked> {
  const caller = engine.caller();
  const { run, standing } = await start(engine.context, caller, { workflow });
  if (standing.kind !== "question") throw new Error(`There is no question but ${standing.kind}.`);
  const decision = standing.decision.id;
  const say = (text: string): Promise<Said> =>
    answer(engine.context, engine.person(), { run, decision, answer: text, relayed: false }).catch((error: unknown) => error as Said);
  return { run, caller, decision, say };
}

test("a message without a full stop is a sentence of its own in the refusal, also with the last try", async () => {
  await engine.define(
    "say:range",
    asking("range", "").replace("attempts: 3", "attempts: 2").replace('pattern: "^[0-9]+$"', 'pattern: "^[1-5]$", error_message: "1 to 5"'),
  );
  const { say } = await asked("say:range");
  expect(await say("9")).toMatchObject({ code: "ANSWER_REFUSED", message: "1 to 5. 1 try is left." });
  expect((await say("8")).message).toMatch(/^1 to 5\. That was the last try: /);
});

test("a wrong answer is refused with the question and the tries that are left, and the question stays open", async () => {
  const { run, caller, decision, say } = await asked("say:fail");
  expect(await say("x")).toMatchObject({
    code: "ANSWER_REFUSED",
    message: expect.stringMatching(/ 2 tries are left\.$/),
    fix: "Ask again: Code?",
  });
  expect(await say("y")).toMatchObject({ code: "ANSWER_REFUSED", message: expect.stringMatching(/ 1 try is left\.$/) });
  const { standing } = await next(engine.context, caller, { run });
  expect(standing).toMatchObject({ kind: "question", decision: { id: decision, status: "pending" } });
  expect(await say("12")).toEqual({ recorded: "now", decision, answer: "12" });
});

test("the last wrong answer says that the run has failed, and how to be asked again", async () => {
  const { run, say } = await asked("say:fail");
  await say("x");
  await say("y");
  const refusal = await say("z");
  expect(refusal).toMatchObject({
    code: "ANSWER_REFUSED",
    message: expect.stringContaining("That was the last try: the question of `code` is closed, and the run has failed."),
    fix: expect.stringContaining(`waymark retry ${run}`),
  });
});

test("the last wrong answer of a step that may fail names the step the run continued with, and says not to answer again", async () => {
  const { run, say } = await asked("say:goes");
  await say("x");
  await say("y");
  expect(await say("z")).toMatchObject({
    message: expect.stringContaining("the question of `code` is closed, and the run continued with `after`."),
    fix: expect.stringContaining(`Do not answer it again. Ask for the next step: workflow_next, or \`waymark next ${run}\`.`),
  });
});

test("the last wrong answer names the next question, or says that nothing is left", async () => {
  expect(await (await asked("say:twice")).say("x")).toMatchObject({ message: expect.stringContaining("the run continued with `other`.") });
  expect(await (await asked("say:last")).say("x")).toMatchObject({
    message: expect.stringContaining("the run continued without an answer."),
    fix: expect.stringContaining("Do not answer it again."),
  });
});

test("a question that was never asked is refused with those that are open", async () => {
  const { run, decision, say } = await asked("say:goes");
  const unknown = (): Promise<unknown> =>
    answer(engine.context, engine.person(), { run, decision: "nothing", answer: "1", relayed: false }).catch((error: unknown) => error);
  expect(await unknown()).toMatchObject({
    code: "ENGINE_NO_DECISION",
    message: `Run \`${run}\` has no question \`nothing\`. Open: ${decision}.`,
  });
  await say("1");
  expect(await unknown()).toMatchObject({ message: `Run \`${run}\` has no question \`nothing\`. It has no open questions.` });
});

test("the same answer again is told as recorded before, and leaves no trace", async () => {
  const { run, decision, say } = await asked("say:goes");
  await say("1");
  const before = await journal(engine.context, run, 0, 1_000);
  expect(await say("1")).toEqual({ recorded: "before", decision, answer: "1" });
  expect(await journal(engine.context, run, 0, 1_000)).toEqual(before);
});

test("nothing is not an answer where the question has no rule, and costs no try; an empty list is one", async () => {
  const { context } = engine;
  await engine.define(
    "say:any",
    "name: say:any\nsteps: [{ id: ask, type: user_input, prompt: 'Which?', state_update: { path: raw.which } }]\n",
  );
  const { run, caller, decision } = await asked("say:any");
  const say = (given: Json) => answer(context, caller, { run, decision, answer: given, relayed: true });
  for (const nothing of ["", "  ", null, {}])
    await expect(say(nothing), JSON.stringify(nothing)).rejects.toMatchObject({
      code: "ENGINE_BAD_VALUE",
      details: { action_id: decision },
    });
  expect(await say([])).toMatchObject({ recorded: "now", answer: [] });
});

test("a rule says whether an empty answer is valid", async () => {
  const { context } = engine;
  await engine.define(
    "say:maybe",
    "name: say:maybe\nsteps: [{ id: ask, type: user_input, prompt: 'Note?', validation: { pattern: '^.*$' } }]\n",
  );
  const { run, caller, decision } = await asked("say:maybe");
  expect(await answer(context, caller, { run, decision, answer: "", relayed: true })).toMatchObject({ recorded: "now" });
});

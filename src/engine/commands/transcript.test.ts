import { afterEach, beforeEach, expect, test } from "vitest";
import { openTestEngine, type TestEngine } from "../../../test/support/test-engine.ts";
import type { TranscriptEntry } from "../../ports/index.ts";
import { readAll } from "../../store/transcripts.contract.ts";
import { liveFacts } from "../../views/index.ts";
import { doctor } from "./doctor.ts";
import { end } from "./end.ts";
import { prune, removeRun } from "./prune.ts";
import { start } from "./start.ts";
import { transcript } from "./transcript.ts";

const workflow = `name: keyed
description: Has a secret
version: "1.0.0"
inputs:
  key: { type: string, secret: true }
  pin: { type: number, secret: true, default: 1500 }
  word: { type: string, secret: true, default: thinking }
steps:
  - { id: one, type: user_message, message: one }
`;

const secret = "hunter2 is my 'secret' key";

let engine: TestEngine;
let run: string;
beforeEach(async () => {
  engine = await openTestEngine({ ".waymark/workflows/keyed.yaml": workflow });
  run = await begin();
});
afterEach(() => engine.close());

const begin = async (): Promise<string> => (await start(engine.context, engine.caller, { workflow: "keyed", inputs: { key: secret } })).run;

const entry = (event: TranscriptEntry["event"], of = run): TranscriptEntry => ({
  at: 5,
  run: of,
  action: "a1",
  step: "one",
  strand: "main",
  agent: "claude",
  event,
});
const message = (text: string, of = run): TranscriptEntry => entry({ type: "message", text }, of);

async function shown(of = run): Promise<TranscriptEntry["event"][]> {
  const events: TranscriptEntry["event"][] = [];
  for await (const { event } of transcript(engine.context, of)) events.push(event);
  return events;
}

test("what is shown has no secret input in it, in whatever form it was used", async () => {
  const input = { command: `deploy ${secret.replaceAll("'", "'\\''")}`, env: { KEY: secret }, text: JSON.stringify({ secret }) };
  await engine.context.transcripts.append([
    entry({ type: "prompt", text: `Use ${secret}.` }),
    message(`I use ${secret} now.`),
    entry({ type: "tool", id: "t", name: "Bash", status: "done", input, output: `ok ${secret}` }),
  ]);
  const events = await shown();
  expect(events).toMatchObject([{ text: "Use ********." }, { text: "I use ******** now." }, { output: "ok ********" }]);
  expect(JSON.stringify(events)).not.toContain("hunter2");
});

test("kinds and counts stay what they are, also where a secret is the same word or number", async () => {
  const usage = { inputTokens: 1500, costUsd: 1500 };
  await engine.context.transcripts.append([
    entry({ type: "thinking", text: "I am thinking." }),
    entry({ type: "usage", usage }),
    entry({ type: "result", sessionId: "s", stop: "end", text: "The pin is 1500.", usage, denied: [] }),
  ]);
  expect(await shown()).toMatchObject([{ type: "thinking", text: "I am ********." }, { usage }, { usage, text: "The pin is ********." }]);
  const { program, state } = await engine.context.runs.open(run);
  const facts = liveFacts({ id: run, program, state }, { strands: {}, used: { tokens: 1500, costUsd: 1500 } });
  expect(facts.used).toEqual({ tokens: 1500, costUsd: 1500 });
});

test("a secret that a cut goes through is masked as well", async () => {
  for (const kept of [4, 10, secret.length - 1]) {
    const output = `${"x".repeat(16_000 - kept)}${secret} and more`;
    await engine.context.transcripts.append([entry({ type: "tool", id: "t", name: "Read", status: "done", output })]);
  }
  const text = JSON.stringify(await shown());
  expect(text.match(/x\*{8}\.\.\. \(cut, \d+ characters\)/g)).toHaveLength(3);
  expect(text).not.toContain("hunt");
});

test("a run that is not there is refused, one without a transcript has no entries", async () => {
  expect(await shown()).toEqual([]);
  await expect(shown("wf-none")).rejects.toMatchObject({ code: "ENGINE_NO_RUN" });
});

test("a transcript is removed with its run, and only with it", async () => {
  const { context, caller } = engine;
  const [pruned, open] = [await begin(), await begin()];
  await context.transcripts.append([run, pruned, open].map((of) => message("kept", of)));
  await end(context, caller, { run: pruned, status: "cancelled" });
  const left = async (of: string): Promise<number> => (await readAll(context.transcripts.read(of))).length;
  const all = async (): Promise<number[]> => [await left(run), await left(pruned), await left(open)];
  await prune(context, Number.MAX_SAFE_INTEGER, true);
  expect(await all()).toEqual([1, 1, 1]);
  await prune(context, Number.MAX_SAFE_INTEGER, false);
  expect(await all()).toEqual([1, 0, 1]);
  await removeRun(context, run);
  expect(await all()).toEqual([0, 0, 1]);
});

test("the doctor counts transcripts, of all runs or of one", async () => {
  const { context } = engine;
  const other = await begin();
  expect((await doctor(context)).transcripts).toEqual({ runs: 0, entries: 0 });
  await context.transcripts.append([message("a"), message("b"), message("c", other)]);
  expect((await doctor(context)).transcripts).toEqual({ runs: 2, entries: 3 });
  expect((await doctor(context, run)).transcripts).toEqual({ runs: 1, entries: 2 });
});

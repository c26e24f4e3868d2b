import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { openTestEngine, type TestEngine } from "../../../../test/support/test-engine.ts";
import type { DecisionRecord } from "../definition/index.ts";
import { emptyMemory, type MachineMemory } from "./machine-memory.ts";
import type { MachineRun } from "./machine-run.ts";
import { editedTexts, keepTexts, ownTexts } from "./own-texts.ts";

let engine: TestEngine;
beforeAll(async () => {
  engine = await openTestEngine({});
});
afterAll(() => engine.close());

const gate = { step: "gate", gate: { changes: { history: "history.jsonl" } } };
const definition = {
  states: { A: { steps: [gate, { step: "dispatch" }] }, B: { steps: [gate, { step: "gate", gate: {} }] } },
  artifacts: { report: { path: "report.md" } },
  roles: { Writer: { artifacts: ["report"] }, Coder: { artifacts: [] } },
};
const memory = (more: Partial<MachineMemory> = {}): MachineMemory => ({ ...emptyMemory, ...more });
let sessions = 0;

async function session(text?: string): Promise<{ readonly run: MachineRun; readonly now: () => Promise<string> }> {
  sessions += 1;
  const folder = `sessions/s${sessions}`;
  if (text !== undefined) await engine.write(`${folder}/history.jsonl`, text);
  const run = { definition, folder } as unknown as MachineRun;
  return { run, now: () => readFile(join(engine.folder, folder, "history.jsonl"), "utf8") };
}

/** What is kept after an effect that found this text where the other was known. */
async function kept(text: string, before: Partial<MachineMemory>, after: Partial<MachineMemory> = before, begins = false) {
  const { run, now } = await session(text);
  const result = await keepTexts(engine.context, run, { before: memory(before), memory: memory(after), begins });
  return { ...result, now: await now() };
}
const known = (text: string) => ({ texts: { "history.jsonl": text } });

test("histories of gates are Waymark's own, and the report when Waymark wrote it and no role does", async () => {
  const { run } = await session();
  const own = (more: Partial<MachineMemory>) => ownTexts(run, memory(more));
  expect(own({})).toEqual(["history.jsonl"]);
  const written = { "report.md": "h" };
  expect(own({ written })).toEqual(["history.jsonl", "report.md"]);
  expect(own({ written, roles: { Coder: 2, Writer: 0 } })).toEqual(["history.jsonl", "report.md"]);
  expect(own({ written, roles: { Writer: 1 } })).toEqual(["history.jsonl"]);
});

test("a text that somebody changed or removed is told with what it is now, and one that is not known is not", async () => {
  const { run } = await session("theirs\n");
  expect(await editedTexts(engine.context, run, memory(known("ours\n")))).toEqual({ "history.jsonl": "theirs\n" });
  expect(await editedTexts(engine.context, run, memory(known("theirs\n")))).toEqual({});
  expect(await editedTexts(engine.context, run, memory())).toEqual({});
  expect(await editedTexts(engine.context, (await session()).run, memory(known("ours\n")))).toEqual({ "history.jsonl": "" });
});

test("what somebody else changed is written again and kept as an edit", async () => {
  expect(await kept("theirs\n", known("ours\n"))).toEqual({ ...known("ours\n"), edits: { "history.jsonl": "theirs\n" }, now: "ours\n" });
  const before = known("ours\n");
  const same = await kept("ours\n", before);
  expect(same).toEqual({ ...before, edits: {}, now: "ours\n" });
  expect(same.texts).toBe(before.texts);
});

test("what is there when nothing is known yet is taken as it is", async () => {
  expect(await kept("first\n", {})).toEqual({ ...known("first\n"), edits: {}, now: "first\n" });
  expect(await kept("first\n", {}, {}, true)).toEqual({ ...known("first\n"), edits: {}, now: "first\n" });
  const { run } = await session();
  const step = { before: memory(), memory: memory(), begins: false };
  expect(await keepTexts(engine.context, run, step)).toEqual({ texts: {}, edits: {} });
});

const line = (at: string, answer = "more"): string => `${JSON.stringify({ at, answer })}\n`;
const queued = (at: string) => ({ tracking: { gate: "g", correction_status: "queued" as const, agent: "Coder", at } });

test("the line of a request for changes is Waymark's own, also when it was added again after a crash", async () => {
  const before = known(line("1"));
  const after = { ...before, ...queued("2") };
  expect(await kept(`${line("1")}${line("2")}`, before, after)).toMatchObject({ ...known(`${line("1")}${line("2")}`), edits: {} });
  const doubled = await kept(`${line("1")}${line("1.5")}${line("2")}`, before, after);
  expect(doubled).toEqual({ ...known(`${line("1")}${line("2")}`), edits: {}, now: `${line("1")}${line("2")}` });
});

test("what somebody else put beside that line is taken out and kept as an edit", async () => {
  const before = known(line("1").trimEnd());
  const text = `${line("1")}${line("1.5", "forged")}${line("2")}`;
  const whole = `${line("1")}${line("2")}`;
  expect(await kept(text, before, { ...before, ...queued("2") })).toEqual({
    ...known(whole),
    edits: { "history.jsonl": text },
    now: whole,
  });
  const replaced = await kept(`forged\n${line("2")}`, before, { ...before, ...queued("2") });
  expect(replaced).toMatchObject({ ...known(whole), edits: { "history.jsonl": `forged\n${line("2")}` } });
  const earlier = { ...before, ...queued("2") };
  expect((await kept(whole, earlier, earlier)).now).toBe(line("1").trimEnd());
});

test("the change of somebody else is the text once a person takes it over", async () => {
  const decision = (status: DecisionRecord["status"], answer: string | null) => [{ decision_id: "UD-1", status, answer } as DecisionRecord];
  const edits = { "history.jsonl": "theirs\n" };
  const before = { ...known("ours\n"), edits, decisions: decision("pending", null) };
  const settled = (answer: string) => kept("ours\n", before, { ...known("ours\n"), decisions: decision("answered", answer) });
  expect(await settled("take-over")).toEqual({ ...known("theirs\n"), edits: {}, now: "theirs\n" });
  expect(await settled("restore")).toEqual({ ...known("ours\n"), edits: {}, now: "ours\n" });
  expect((await kept("ours\n", before, before)).now).toBe("ours\n");
});

import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { openTestEngine, type TestEngine } from "../../../../test/support/test-engine.ts";
import type { DecisionRecord, GateDefinition, SessionTask } from "../definition/index.ts";
import { differenceOf, editedTexts, engineTexts, keepTexts, planOf, shownState, statusOf, withRecord } from "./engine-files.ts";
import { emptyMemory, type MachineMemory, type MachineRun } from "./machine-run.ts";
import { howToAnswer, mentioned, mentioning } from "./pose-question.ts";

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
  const own = (more: Partial<MachineMemory>) => engineTexts(run, memory(more));
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

/** The lines that a difference takes away and adds. */
const changed = (before: string, after: string): string[] =>
  differenceOf("f", before, after)
    .split("\n")
    .filter((line) => /^[-+](?![-+])/.test(line));

test("the difference of two texts begins with the first place where they differ and ends with the last", () => {
  expect(differenceOf("f", "same\n", "same\n")).toBe("");
  expect(changed("a\nb\nc\n", "a\nx\nc\n")).toEqual(["-b", "+x"]);
  expect(changed("a\nb\nc\nd\n", "a\nx\nc\ny\n")).toEqual(["-b", "-c", "-d", "+x", "+c", "+y"]);
  expect(changed("a\n", "a\nb\n")).toEqual(["+b"]);
  expect(changed("a\nb\n", "a\n")).toEqual(["-b"]);
  expect(changed("a\na\n", "a\na\na\n")).toEqual(["+a"]);
  expect(changed("", "a\n")).toEqual(["+a"]);
});

test("a gate tells the words that answer it", () => {
  const gate = (of: Partial<GateDefinition>): string => howToAnswer({ choices: {}, ...of } as GateDefinition);
  expect(gate({ passes: "approve" })).toBe("Answer `approve`.");
  expect(gate({ choices: { a: "first", b: "second" } })).toBe("Answer `a` or `b`.");
  expect(gate({ passes: "approve", changes: { prefix: "changes:" } as NonNullable<GateDefinition["changes"]> })).toBe(
    "Answer `approve`, or `changes: <what to change>`.",
  );
});

test("a name is mentioned as a whole word, and not inside a longer name", () => {
  const names = ["AC-1", "AC-10", "npm test", "a.ts", ""];
  expect(mentioned("AC-10, please", names)).toEqual(["AC-10"]);
  expect(mentioned("AC-1 and AC-10.", names)).toEqual(["AC-10", "AC-1"]);
  expect(mentioned("`npm test` for a.ts", names)).toEqual(["npm test", "a.ts"]);
  expect(mentioned("AC-1-x, a.tsx, x.a.ts, xAC-1", names)).toEqual([]);
  const pattern = new RegExp(`^${mentioning(names)}$`);
  expect(["waive: AC-1", "AC-2", "for\na.ts now", "axts"].map((text) => pattern.test(text))).toEqual([true, false, true, false]);
});

const decision = (decision_id: string, status: DecisionRecord["status"], state_context = "DESIGN"): DecisionRecord =>
  ({ decision_id, status, state_context }) as DecisionRecord;
const blocker = { code: "C", detail: "d", since: "s", recovery: "r" };

test("the state that is shown is that of what a person has to do, if there is something", () => {
  expect(shownState(memory({}), "PLAN")).toBe("PLAN");
  expect(shownState(memory({ decisions: [decision("UD-1", "answered")] }), "PLAN")).toBe("PLAN");
  expect(shownState(memory({ decisions: [decision("UD-1", "pending"), decision("UD-2", "answered")] }), "PLAN")).toBe("ASK_USER");
  expect(shownState(memory({ decisions: [decision("UD-APPROVE", "pending", "APPROVE_DESIGN")] }), "PLAN")).toBe("APPROVE_DESIGN");
  expect(shownState(memory({ blocker, decisions: [decision("UD-1", "pending")] }), "PLAN")).toBe("BLOCKED");
});

const status = (more: Partial<MachineMemory>, states: object = { PLAN: {} }) =>
  statusOf({ session: "s1", definition: { name: "own", states } } as unknown as MachineRun, memory(more), "PLAN", "now");

test("a status tells of a correction who was sent, for the whole session", () => {
  const tracking = { gate: "g", correction_status: "queued" as const, agent: "Architect", at: "then" };
  expect(status({}).gate_tracking).toBeNull();
  expect(status({ tracking }).gate_tracking).toEqual({
    correction_status: "queued",
    last_correction_dispatch: { agent: "Architect", task_id: "meta", at: "then" },
    kept: {},
  });
  expect(status({ tracking: { ...tracking, agent: null } }).gate_tracking?.last_correction_dispatch).toMatchObject({
    agent: null,
    task_id: null,
  });
});

test("a status keeps keys of others, flags only when they are known, and names a machine with states of its own", () => {
  expect(status({ kept: { x: 1 } })).toMatchObject({
    current_state: "PLAN",
    session: "s1",
    runtime_flags: null,
    last_update: "now",
    kept: { x: 1 },
  });
  expect(status({}).kept).toEqual({});
  const flags = { copilot_instructions_exists: true, copilot_checked_at: null };
  expect(status({ flags }).runtime_flags).toEqual({ ...flags, kept: {} });
  expect(status({}, { PLAN: {}, ODD: {} }).kept).toEqual({ machine: "own" });
  expect(status({}, { ODD: { shownAs: "PLAN" } }).kept).toEqual({});
});

test("a plan has the statuses of its rows and leaves out what was cut", () => {
  const row = (id: string, label: string, of: string) => ({ task: { id, status: "not-started" } as SessionTask, label, status: of });
  const rows = [row("T1", "completed", "completed"), row("T2", "not-started", "skipped"), row("T3", "in-progress", "pending")];
  expect(planOf(memory({}), rows)).toEqual({
    project: { name: "", definition_of_done: [], kept: {} },
    tasks: [
      { id: "T1", status: "completed" },
      { id: "T3", status: "in-progress" },
    ],
    kept: {},
  });
  expect(planOf(memory({ plan: { project: { name: "p" }, kept: { x: 1 } } }), [])).toEqual({
    project: { name: "p" },
    tasks: [],
    kept: { x: 1 },
  });
});

test("a record of a decision is replaced in its place, or added at the end", () => {
  const records = [decision("a", "pending"), decision("b", "pending")];
  expect(withRecord(records, decision("a", "answered"))).toEqual([decision("a", "answered"), decision("b", "pending")]);
  expect(withRecord(records, decision("c", "pending")).map(({ decision_id: id }) => id)).toEqual(["a", "b", "c"]);
});

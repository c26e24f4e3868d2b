import type { JsonObject } from "../../../base/index.ts";
import type { EngineContext, RunHandle } from "../../../engine/index.ts";
import { unifiedDiff } from "../../../views/index.ts";
import {
  readStatus,
  sessionFiles,
  sessionStates,
  writeStatus,
  writeTasks,
  type CompleteStatus,
  type DecisionRecord,
  type SessionState,
  type TaskFile,
  type TaskStatus,
} from "../definition/index.ts";
import type { MachineMemory, MachineRun, Tracking } from "./machine-run.ts";
import { readSessionFile, taskRows, writeSessionFile, type TaskRow } from "./session-folder.ts";

type Texts = MachineMemory["texts"];
type Edits = MachineMemory["edits"];

/** What an effect makes of the memory, beside what it was before. */
interface Step {
  readonly before: MachineMemory;
  readonly memory: MachineMemory;
  /** The session begins with this effect: what is there is taken as it is. */
  readonly begins: boolean;
}

/** Files whose text only Waymark writes and that cannot be made again: histories of gates, and the report where no role writes it. */
export function engineTexts({ definition }: MachineRun, { written, roles }: MachineMemory): readonly string[] {
  const histories = Object.values(definition.states).flatMap(({ steps }) =>
    steps.flatMap((step) => (step.step === "gate" ? (step.gate.changes?.history ?? []) : [])),
  );
  const artifact = Object.entries(definition.artifacts).find(([, { path }]) => path === sessionFiles.report)?.[0];
  const others = Object.entries(definition.roles).some(
    ([name, role]) => artifact !== undefined && role.artifacts.includes(artifact) && (roles[name] ?? 0) > 0,
  );
  const report = written[sessionFiles.report] !== undefined && !others ? [sessionFiles.report] : [];
  return [...new Set([...histories, ...report])];
}

/** Those of them that someone else changed, with what they are now; empty when they are gone. */
export async function editedTexts(context: EngineContext, run: MachineRun, memory: MachineMemory): Promise<Edits> {
  const found: Record<string, string> = {};
  for (const name of engineTexts(run, memory)) {
    const known = memory.texts[name];
    const text = (await readSessionFile(context, run, name))?.text ?? "";
    if (known !== undefined && known !== text) found[name] = text;
  }
  return found;
}

/** Keeps these texts as Waymark has them, writes again what someone else changed, and returns what that was. */
export async function keepTexts(context: EngineContext, run: MachineRun, step: Step): Promise<Pick<MachineMemory, "texts" | "edits">> {
  const { memory } = step;
  const texts: Record<string, string> = { ...memory.texts };
  const edits: Record<string, string> = { ...memory.edits };
  for (const name of engineTexts(run, memory)) {
    const file = await readSessionFile(context, run, name);
    const text = file?.text ?? "";
    const wanted = takenOver(name, step) ?? wantedText(name, step, text);
    if (wanted === undefined && file === undefined) continue;
    texts[name] = wanted?.text ?? text;
    if (wanted === undefined || wanted.text === text) continue;
    if (!wanted.own) edits[name] = text;
    await writeSessionFile(context, run, name, wanted.text);
  }
  return { texts: sameOr(memory.texts, texts), edits: sameOr(memory.edits, edits) };
}

interface Wanted {
  readonly text: string;
  /** Waymark made the difference itself. */
  readonly own: boolean;
}

/** The text a file should have; undefined when nothing is known of it yet. */
function wantedText(name: string, { before, memory, begins }: Step, text: string): Wanted | undefined {
  if (name === sessionFiles.report && before.written[name] !== memory.written[name]) return { text, own: true };
  const known = before.texts[name] ?? (begins ? text : undefined);
  if (known === undefined) return undefined;
  const sentBack =
    memory.tracking?.correction_status === "queued" && memory.tracking.at !== before.tracking?.at ? memory.tracking.at : null;
  const lines = text.trimEnd().split("\n");
  const line = lines.at(-1) ?? "";
  if (name === sessionFiles.report || sentBack === null || !line.includes(JSON.stringify(sentBack))) return { text: known, own: false };
  const whole = `${known === "" || known.endsWith("\n") ? known : `${known}\n`}${line}\n`;
  // An effect that is done again after a crash adds its line again: the first one has another time, and nothing else differs.
  const doubled =
    text.startsWith(known) &&
    text
      .slice(known.length)
      .trim()
      .split("\n")
      .every((each) => withoutTime(each) === withoutTime(line));
  return { text: whole, own: doubled };
}

function withoutTime(line: string): string {
  return line.replace(/"at":"[^"]*"/, "");
}

/** A person accepts the change of someone else: it is the text from now on. */
function takenOver(name: string, { before, memory }: Step): Wanted | undefined {
  const edited = before.edits[name];
  if (edited === undefined || memory.edits[name] !== undefined) return undefined;
  const open = new Set(before.decisions.flatMap(({ decision_id, status }) => (status === "pending" ? [decision_id] : [])));
  const answered = memory.decisions.find(({ decision_id, status }) => open.has(decision_id) && status === "answered");
  return answered?.answer === "take-over" ? { text: edited, own: true } : undefined;
}

/** The journal keeps every value that is another one. */
function sameOr<T extends Texts>(before: T, after: T): T {
  return JSON.stringify(before) === JSON.stringify(after) ? before : after;
}

/** A file that only Waymark writes, as it should be now. */
export async function expectedText(context: EngineContext, handle: RunHandle, run: MachineRun, file: string): Promise<string> {
  if (file === sessionFiles.tasks) return writeTasks(planOf(run.memory, await taskRows(context, handle.id, run.tasks)));
  const kept = run.memory.texts[file];
  if (kept !== undefined) return kept;
  const found = await readSessionFile(context, run, file);
  const at = (found === undefined ? undefined : readStatus(found.text).status?.last_update) ?? new Date(0).toISOString();
  return writeStatus(statusOf(run, run.memory, run.state, at));
}

/** From the first to the last place where two texts differ. */
export function differenceOf(path: string, before: string, after: string): string {
  let start = 0;
  while (start < before.length && start < after.length && before[start] === after[start]) start += 1;
  let tail = 0;
  const most = Math.min(before.length, after.length) - start;
  while (tail < most && before[before.length - 1 - tail] === after[after.length - 1 - tail]) tail += 1;
  if (start === before.length && start === after.length) return "";
  return unifiedDiff(path, before, [{ start, end: before.length - tail, text: after.slice(start, after.length - tail) }]);
}

/** `status.json` as a view of the run: an open question shows as the state it is asked in, otherwise `state` is shown. */
export function statusOf(run: MachineRun, memory: MachineMemory, state: string, at: string): CompleteStatus {
  const { flags, tracking } = memory;
  return {
    current_state: shownState(memory, state) as SessionState,
    session: run.session,
    assumptions: memory.assumptions,
    known_issues: memory.known_issues,
    user_decisions: memory.decisions,
    gate_tracking: tracking === null ? null : trackingOf(tracking),
    runtime_flags: flags === null ? null : { ...flags, kept: {} },
    retry_counts: memory.retry_counts,
    last_ci_result: memory.ci,
    last_update: at,
    blocker: memory.blocker,
    notes: memory.notes,
    kept: { ...memory.kept, ...ownMachine(run) },
  };
}

function trackingOf({ correction_status, agent, at }: Tracking): CompleteStatus["gate_tracking"] {
  const task_id = agent === null ? null : "meta";
  return { correction_status, last_correction_dispatch: { agent: agent as "Architect" | null, task_id, at }, kept: {} };
}

/** A machine with states of its own says whose they are, so that they are not taken for the documented ones. */
function ownMachine({ definition }: MachineRun): JsonObject {
  const states = Object.entries(definition.states).map(([name, { shownAs }]) => shownAs ?? name);
  return states.every((name) => (sessionStates as readonly string[]).includes(name)) ? {} : { machine: definition.name };
}

/** BLOCKED while the run cannot continue without a person; the gate's own name, or ASK_USER, while a question is open. */
export function shownState({ blocker, decisions }: MachineMemory, state: string): string {
  if (blocker !== null) return "BLOCKED";
  const open = decisions.findLast((record) => record.status === "pending");
  if (open === undefined) return state;
  return /^UD-\d+$/.test(open.decision_id) ? "ASK_USER" : open.state_context;
}

/** `tasks.yaml` with the statuses of the worklist; what was cut is not part of it. */
export function planOf(memory: MachineMemory, rows: readonly TaskRow[]): TaskFile {
  const plan = (memory.plan ?? {}) as unknown as Partial<Pick<TaskFile, "project" | "kept">>;
  return {
    project: plan.project ?? { name: "", definition_of_done: [], kept: {} },
    tasks: rows.flatMap(({ task, label, status }) => (status === "skipped" ? [] : [{ ...task, status: label as TaskStatus }])),
    kept: plan.kept ?? {},
  };
}

/** Records with one added, or the one of its id replaced in place. */
export function withRecord(records: readonly DecisionRecord[], record: DecisionRecord): readonly DecisionRecord[] {
  const at = records.findIndex(({ decision_id }) => decision_id === record.decision_id);
  return at < 0 ? [...records, record] : records.with(at, record);
}

export function pendingRecord(decision_id: string, question: string, asked_at: string, state: string): DecisionRecord {
  const state_context = state as SessionState;
  const unresolved = { resolved_at: null, resolution_reason: null, state_context, kept: {} };
  return { decision_id, question, status: "pending", answer: null, asked_at, ...unresolved };
}

import type { Json, JsonObject } from "../../../base/index.ts";
import {
  commitOrThrow,
  done,
  effectLease,
  engineActor,
  type EngineContext,
  type Performed,
  type RunHandle,
} from "../../../engine/index.ts";
import type { Effect, Input } from "../../../kernel/index.ts";
import { sessionFiles, writeStatus, writeTasks } from "../definition/index.ts";
import { editedTexts, keepTexts, planOf, statusOf } from "./engine-files.ts";
import type { MachineMemory, MachineRun } from "./machine-run.ts";
import { readSessionFile, taskRows, writeSessionFile, type TaskRow } from "./session-folder.ts";

interface InRun {
  readonly context: EngineContext;
  readonly run: MachineRun;
}

/** An effect of a machine that is being performed. */
export interface MachineJob extends InRun {
  readonly handle: RunHandle;
  readonly effect: Effect;
  readonly signal: AbortSignal;
}

/** undefined when it was stopped before its end. */
export type PerformMachine = (job: MachineJob) => Promise<Performed | undefined>;

export async function timeOf({ store }: EngineContext): Promise<string> {
  return new Date(await store.now()).toISOString();
}

/** What an effect changes: names that conditions read, and memory. */
export interface Changes {
  readonly names?: JsonObject;
  readonly memory?: Partial<MachineMemory>;
  /** Labels that tasks get with this, by id. */
  readonly labels?: Readonly<Record<string, string>>;
}

/** Writes status and plan as they will be with these changes; answers the memory with the hashes of what was written. */
async function syncSession(job: MachineJob, changes: Changes): Promise<MachineMemory> {
  const { context, run, handle } = job;
  const memory: MachineMemory = { ...run.memory, ...changes.memory };
  const session = changes.names?.["session"] ?? run.session;
  if (typeof session !== "string" || session === "") return memory;
  const place: MachineRun = { ...run, session, folder: `${run.definition.folder}/${session}` };
  const step = { before: run.memory, memory, begins: run.session === "" };
  const state = changes.names?.["state"] ?? run.state;
  const at = await timeOf(context);
  const { texts, edits: others } = await keepTexts(context, place, step);
  const edits = await foundEdits(context, place, { ...memory, texts, edits: others });
  const files: Record<string, string> = {};
  if (memory.plan !== null) {
    const rows = (await taskRows(context, handle.id, run.tasks)).map((row) => ({
      ...row,
      label: changes.labels?.[row.task.id] ?? row.label,
    }));
    if (rows.length > 0) files[sessionFiles.tasks] = writeTasks(planOf(memory, rows));
  }
  files[sessionFiles.status] = writeStatus(statusOf(place, memory, typeof state === "string" ? state : "", at));
  await intend(job, files);
  const written: Record<string, string> = { ...memory.written };
  for (const [name, text] of Object.entries(files)) written[name] = await writeSessionFile(context, place, name, text);
  return { ...memory, written, writing: {}, texts, edits };
}

/**
 * Records what is about to be written, while this process still holds the effect: who takes it up after a crash then knows these files
 * as Waymark's own, although the effect was never recorded as done.
 */
async function intend(job: MachineJob, files: Readonly<Record<string, string>>): Promise<void> {
  const { context, run, handle, effect } = job;
  const { writing, written } = run.memory;
  const planned = Object.entries(files).map(([name, text]) => [name, context.host.sha256(text)] as const);
  const added = planned.filter(([name, hash]) => written[name] !== hash && writing[name]?.includes(hash) !== true);
  if (added.length === 0) return;
  const all = { ...writing, ...Object.fromEntries(added.map(([name, hash]) => [name, [...(writing[name] ?? []), hash]])) };
  const input = await setInput(job, {}, { ...run.memory, writing: all });
  await commitOrThrow(context, handle, { input, held: { key: effectLease(handle.id, effect.id), owner: context.host.processId } });
}

/** Contents of files that only Waymark writes and that are not as it left them: they are kept for a person before they are written again. */
export async function foundEdits(context: EngineContext, run: MachineRun, memory: MachineMemory): Promise<MachineMemory["edits"]> {
  const { written, writing, edits } = memory;
  const found: Record<string, string> = { ...(await editedTexts(context, run, memory)) };
  for (const name of [sessionFiles.tasks, sessionFiles.status]) {
    const file = written[name] === undefined ? undefined : await readSessionFile(context, run, name);
    if (file !== undefined && file.hash !== written[name] && writing[name]?.includes(file.hash) !== true) found[name] = file.text;
  }
  return Object.keys(found).length === 0 ? edits : { ...edits, ...found };
}

/** The outcome of an effect with everything it changes, decided together. */
export async function performed(job: MachineJob, value: Json, changes: Changes, change?: Performed["change"]): Promise<Performed> {
  const memory = await syncSession(job, changes);
  return { ...done(value, change), before: [await setInput(job, changes.names ?? {}, memory)] };
}

/** Only what changed is written: the journal keeps every write. */
export async function setInput({ context, run }: InRun, names: JsonObject, memory: MachineMemory): Promise<Input> {
  const kept = Object.entries(memory as unknown as JsonObject).filter(
    ([key, value]) => (run.memory as unknown as JsonObject)[key] !== value,
  );
  const updates = [
    ...Object.entries(names).map(([name, value]) => ({ keys: [name], value })),
    ...kept.map(([key, value]) => ({ keys: ["machine", key], value })),
  ];
  return {
    type: "set",
    scope: run.scope,
    updates: updates.map((update) => ({ ...update, tier: "raw", op: "set" })),
    at: await context.store.now(),
    by: engineActor(context.host.processId),
  };
}

/** The value of an expression of the definition; undefined when it fails. */
export async function evaluate({ context, run }: InRun, code: string, bindings: JsonObject): Promise<Json | undefined> {
  const result = await context.sandbox.evaluate({ space: `machine/${run.definition.name}`, code: `return (${code})`, bindings });
  return result.ok ? result.value : undefined;
}

/** Tasks of the plan as it is now, in order. */
export async function plannedTasks({ context, handle, run }: MachineJob): Promise<readonly TaskRow[]> {
  return (await taskRows(context, handle.id, run.tasks)).filter(({ status }) => status !== "skipped");
}

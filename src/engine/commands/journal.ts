import type { Json, JsonObject } from "../../base/index.ts";
import { type Actor, type Event, mainScope } from "../../kernel/index.ts";
import { readEvents } from "../../state/index.ts";
import { maskSecrets } from "../../views/index.ts";
import type { EngineContext } from "../context.ts";
import { recordsWith, type ReadRecord } from "../journal-records.ts";
import type { RunHandle } from "../run-cache.ts";

export interface JournalEntry {
  readonly position: number;
  readonly at: string;
  readonly by: Actor;
  readonly cause: string;
  readonly events: readonly Event[];
}

export async function journal(context: EngineContext, run: string, after: number, limit: number): Promise<readonly JournalEntry[]> {
  const handle = await context.runs.open(run);
  const entries: JournalEntry[] = [];
  for (const record of await context.store.readRecords(handle.id, after, limit))
    entries.push(entryOf(handle, { ...record, decoded: await readEvents(context.store, record) }));
  return entries;
}

/** A record as people may read it. */
export function entryOf({ program, state }: RunHandle, { position, at, actor, cause, decoded }: ReadRecord): JournalEntry {
  const events = maskSecrets(decoded as unknown as Json, program, state) as unknown as readonly Event[];
  return { position, at: new Date(at).toISOString(), by: actor, cause, events };
}

export interface StepRecord {
  readonly step_id: string;
  readonly started_at: string;
  readonly completed_at: string;
  readonly status: "success" | "failed" | "skipped";
}

/** What was done, in order, from the journal. */
export async function stepHistory(context: EngineContext, run: string, most: number): Promise<readonly StepRecord[]> {
  const started = new Map<string, number>();
  const done: StepRecord[] = [];
  for await (const { at, decoded } of recordsWith(context, run)) {
    for (const event of decoded) {
      if (event.type === "entered" && event.frame.kind === "do") started.set(`${event.strand}/${event.frame.block}`, at);
      if (event.type !== "left" || event.leaf !== true) continue;
      done.push({
        step_id: event.block,
        status: event.how === "done" ? "success" : event.how,
        started_at: new Date(started.get(`${event.strand}/${event.block}`) ?? at).toISOString(),
        completed_at: new Date(at).toISOString(),
      });
    }
  }
  return done.slice(-most);
}

/** Final or current state with everything a person may want to keep. */
export async function exportRun(context: EngineContext, run: string): Promise<JsonObject> {
  const handle = await context.runs.open(run);
  const { state, program } = handle;
  const flat = await context.evaluator.flat(program, run, state.scopes, mainScope);
  const all: JournalEntry[] = [];
  for await (const record of recordsWith(context, run)) all.push(entryOf(handle, record));
  const whole = {
    format: "waymark-run",
    version: 1,
    run_id: run,
    workflow: state.workflow,
    program_hash: state.program,
    status: state.status,
    started_at: new Date(state.startedAt).toISOString(),
    inputs: state.scopes[mainScope]?.inputs ?? {},
    state: flat,
    journal: all as unknown as JsonObject[],
    ...(state.error === undefined ? {} : { error: state.error as unknown as Json }),
  };
  return maskSecrets(whole as JsonObject, program, state);
}

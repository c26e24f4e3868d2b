import type { Json, JsonObject } from "../../base/index.ts";
import { type Actor, type Event, mainScope, taskName } from "../../kernel/index.ts";
import { maskSecrets, type Standing, standingOf } from "../../views/index.ts";
import type { RunFilter, RunRow } from "../../ports/index.ts";
import type { EngineContext } from "../context.ts";
import { strandLease } from "../holding.ts";
import { decodeJournal } from "../journal-codec.ts";
import type { RunLine } from "../draft.ts";
import type { RunHandle } from "../run-cache.ts";

export interface RunOverview {
  readonly id: string;
  readonly workflow: string;
  readonly status: RunRow["status"];
  readonly createdAt: number;
  readonly updatedAt: number;
  readonly line: RunLine;
}

/** Runs of this workspace, newest first, without loading them. */
export async function runs(context: EngineContext, filter: RunFilter): Promise<readonly RunOverview[]> {
  const rows = await context.store.listRuns(filter);
  return rows.map((row) => ({
    id: row.id,
    workflow: row.workflow,
    status: row.status,
    createdAt: row.createdAt,
    updatedAt: row.updatedAt,
    line: JSON.parse(row.line) as RunLine,
  }));
}

export interface StrandStatus {
  readonly strand: string;
  readonly task?: string;
  readonly standing: Standing;
  readonly holder?: string;
  readonly alive: boolean;
  readonly stale: boolean;
}

/** One run with every open strand: who drives it, whether that process is alive, whether it makes progress. */
export async function status(
  context: EngineContext,
  run: string,
): Promise<{ readonly handle: RunHandle; readonly strands: readonly StrandStatus[]; readonly now: number }> {
  const handle = await context.runs.open(run);
  const { state } = handle;
  const now = await context.store.now();
  const leases = new Map((await context.store.readLeases(`strand/${run}/`)).map((lease) => [lease.key, lease]));
  const strands = Object.values(state.strands).map((strand) => {
    const standing = standingOf(state, strand.id);
    const lease = leases.get(strandLease(run, strand.id));
    const alive = lease !== undefined && lease.expiresAt > now;
    const stale =
      standing.kind === "action" && strand.holder !== undefined && now - standing.action.openedAt > context.settings.idleAfterMs;
    return {
      strand: strand.id,
      standing,
      alive,
      stale,
      ...(strand.task === undefined ? {} : { task: taskName(strand) }),
      ...(strand.holder === undefined ? {} : { holder: strand.holder.name }),
    };
  });
  return { handle, strands, now };
}

export interface JournalEntry {
  readonly position: number;
  readonly at: string;
  readonly by: Actor;
  readonly cause: string;
  readonly events: readonly Event[];
}

export async function journal(context: EngineContext, run: string, after: number, limit: number): Promise<readonly JournalEntry[]> {
  const handle = await context.runs.open(run);
  const records = await context.store.readRecords(run, after, limit);
  const entries: JournalEntry[] = [];
  for (const record of records) {
    const events = await decodeJournal<readonly Event[]>(context.store, record.events);
    const masked = maskSecrets(events as unknown as Json, handle.program, handle.state) as unknown as readonly Event[];
    entries.push({
      position: record.position,
      at: new Date(record.at).toISOString(),
      by: record.actor,
      cause: record.cause,
      events: masked,
    });
  }
  return entries;
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
  let after = 0;
  for (;;) {
    const records = await context.store.readRecords(run, after, 500);
    for (const record of records) {
      after = record.position;
      for (const event of await decodeJournal<readonly Event[]>(context.store, record.events)) {
        if (event.type === "entered" && event.frame.kind === "do") started.set(`${event.strand}/${event.frame.block}`, record.at);
        if (event.type !== "left" || event.leaf !== true) continue;
        const key = `${event.strand}/${event.block}`;
        done.push({
          step_id: event.block,
          status: event.how === "done" ? "success" : event.how,
          started_at: new Date(started.get(key) ?? record.at).toISOString(),
          completed_at: new Date(record.at).toISOString(),
        });
        if (done.length > most) done.shift();
      }
    }
    if (records.length < 500) return done;
  }
}

/** Final or current state with everything a person may want to keep. */
export async function exportRun(context: EngineContext, run: string): Promise<JsonObject> {
  const handle = await context.runs.open(run);
  const { state, program } = handle;
  const flat = await context.evaluator.flat(program, run, state.scopes, mainScope);
  const all: JsonObject[] = [];
  for (let after = 0; ;) {
    const page = await journal(context, run, after, 200);
    for (const entry of page) all.push(entry as unknown as JsonObject);
    if (page.length < 200) break;
    after = page.at(-1)?.position ?? after;
  }
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
    journal: all,
    ...(state.error === undefined ? {} : { error: state.error as unknown as Json }),
  };
  return maskSecrets(whole as JsonObject, program, state);
}

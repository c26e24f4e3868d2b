import { isWaymarkError } from "../base/index.ts";
import type { RunHandle } from "../engine/index.ts";
import type { WorkHints } from "../ports/index.ts";
import type { DriveEnd, DriveEvent, DriveRequest, RunnerParts } from "./drive-request.ts";
import { driveRun } from "./drive-run.ts";
import { endsWork } from "./ends-work.ts";
import { WorkSearch } from "./work-search.ts";

export interface WorkRequest extends Omit<DriveRequest, "run" | "ask" | "minutes" | "waits" | "leaves" | "watch" | "workers"> {
  /** How many parts are worked on at the same time. */
  readonly workers: number;
  /** After how long it looks for work again where no hint came. */
  readonly pollMs: number;
  /** Why a run is left to others; undefined where it is taken up. Asked each time. */
  readonly refuses: (handle: RunHandle) => Promise<string | undefined>;
  /** Another text after every change of what `refuses` goes by: runs that were refused are looked at again then. */
  readonly allowed: () => Promise<string>;
  readonly watch: (event: WorkEvent) => void;
}

/** What a worker does, for who watches. */
export type WorkEvent =
  | { readonly type: "takes"; readonly run: string; readonly workflow: string }
  | { readonly type: "drives"; readonly run: string; readonly event: DriveEvent }
  | { readonly type: "leaves"; readonly run: string; readonly end: DriveEnd }
  /** With a code where the run could not be opened or driven, rather than refused. */
  | {
      readonly type: "refuses";
      readonly run: string;
      readonly workflow: string;
      readonly why: string;
      readonly code?: string;
      readonly fix?: string;
    };

export interface WorkParts extends RunnerParts {
  readonly hints: WorkHints;
}

/**
 * Takes up parts of any run of the store that wait for a driver, until `finish`: then what is open comes to its end and is given back. Which run
 * has work is only found here: who has a part is decided by its lease and its claim, as for every other driver. What fails in one run is said and
 * ends nothing else; what ends all work cancels the open turns first.
 */
export async function workOnRuns(parts: WorkParts, asked: WorkRequest): Promise<void> {
  const over = new AbortController();
  const [finish, cancel] = [asked.finish, asked.cancel].map((signal) => AbortSignal.any([signal, over.signal])) as [
    AbortSignal,
    AbortSignal,
  ];
  const request = { ...asked, finish, cancel };
  const search = new WorkSearch(parts, request);
  const release = holdWhenFinished(parts, request);
  const failed: unknown[] = [];
  const work = (_: unknown, place: number): Promise<void> =>
    workAt(parts, request, search, place + 1).catch((error: unknown) => {
      failed.push(error);
      over.abort("failed");
    });
  try {
    await Promise.all(Array.from({ length: request.workers }, work));
    await parts.context.effects.settle(() => cancel);
    if (failed.length > 0) throw failed[0];
  } finally {
    release();
    search.close();
  }
}

/** When it is to end, no command of the engine begins, in whichever run. */
function holdWhenFinished({ context }: WorkParts, { finish }: WorkRequest): () => void {
  let free = (): void => undefined;
  const hold = (): void => void (free = context.effects.hold());
  if (finish.aborted) hold();
  else finish.addEventListener("abort", hold, { once: true });
  return () => {
    finish.removeEventListener("abort", hold);
    free();
  };
}

async function workAt(parts: WorkParts, request: WorkRequest, search: WorkSearch, place: number): Promise<void> {
  const { forWorker, hints: _, ...shared } = parts;
  const own = { ...shared, ...forWorker?.(place) };
  const { refuses: _refuses, allowed: _allowed, pollMs: _poll, watch, ...driving } = request;
  for (;;) {
    const { run, workflow } = (await search.next()) ?? {};
    if (run === undefined || workflow === undefined) return;
    let worked = false;
    const see = (event: DriveEvent): void => {
      if (event.type === "step" && !worked) search.took(run);
      if (event.type === "step" && !worked) watch({ type: "takes", run, workflow });
      worked ||= event.type === "step";
      watch({ type: "drives", run, event });
    };
    const { end, error } = await driveFound(own, { ...driving, run, workers: 1, waits: false, leaves: true, watch: see });
    if (!worked) search.took(run);
    if (error !== undefined) search.failed({ run, workflow }, error);
    if (end !== undefined && worked) watch({ type: "leaves", run, end });
    const isForPerson = error !== undefined || (end !== undefined && needsPerson(end));
    await search.left(run, isForPerson ? "person" : worked ? "worked" : "nothing");
  }
}

/** Neither for a run that was removed meanwhile. */
async function driveFound(parts: RunnerParts, request: DriveRequest): Promise<{ readonly end?: DriveEnd; readonly error?: unknown }> {
  try {
    return { end: await driveRun(parts, request) };
  } catch (error) {
    if (isWaymarkError(error) && error.code === "ENGINE_NO_RUN") return {};
    if (endsWork(error)) throw error;
    return { error };
  }
}

/** Driving it again does not help before a person has done something. */
function needsPerson(end: DriveEnd): boolean {
  return end.kind === "parked" && (end.allow ?? end.login ?? end.setup) !== undefined;
}

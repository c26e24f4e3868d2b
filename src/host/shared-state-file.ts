import { readFile } from "node:fs/promises";
import { resolve } from "node:path";
import { withFileLock } from "./file-lock.ts";
import type { Log } from "./log.ts";
import type { Environment } from "./user-folders.ts";
import { writeFileAtomic } from "./write-file-atomic.ts";

/** What a change of a run makes of the file. */
export interface SharedChange {
  /** The whole new text; `damaged` says what was wrong with the old one. Must be quick: other processes wait for it. */
  merge(existing: string | undefined): { readonly text: string; readonly damaged?: string };
  /** When the run must be looked at again although nothing happens to it, in milliseconds from now. */
  readonly againInMs?: number;
}

export interface SharedStateOptions {
  /** Absolute paths; the same is written to each. */
  readonly paths: readonly string[];
  /** undefined when the run has no place in the file, or nothing to say that it has not said before. */
  readonly changeOf: (run: string) => Promise<SharedChange | undefined>;
  readonly log: Log;
  /** Changes within this time are written together; default 100 ms. */
  readonly delayMs?: number;
}

/** Keeps a file that other programs watch up to date with the runs of this process. Several processes share one file. */
export interface SharedState {
  /** A run has changed; returns at once. */
  moved(run: string): void;
  /** Writes what has changed so far. Waits for other writers for two seconds at most; then it is written a moment later. */
  caughtUp(): Promise<void>;
  /** Writes what is still to be written. Nothing is written afterwards. */
  close(): Promise<void>;
}

/** Where the state for status bars is wanted; none when nobody asks for it. */
export function sharedStatePaths(env: Environment): readonly string[] {
  const named = [env["BC_INTEL_WORKFLOW_STATE_PATH"], env["WAYMARK_STATE_PATH"]];
  return [...new Set(named.flatMap((path) => (path === undefined || path.trim() === "" ? [] : [resolve(path)])))];
}

const mostWaitMs = 2_000;

/** Never fails a run: what cannot be written is logged. */
export function createSharedState({ paths, changeOf, log, delayMs = 100 }: SharedStateOptions): SharedState {
  const waiting = new Set<string>();
  const later = new Map<string, NodeJS.Timeout>();
  let timer: NodeJS.Timeout | undefined;
  let writing: Promise<void> = Promise.resolve();
  let closed = false;

  const writeAll = async (): Promise<void> => {
    const runs = [...waiting];
    waiting.clear();
    for (const run of runs) {
      try {
        const change = await changeOf(run);
        if (change === undefined) continue;
        for (const path of paths) await update(path, change, log);
        lookAgain(run, change.againInMs);
      } catch (cause) {
        log("warn", `The state of run ${run} could not be written for status bars: ${String(cause)}`);
      }
    }
  };
  const lookAgain = (run: string, ms: number | undefined): void => {
    clearTimeout(later.get(run));
    later.delete(run);
    if (ms === undefined || closed) return;
    const next = setTimeout(() => moved(run), ms);
    next.unref();
    later.set(run, next);
  };
  const moved = (run: string): void => {
    if (closed) return;
    waiting.add(run);
    if (timer !== undefined) return;
    timer = setTimeout(() => {
      timer = undefined;
      writing = writing.then(writeAll);
    }, delayMs);
    timer.unref();
  };
  return {
    moved,
    caughtUp: async () => {
      if (closed) return;
      if (waiting.size > 0) {
        clearTimeout(timer);
        timer = undefined;
        writing = writing.then(writeAll);
      }
      let limit: NodeJS.Timeout | undefined;
      const late = new Promise<void>((end) => (limit = setTimeout(end, mostWaitMs)));
      await Promise.race([writing, late]).finally(() => clearTimeout(limit));
    },
    close: async () => {
      closed = true;
      clearTimeout(timer);
      for (const next of later.values()) clearTimeout(next);
      await writing;
      await writeAll();
    },
  };
}

/** Reads, merges and replaces the file while no other process does the same. */
async function update(path: string, change: SharedChange, log: Log): Promise<void> {
  const had = await withFileLock(`${path}.lock`, async () => {
    const existing = await readFile(path, "utf8").catch((cause: NodeJS.ErrnoException) => {
      if (cause.code !== "ENOENT") throw cause;
    });
    const { text, damaged } = change.merge(existing ?? undefined);
    if (damaged !== undefined) log("warn", `${path}: ${damaged}`);
    await writeFileAtomic(path, text);
  });
  if (!had) log("warn", `${path} was not updated: another process has held its lock for too long.`);
}

import { createHash } from "node:crypto";
import { closeSync, createReadStream, mkdirSync, openSync, writeSync } from "node:fs";
import { rm } from "node:fs/promises";
import { join } from "node:path";
import { isObject, jsonOrText } from "../base/index.ts";
import type { TranscriptEntry, Transcripts } from "../ports/index.ts";
import { boundedEvent } from "./bounded-event.ts";
import { fileFailure } from "./store-errors.ts";

/**
 * Transcripts beside the database: `<folder>/transcripts/<run>.jsonl`, one line per entry, only ever added to. A position is the place
 * in the file where an entry ends: all processes agree on it, and reading continues there without reading the file again.
 */
export function fileTranscripts({ folder }: { readonly folder: string }): Transcripts {
  const place = join(folder, "transcripts");
  const pathOf = (run: string): string => join(place, fileName(run));
  /** The last write of each run that has one under way. */
  const writing = new Map<string, Promise<void>>();
  /** Writes of one run happen one after another; one that fails is in nobody's way. */
  const inTurn = async (run: string, write: () => Promise<unknown>): Promise<void> => {
    const before = writing.get(run) ?? Promise.resolve();
    const done = before.then(write).then(
      () => undefined,
      (error: unknown) => Promise.reject(fileFailure(error, pathOf(run))),
    );
    const settled = done.catch(() => undefined);
    writing.set(run, settled);
    await done.finally(() => writing.get(run) === settled && writing.delete(run));
  };
  return {
    append: async (entries) => {
      const kept = entries.filter(({ event }) => event.type !== "text");
      const write = async (run: string): Promise<void> => {
        const lines = kept
          .filter((entry) => entry.run === run)
          .map((entry) => JSON.stringify({ ...entry, event: boundedEvent(entry.event) }));
        mkdirSync(place, { recursive: true, mode: 0o700 });
        // The empty line in front ends what a process that was killed left unfinished.
        appendOnce(pathOf(run), Buffer.from(`\n${lines.join("\n")}\n`));
      };
      await Promise.all([...new Set(kept.map(({ run }) => run))].map((run) => inTurn(run, () => write(run))));
    },
    read: async function* (run, { action, step, after = 0, limit = Infinity } = {}) {
      let left = limit;
      if (left <= 0) return;
      for await (const { text, end } of linesOf(pathOf(run), after)) {
        const entry: unknown = jsonOrText(text);
        if (!isEntry(entry) || (action ?? entry.action) !== entry.action || (step ?? entry.step) !== entry.step) continue;
        yield { ...entry, position: end };
        left -= 1;
        if (left === 0) return;
      }
    },
    remove: (run) => inTurn(run, () => rm(pathOf(run), { force: true })),
  };
}

/** A name that no other run has, also where files are found whatever the case of their letters, and that is a plain name everywhere. */
function fileName(run: string): string {
  const hash = createHash("sha256").update(run).digest("hex").slice(0, 16);
  return `${run.replaceAll(/[^\w-]/g, "_").slice(0, 80)}-${hash}.jsonl`;
}

/**
 * In one call of the operating system, between which and another process nothing is mixed; in more only where the disk takes less. Does not
 * give way to other work: a turn waits for what it appends, and with several agents each pause would last as long as the work of all others.
 */
function appendOnce(path: string, bytes: Buffer): void {
  const file = openSync(path, "a", 0o600);
  try {
    for (let from = 0; from < bytes.length;) from += writeSync(file, bytes, from);
  } finally {
    closeSync(file);
  }
}

function isEntry(value: unknown): value is TranscriptEntry {
  return isObject(value) && isObject(value["event"]) && typeof value["event"]["type"] === "string";
}

/** Whole lines from a place in the file on, each with the place where it ends. What has no end yet is left for later. */
async function* linesOf(path: string, start: number): AsyncGenerator<{ readonly text: string; readonly end: number }, void, undefined> {
  let held: Buffer = Buffer.alloc(0);
  let end = start;
  try {
    for await (const chunk of createReadStream(path, { start, highWaterMark: 256 * 1024 }) as AsyncIterable<Buffer>) {
      held = held.length === 0 ? chunk : Buffer.concat([held, chunk]);
      let from = 0;
      for (let at = held.indexOf(10); at !== -1; at = held.indexOf(10, from)) {
        end += at + 1 - from;
        if (at > from) yield { text: held.toString("utf8", from, at), end };
        from = at + 1;
      }
      held = held.subarray(from);
    }
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "ENOENT") throw fileFailure(error, path);
  }
}

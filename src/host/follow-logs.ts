import { appendFile, mkdir, readFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { withFileLock } from "./file-lock.ts";
import { git } from "./git.ts";
import type { Log } from "./log.ts";
import { insideWorkspace } from "./workspace-path.ts";

/** A log in the workspace as it should be by now. */
export interface FollowedLog {
  /** Relative to the workspace. */
  readonly path: string;
  readonly lines: readonly string[];
}

export interface FollowOptions {
  readonly workspace: string;
  /** undefined when the run has no log. */
  readonly logOf: (run: string) => Promise<FollowedLog | undefined>;
  readonly log: Log;
  /** Changes within this time are written together, and within a longer one where it takes long to make the logs; default 100 ms. */
  readonly delayMs?: number;
}

/** A log is made as a whole each time. While it grows it is made less often, so that all of it costs at most a tenth of the time of the run. */
const pausesForTime = 10;
const longestPauseMs = 30_000;

/** Keeps logs of runs up to date in files of the workspace. */
export interface LogFollower {
  /** A run has changed; returns at once. */
  moved(run: string): void;
  /** Writes what is still to be written. Nothing is written afterwards. */
  close(): Promise<void>;
}

/** Only adds lines, each once, whichever process writes them. New files are for their user alone. Never fails a run: what cannot be written is logged. */
export function followLogs({ workspace, logOf, log, delayMs = 100 }: FollowOptions): LogFollower {
  const waiting = new Set<string>();
  // Each folder is warned about once.
  const warned = new Set<string>();
  let timer: NodeJS.Timeout | undefined;
  let writing: Promise<void> = Promise.resolve();
  let pauseMs = delayMs;
  let closed = false;
  const writeAll = async (): Promise<void> => {
    const runs = [...waiting];
    waiting.clear();
    for (const run of runs) {
      try {
        const wanted = await logOf(run);
        if (wanted === undefined) continue;
        const isNew = await addLines(workspace, wanted);
        const folder = dirname(wanted.path);
        if (!isNew || warned.has(folder) || (await isIgnored(workspace, wanted.path))) continue;
        warned.add(folder);
        log("warn", notIgnored(folder));
      } catch (cause) {
        log("warn", `The log of run ${run} could not be written: ${cause instanceof Error ? cause.message : String(cause)}`);
      }
    }
  };
  const writeTimed = async (): Promise<void> => {
    const begun = performance.now();
    await writeAll();
    pauseMs = Math.min(longestPauseMs, Math.max(delayMs, pausesForTime * (performance.now() - begun)));
    timer = undefined;
    if (waiting.size > 0) writeLater();
  };
  const writeLater = (): void => {
    if (closed) return;
    timer ??= setTimeout(() => {
      writing = writeTimed();
    }, pauseMs).unref();
  };
  return {
    moved: (run) => {
      if (closed) return;
      waiting.add(run);
      writeLater();
    },
    close: async () => {
      closed = true;
      clearTimeout(timer);
      await writing;
      await writeAll();
    },
  };
}

function notIgnored(folder: string): string {
  return `${folder} is not ignored by git, so logs of runs can be committed. Add \`${folder}/\` to .gitignore.`;
}

/** True when the file is new. */
async function addLines(workspace: string, { path, lines }: FollowedLog): Promise<boolean> {
  const file = join(workspace, path);
  if (!(await insideWorkspace(workspace, file))) throw new Error(`${path} leads out of the workspace by a symbolic link.`);
  await mkdir(dirname(file), { recursive: true });
  let isNew = false;
  const had = await withFileLock(`${file}.lock`, async () => {
    const existing = await readFile(file, "utf8").catch((cause: NodeJS.ErrnoException) => {
      if (cause.code !== "ENOENT") throw cause;
      return "";
    });
    isNew = existing === "";
    const left = new Map<string, number>();
    for (const line of existing.split("\n")) left.set(line, (left.get(line) ?? 0) + 1);
    const missing = lines.filter((line) => {
      const times = left.get(line) ?? 0;
      left.set(line, times - 1);
      return times <= 0;
    });
    // A line that a crash cut off stays as it is, on a line of its own.
    const before = existing === "" || existing.endsWith("\n") ? "" : "\n";
    if (missing.length > 0) await appendFile(file, `${before}${missing.join("\n")}\n`, { mode: 0o600 });
  });
  if (!had) throw new Error(`${path} is locked by another process.`);
  return isNew;
}

/** Whether git leaves a file alone; also true where there is no repository, or no git. */
async function isIgnored(workspace: string, path: string): Promise<boolean> {
  try {
    await git(workspace, "check-ignore", "-q", "--", path);
    return true;
  } catch (cause) {
    return (cause as { readonly code?: unknown }).code !== 1;
  }
}

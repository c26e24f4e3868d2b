import { accessSync, constants, mkdirSync, type Stats } from "node:fs";
import { dirname } from "node:path";
import { isWaymarkError } from "../base/index.ts";
import { syncFolder } from "../disk/index.ts";
import type { EditOutcome, FileEdit } from "../ports/index.ts";
import { contentAfter, contentBefore } from "./byte-edits.ts";
import { codeOf, reasonOf } from "./codes.ts";
import { hashOf, readWhole, withRegularFile } from "./read-regular.ts";
import { ChangedMeanwhile, replaceFile, type Faults } from "./replace-file.ts";
import { RenameThread, type Move } from "./rename-thread.ts";
import { Locator, placeForNew, plainPath, realRoot } from "./root-path.ts";
import { removeStale } from "./temporary-name.ts";
import { isReserved } from "./walk.ts";

type FailureCode = Extract<EditOutcome, { status: "failed" }>["code"];

/** Why a file is left as it was; becomes its outcome. */
class Refusal extends Error {
  readonly code: FailureCode;

  constructor(code: FailureCode, reason: string) {
    super(reason);
    this.code = code;
  }
}

/** Files that are written at the same time: their syncs share what the disk does. */
const lanes = 16;
/** From so many files on, starting a thread that renames costs less than it brings. */
const manyFiles = 40;

/**
 * Writes to users' files, each one only from the content that was planned for, as a whole and durably. A call returns when all its
 * writes are durable; a folder is synced once for all of them. Writes to one file queue up, also those of different calls.
 */
export class GuardedWrites {
  readonly #faults: Faults;
  readonly #turns = new TurnQueue();
  readonly #renames = new RenameThread();

  constructor(faults: Faults = () => undefined) {
    this.#faults = faults;
  }

  apply(root: string, plans: readonly FileEdit[], signal?: AbortSignal): Promise<readonly EditOutcome[]> {
    return this.#each(root, plans, signal, { from: "before", to: "after", content: contentAfter, since: "the edit was planned" });
  }

  undo(root: string, plans: readonly FileEdit[], signal?: AbortSignal): Promise<readonly EditOutcome[]> {
    return this.#each(root, plans, signal, { from: "after", to: "before", content: contentBefore, since: "the batch" });
  }

  /** Writes a whole file; missing folders are made. A file that already has this content counts as done. */
  async write(root: string, path: string, bytes: Uint8Array, expected: string | null): Promise<EditOutcome> {
    const folders = new Folders(this.#faults);
    return this.#settle(path, async () => {
      const place = placeToWrite(realRoot(root), path);
      await this.#turns.run(place, async () => {
        if (expected === null) folders.make(dirname(place));
        folders.clean(dirname(place));
        const file = readTarget(place, expected === null);
        if (file !== undefined && file.hash === hashOf(bytes)) return;
        if (file === undefined ? expected !== null : file.hash !== expected)
          throw expected === null ? new Refusal("changed", "The file exists already.") : changed("it was read");
        if (file !== undefined) checkWritable(place, file.facts);
        this.#faults("read", place);
        await replaceFile({ place, facts: file?.facts }, bytes, this.#faults);
        folders.wrote(dirname(place));
      });
      const failed = await folders.sync();
      if (failed !== undefined) throw new Refusal("failed", notDurable(failed));
    });
  }

  close(): Promise<void> {
    return this.#renames.close();
  }

  async #each(root: string, plans: readonly FileEdit[], signal: AbortSignal | undefined, way: Way): Promise<readonly EditOutcome[]> {
    const locator = new Locator(realRoot(root));
    const folders = new Folders(this.#faults);
    const outcomes: EditOutcome[] = [];
    const move = plans.length < manyFiles || process.platform === "win32" ? undefined : this.#renames.move;
    let next = 0;
    const lane = async (): Promise<void> => {
      for (let at = next++; at < plans.length; at = next++) {
        const plan = plans[at] as FileEdit;
        outcomes[at] = await this.#settle(plan.path, async () => {
          if (signal?.aborted === true) throw new Refusal("failed", "The work was stopped before this file.");
          await this.#one({ locator, folders, move }, plan, way);
        });
      }
    };
    await Promise.all(Array.from({ length: Math.min(lanes, plans.length) }, lane));
    const failed = await folders.sync();
    if (failed === undefined) return outcomes;
    const reason = notDurable(failed);
    return outcomes.map((outcome) =>
      outcome.status === "done" ? { path: outcome.path, status: "failed", code: "failed", reason } : outcome,
    );
  }

  async #one({ locator, folders, move }: Job, plan: FileEdit, way: Way): Promise<void> {
    const place = placeToEdit(locator, plan.path);
    await this.#turns.run(place, async () => {
      folders.clean(dirname(place));
      const file = readTarget(place, false);
      // Its folder is synced all the same: it may have been renamed by a process that was killed before it could.
      if (file?.hash === plan[way.to]) return folders.wrote(dirname(place));
      if (file === undefined || file.hash !== plan[way.from]) throw changed(way.since);
      checkWritable(place, file.facts);
      const content = way.content(file.bytes, plan);
      if (content === undefined) throw new Refusal("failed", `The recorded edits of \`${plan.path}\` do not lead to the recorded content.`);
      this.#faults("read", place);
      await replaceFile({ place, facts: file.facts }, content, this.#faults, move);
      folders.wrote(dirname(place));
    });
  }

  async #settle(path: string, act: () => Promise<void>): Promise<EditOutcome> {
    try {
      await act();
      return { path, status: "done" };
    } catch (cause) {
      if (isWaymarkError(cause) && cause.code === "WORKSPACE_MISSING") throw cause;
      return { path, status: "failed", ...explain(cause) };
    }
  }
}

/** Work on one key waits for the work on it that came before; different keys do not wait for each other. */
class TurnQueue {
  readonly #last = new Map<string, Promise<unknown>>();

  async run<T>(key: string, work: () => Promise<T>): Promise<T> {
    const turn = (this.#last.get(key) ?? Promise.resolve()).then(work, work);
    this.#last.set(key, turn);
    try {
      return await turn;
    } finally {
      if (this.#last.get(key) === turn) this.#last.delete(key);
    }
  }
}

/** What the files of one call share. */
interface Job {
  readonly locator: Locator;
  readonly folders: Folders;
  readonly move: Move | undefined;
}

interface Way {
  readonly from: "before" | "after";
  readonly to: "before" | "after";
  readonly content: (bytes: Uint8Array, plan: FileEdit) => Uint8Array | undefined;
  /** When the file held what is expected. */
  readonly since: string;
}

/** Folders of one call: what a crash left in them is removed once, and they are synced once. */
class Folders {
  readonly #faults: Faults;
  readonly #cleaned = new Set<string>();
  readonly #written = new Set<string>();

  constructor(faults: Faults) {
    this.#faults = faults;
  }

  make(folder: string): void {
    const first = mkdirSync(folder, { recursive: true });
    if (first === undefined) return;
    for (let made = folder; made.length >= first.length; made = dirname(made)) this.wrote(dirname(made));
  }

  clean(folder: string): void {
    if (this.#cleaned.has(folder)) return;
    this.#cleaned.add(folder);
    removeStale(folder);
  }

  wrote(folder: string): void {
    this.#written.add(folder);
  }

  /** What went wrong, if anything: then nothing of the call is known to be durable. */
  async sync(): Promise<unknown> {
    let failed: unknown;
    for (const folder of this.#written) {
      try {
        await syncFolder(folder);
        this.#faults("folder_synced", folder);
      } catch (cause) {
        failed ??= cause;
      }
    }
    return failed;
  }
}

function placeToEdit(locator: Locator, path: string): string {
  const found = locator.targetOf(path);
  if ("place" in found) return unlessReserved(path, path, found.place);
  if (found.refused === "absent") throw new Refusal("vanished", `\`${path}\` is not there any more.`);
  throw leadsOut(path);
}

function placeToWrite(root: string, path: string): string {
  const plain = plainPath(path);
  const place = placeForNew(root, path);
  if (plain === undefined || place === undefined) throw leadsOut(path);
  return unlessReserved(path, plain, place);
}

function leadsOut(path: string): Refusal {
  return new Refusal("failed", `\`${path}\` leads out of the folder that is worked on.`);
}

function unlessReserved(given: string, plain: string, place: string): string {
  if (!isReserved(plain)) return place;
  throw new Refusal("failed", `\`${given}\` belongs to git, to installed packages or to Waymark's own store.`);
}

function readTarget(place: string, mayBeAbsent: boolean): { bytes: Buffer; hash: string; facts: Stats } | undefined {
  try {
    return withRegularFile(place, (file) => {
      const bytes = readWhole(file);
      return { bytes, hash: hashOf(bytes), facts: file.facts };
    });
  } catch (cause) {
    if (mayBeAbsent && codeOf(cause) === "ENOENT") return undefined;
    throw cause;
  }
}

/** A file that its owner made read-only stays as it is, even where this process could replace it. */
function checkWritable(place: string, facts: Stats): void {
  if ((facts.mode & 0o222) === 0) throw new Refusal("read_only", "The file is read-only.");
  try {
    accessSync(place, constants.W_OK);
  } catch {
    throw new Refusal("read_only", "The file may not be written by this user.");
  }
}

function changed(since: string): Refusal {
  return new Refusal("changed", `The file changed since ${since}.`);
}

function notDurable(cause: unknown): string {
  return `The file was written, but its folder could not be made durable (${reasonOf(cause)}).`;
}

function explain(cause: unknown): { readonly code: FailureCode; readonly reason: string } {
  if (cause instanceof Refusal) return { code: cause.code, reason: cause.message };
  if (cause instanceof ChangedMeanwhile) return { code: "changed", reason: "The file changed while it was being written." };
  if (isWaymarkError(cause)) return { code: "failed", reason: cause.message };
  const code = codeOf(cause) ?? "";
  if (code === "ENOENT" || code === "ENOTDIR") return { code: "vanished", reason: "The file is not there any more." };
  if (code === "EACCES" || code === "EROFS" || code === "EPERM")
    return { code: "read_only", reason: `The file or its folder may not be written (${code}).` };
  if (code === "EINVAL" || code === "ELOOP" || code === "EISDIR") return { code: "changed", reason: "It is no longer a regular file." };
  return { code: "failed", reason: `The file could not be written (${reasonOf(cause)}).` };
}

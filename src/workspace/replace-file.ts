import {
  closeSync,
  fchmodSync,
  fchownSync,
  fstatSync,
  fsync,
  linkSync,
  lstatSync,
  open,
  renameSync,
  rmSync,
  writeSync,
  type Stats,
} from "node:fs";
import { dirname, join } from "node:path";
import { promisify } from "node:util";
import { whileInUse } from "../disk/index.ts";
import { codeOf } from "./codes.ts";
import { marks, type Move } from "./rename-thread.ts";
import { releaseTemporaryName, takeTemporaryName } from "./temporary-name.ts";

// While one file is synced, creating another waits for the journal of the file system: in a thread, not in this one.
const syncHandle = promisify(fsync);
const createHandle = promisify(open);

/** The borders of a write. A crash between any two of them leaves the old content or the new one. */
export type WritePoint = "read" | "temporary_created" | "temporary_written" | "temporary_synced" | "renamed" | "folder_synced";
/** Called at each border; tests end the process there, or throw what a disk throws. */
export type Faults = (point: WritePoint, place: string) => void;

interface Target {
  /** Real path of the file. */
  readonly place: string;
  /** What it was when its content was read; undefined when it must not exist. */
  readonly facts: Stats | undefined;
}

/** The file is no longer the one whose content was checked. */
export class ChangedMeanwhile extends Error {
  override readonly name = "ChangedMeanwhile";
}

/**
 * Replaces a file as a whole by a temporary file beside it, with the same mode and owner. Rejects with `ChangedMeanwhile` or what
 * the system throws, the old file untouched. The new name is durable only after the folder is synced too.
 */
export async function replaceFile({ place, facts }: Target, bytes: Uint8Array, faults: Faults, move: Move = moveHere): Promise<void> {
  const name = takeTemporaryName();
  const beside = join(dirname(place), name);
  try {
    await writeDurably(beside, bytes, { place, facts, faults });
    faults("temporary_synced", place);
    if (facts === undefined) createFrom(beside, place);
    else if (!(await move(beside, place, facts))) throw new ChangedMeanwhile();
    faults("renamed", place);
  } catch (cause) {
    rmSync(beside, { force: true });
    throw cause;
  } finally {
    releaseTemporaryName(name);
  }
}

async function writeDurably(
  beside: string,
  bytes: Uint8Array,
  { place, facts, faults }: Target & { readonly faults: Faults },
): Promise<void> {
  const handle = await createHandle(beside, "wx", facts === undefined ? 0o666 : 0o600);
  try {
    faults("temporary_created", place);
    for (let done = 0; done < bytes.length;) done += writeSync(handle, bytes, done, bytes.length - done);
    if (facts !== undefined) keepOwner(handle, facts);
    faults("temporary_written", place);
    await syncHandle(handle);
  } finally {
    closeSync(handle);
  }
}

/** The owner first: changing it takes special bits of the mode away. */
function keepOwner(handle: number, facts: Stats): void {
  if (process.platform === "win32") return;
  const own = fstatSync(handle);
  if (own.uid !== facts.uid || own.gid !== facts.gid) fchownSync(handle, facts.uid, facts.gid);
  fchmodSync(handle, facts.mode & 0o7777);
}

/** Gives the content its name without replacing anything that took the name meanwhile. */
function createFrom(beside: string, place: string): void {
  try {
    linkSync(beside, place);
    rmSync(beside);
  } catch (cause) {
    const code = codeOf(cause) ?? "";
    if (code === "EEXIST") throw new ChangedMeanwhile();
    if (!["EPERM", "ENOTSUP", "ENOSYS", "EMLINK"].includes(code)) throw cause;
    // A file system without hard links.
    if (lstatSync(place, { throwIfNoEntry: false }) !== undefined) throw new ChangedMeanwhile();
    renameSync(beside, place);
  }
}

const moveHere: Move = (from, to, then) =>
  whileInUse(() => {
    // Nothing may come between the look and the renaming: what another program saves there would be lost.
    const now = lstatSync(to);
    if (marks.some((mark) => now[mark] !== then[mark])) return false;
    renameSync(from, to);
    return true;
  });

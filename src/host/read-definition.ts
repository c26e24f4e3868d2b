import { constants } from "node:fs";
import { open, realpath, type FileHandle } from "node:fs/promises";
import { isWaymarkError } from "../base/index.ts";
import { leadsOut, notText, tooLarge, unreadable } from "./codes.ts";
import { isBelow } from "./workspace-path.ts";

/** Definitions are read whole, so their size is limited. */
export const largestDefinition: number = 5 * 1024 * 1024;

/**
 * Text of a regular UTF-8 file that really is in `folder` (itself a real path; undefined: anywhere). Undefined when there is
 * no such file; rejects with a `HOST_*` code for a link that leads out, a file that is too large, not text, or unreadable.
 */
export async function readDefinition(
  path: string,
  folder: string | undefined,
  largest: number = largestDefinition,
): Promise<string | undefined> {
  const real = await realPathOf(path);
  if (real === undefined) return undefined;
  if (folder !== undefined && !isBelow(folder, real)) throw leadsOut(path, folder);
  const bytes = await readRegularFile(real, path, largest);
  try {
    return bytes && new TextDecoder("utf-8", { fatal: true }).decode(bytes);
  } catch (cause) {
    throw notText(path, cause);
  }
}

/** Takes note of a file or folder that cannot be used. */
export type Warn = (code: string, message: string) => void;

/** The same; a file that cannot be used counts as absent, with a warning. */
export async function readOrWarn(path: string, folder: string, warn: Warn): Promise<string | undefined> {
  try {
    return await readDefinition(path, folder);
  } catch (cause) {
    if (!isWaymarkError(cause)) throw cause;
    warn(cause.code, cause.message);
    return undefined;
  }
}

async function realPathOf(path: string): Promise<string | undefined> {
  try {
    return await realpath(path);
  } catch (cause) {
    if (isAbsent(cause)) return undefined;
    throw unreadable(path, cause);
  }
}

async function readRegularFile(real: string, path: string, largest: number): Promise<Buffer | undefined> {
  let file: FileHandle | undefined;
  try {
    // Not followed again: a link put there since the check would lead elsewhere. Not blocking: a pipe would never open.
    file = await open(real, constants.O_RDONLY | (constants.O_NOFOLLOW ?? 0) | (constants.O_NONBLOCK ?? 0));
    const facts = await file.stat();
    if (facts.isDirectory()) return undefined;
    if (!facts.isFile()) throw new Error("it is not a regular file");
    if (facts.size > largest) throw tooLarge(path, facts.size, largest);
    const bytes = await file.readFile();
    if (bytes.length > largest) throw tooLarge(path, bytes.length, largest);
    return bytes;
  } catch (cause) {
    if (isAbsent(cause)) return undefined;
    throw isWaymarkError(cause) ? cause : unreadable(path, cause);
  } finally {
    await file?.close();
  }
}

/** Whether an operation failed because nothing is at the path. */
export function isAbsent(cause: unknown): boolean {
  const code = (cause as NodeJS.ErrnoException).code;
  return code === "ENOENT" || code === "ENOTDIR";
}

import { isWaymarkError, type WaymarkError } from "../../base/index.ts";
import { cannotOpen, storeCorrupt, storeFailed, storeFull, storeMoved, storeReadOnly, storeRefused } from "../store-errors.ts";

// Reading many rows at once the driver gives only SQLite's message, whose texts are fixed.
const codeOfMessage: Readonly<Record<string, number>> = {
  "database is locked": 5,
  "attempt to write a readonly database": 8,
  "disk I/O error": 10,
  "database disk image is malformed": 11,
  "database or disk is full": 13,
  "unable to open database file": 14,
  "locking protocol": 15,
  "file is not a database": 26,
};

/** SQLite's result code of an error, extended where it is known, or undefined for any other error. */
function resultCode(error: unknown): number | undefined {
  const { code, errcode, message } = (error ?? {}) as { code?: unknown; errcode?: unknown; message?: string };
  if (typeof errcode === "number") return errcode;
  return code === "ERR_SQLITE_ERROR" ? codeOfMessage[message ?? ""] : undefined;
}

/** Whether waiting may help: another connection holds the lock, or is recovering the file after a crash. */
export function isBusy(error: unknown): boolean {
  const code = resultCode(error);
  return code !== undefined && ((code & 0xff) === 5 || (code & 0xff) === 15);
}

export function isUniqueViolation(error: unknown): boolean {
  const code = resultCode(error);
  return code === 2067 || code === 1555;
}

const ioWrite = 778;
const ioTruncate = 1546;
const ioSharedMemorySize = 4874;
const databaseMoved = 1032;

/** Gives an error of the driver its place in the catalogue. */
export function sqliteFailure(error: unknown, file: string): WaymarkError {
  if (isWaymarkError(error)) return error;
  const code = resultCode(error);
  if (code === undefined) return storeFailed(file, error);
  if (code === ioWrite || code === ioTruncate || code === ioSharedMemorySize) return storeFull(file, error);
  if (code === databaseMoved) return storeMoved(file);
  switch (code & 0xff) {
    case 8:
      return storeReadOnly(file, "it is read-only for this user", error);
    case 11:
      return storeCorrupt(file, "its pages do not fit together", error);
    case 13:
      return storeFull(file, error);
    case 14:
      return cannotOpen(file, "the operating system refused to open it or a file beside it", error);
    case 18:
    case 19:
    case 20:
      return storeRefused(file, error instanceof Error ? error.message : String(error), error);
    case 26:
      return storeCorrupt(file, "it is not a SQLite database", error);
    default:
      return storeFailed(file, error);
  }
}

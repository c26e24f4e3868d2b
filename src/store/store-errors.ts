import { WaymarkError } from "../base/index.ts";

export function noRun(run: string): WaymarkError {
  return new WaymarkError({
    code: "STORE_NO_RUN",
    message: `There is no run \`${run}\` in this store.`,
    fix: "List the runs and use one of their ids.",
    details: { run },
  });
}

export function runExists(run: string): WaymarkError {
  return new WaymarkError({
    code: "STORE_RUN_EXISTS",
    message: `A run with the id \`${run}\` already exists; ids are never used twice.`,
    fix: "Take another id, or continue the existing run.",
    details: { run },
  });
}

export function duplicateKey(run: string, key: string): WaymarkError {
  return new WaymarkError({
    code: "STORE_DUPLICATE_KEY",
    message: `The journal of run \`${run}\` already has a record with the key \`${key}\`. Nothing was recorded.`,
    fix: "Read the recorded answer by its key.",
    details: { run, key },
  });
}

export function noItem(list: string, id: string): WaymarkError {
  return new WaymarkError({
    code: "STORE_NO_ITEM",
    message: `A change names the item \`${id}\` of the list \`${list}\`, which the store does not have. Nothing was recorded.`,
    fix: "Run `waymark doctor` to rebuild the items from the journal.",
    details: { list, id },
  });
}

export function badText(): WaymarkError {
  return new WaymarkError({
    code: "STORE_BAD_TEXT",
    message: "A text that should be JSON holds the character U+0000, at which the database would cut it. Nothing was recorded.",
    fix: "Pass JSON text, in which the character is written as an escape.",
  });
}

export function badHash(hash: string): WaymarkError {
  return new WaymarkError({
    code: "STORE_BAD_HASH",
    message: `\`${hash.slice(0, 80)}\` is not a hash of 64 lower-case hexadecimal digits.`,
    fix: "Use the hash that the store gave when the bytes were kept.",
  });
}

export function noFile(path: string, why: string): WaymarkError {
  return new WaymarkError({
    code: "STORE_NO_FILE",
    message: `\`${path}\` cannot be taken into the store: ${why}.`,
    fix: "Write the file again and pass its own path.",
    details: { path },
  });
}

export function storeClosed(path: string): WaymarkError {
  return new WaymarkError({
    code: "STORE_CLOSED",
    message: `The store \`${path}\` is closed.`,
    fix: "Open the store again.",
    details: { path },
  });
}

export function storeNotFound(path: string): WaymarkError {
  return new WaymarkError({
    code: "STORE_NOT_FOUND",
    message: `There is no store in \`${path}\`.`,
    fix: "Check the folder, or start a run there first.",
    details: { path },
  });
}

export function storeLocked(path: string, waitedMs: number, what: string): WaymarkError {
  return new WaymarkError({
    code: "STORE_LOCKED",
    message: `${what} \`${path}\` stayed locked by other processes for ${(waitedMs / 1000).toFixed(1)} seconds. Nothing was recorded.`,
    fix: "Wait for the process that holds it, or end it if it hangs, then repeat the command.",
    details: { path, waitedMs },
  });
}

export function storeFull(path: string, cause: unknown): WaymarkError {
  return new WaymarkError({
    code: "STORE_FULL",
    message: `\`${path}\` could not be written: the disk is full, or a quota or a limit on file sizes is reached. Nothing was recorded.`,
    fix: "Make room on the disk that holds the path, then repeat the command.",
    details: { path },
    cause,
  });
}

export function storeReadOnly(path: string, why: string, cause?: unknown): WaymarkError {
  return new WaymarkError({
    code: "STORE_READ_ONLY",
    message: `\`${path}\` cannot be written to: ${why}. Nothing was recorded.`,
    fix: "Give this user write permission for the folder and the files in it, or choose another folder for the store.",
    details: { path },
    cause,
  });
}

export function storeCorrupt(path: string, why: string, cause?: unknown): WaymarkError {
  return new WaymarkError({
    code: "STORE_CORRUPT",
    message: `\`${path}\` is damaged: ${why}.`,
    fix: "Stop all processes that use the store, keep a copy of its folder, then run `waymark doctor` or restore a backup.",
    details: { path },
    cause,
  });
}

export function storeMoved(path: string): WaymarkError {
  return new WaymarkError({
    code: "STORE_MOVED",
    message: `\`${path}\` was deleted, moved or replaced while it was open. Nothing was recorded.`,
    fix: "Put the folder back or start this process again.",
    details: { path },
  });
}

export function storeTooNew(path: string, found: number, known: number): WaymarkError {
  return new WaymarkError({
    code: "STORE_TOO_NEW",
    message: `\`${path}\` has schema ${found}, and this version of Waymark knows schemas up to ${known}. Nothing was changed.`,
    fix: `Use the newer version of Waymark, or restore a backup that ends in \`.v${known}.bak\`.`,
    details: { path, found, known },
  });
}

export function engineTooOld(found: string, needed: string): WaymarkError {
  return new WaymarkError({
    code: "STORE_ENGINE_TOO_OLD",
    message: `SQLite ${found} is in use, but at least ${needed} is needed: older versions can lose data when several processes write.`,
    fix: "Install the dependencies again, so that the version Waymark names is used.",
    details: { found, needed },
  });
}

export function cannotOpen(path: string, why: string, cause?: unknown): WaymarkError {
  return new WaymarkError({
    code: "STORE_CANNOT_OPEN",
    message: `\`${path}\` cannot be opened as a store: ${why}.`,
    fix: "Put the store into a folder of its own on a local disk.",
    details: { path },
    cause,
  });
}

export function storeFailed(path: string, cause: unknown): WaymarkError {
  const why = cause instanceof Error ? cause.message : String(cause);
  return new WaymarkError({
    code: "STORE_FAILED",
    message: `The store could not use \`${path}\`: ${why}.`,
    fix: "Remove the reported cause, then repeat the command; nothing of the refused change was recorded.",
    details: { path },
    cause,
  });
}

/** Gives an error of the file system its place in the catalogue. */
export function fileFailure(error: unknown, path: string): WaymarkError {
  switch ((error as NodeJS.ErrnoException).code) {
    case "ENOSPC":
    case "EDQUOT":
    case "EFBIG":
      return storeFull(path, error);
    case "EROFS":
    case "EACCES":
    case "EPERM":
      return storeReadOnly(path, "it is read-only for this user", error);
    default:
      return storeFailed(path, error);
  }
}

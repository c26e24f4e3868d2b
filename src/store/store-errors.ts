import { defined, WaymarkError } from "../base/index.ts";
import { storeCodes } from "./codes.ts";

type Details = Readonly<Record<string, unknown>>;

/** The fix is the catalogue's, unless this case has a better one. */
function failed(code: string, message: string, details: Details = {}, more: { cause?: unknown; fix?: string } = {}): WaymarkError {
  return new WaymarkError({ code, message, fix: storeCodes[code]?.fix ?? "", details, ...more });
}

export function noRun(run: string): WaymarkError {
  return failed("STORE_NO_RUN", `There is no run \`${run}\` in this store.`, { run });
}

export function runExists(run: string): WaymarkError {
  return failed("STORE_RUN_EXISTS", `A run with the id \`${run}\` already exists; ids are never used twice.`, { run });
}

export function notAdopted(
  location: string,
  runs: readonly { readonly id: string; readonly workflow: string; readonly since: string }[],
  more: boolean,
): WaymarkError {
  const named = runs.map(({ id, workflow, since }) => `\`${id}\` (${workflow}, since ${since})`);
  const open = named.length === 0 ? "It has no open runs." : `Its open runs: ${named.join(", ")}${more ? " and more" : ""}.`;
  const message = `The store in \`${location}\` was not made by you on this computer. ${open} Nothing was changed.`;
  return failed("STORE_NOT_ADOPTED", message, { location, open_runs: runs });
}

export function duplicateKey(run: string, key: string): WaymarkError {
  const message = `The journal of run \`${run}\` already has a record with the key \`${key}\`. Nothing was recorded.`;
  return failed("STORE_DUPLICATE_KEY", message, { run, key });
}

export function noItem(list: string, id: string): WaymarkError {
  const message = `A change names the item \`${id}\` of the list \`${list}\`, which the store does not have. Nothing was recorded.`;
  return failed("STORE_NO_ITEM", message, { list, id });
}

export function badText(): WaymarkError {
  const message = "A text that should be JSON holds the character U+0000, at which the database would cut it. Nothing was recorded.";
  return failed("STORE_BAD_TEXT", message);
}

export function badHash(hash: string): WaymarkError {
  return failed("STORE_BAD_HASH", `\`${hash.slice(0, 80)}\` is not a hash of 64 lower-case hexadecimal digits.`);
}

export function noBlob(hash: string): WaymarkError {
  return failed("STORE_NO_BLOB", `The store has no blob \`${hash}\`.`, { hash });
}

interface Waited {
  readonly cause: unknown;
  /** The connection was lost when the change may have been recorded. */
  readonly uncertain: boolean;
  /** How long was waited where nothing has ever answered, if that was the limit that counted. */
  readonly firstWaitMs?: number | undefined;
}

export function storeUnreachable(path: string, waitedMs: number, { cause, uncertain, firstWaitMs }: Waited): WaymarkError {
  const why = cause instanceof Error ? cause.message : String(cause);
  const recorded = uncertain ? "Whether the last change was recorded is not known." : "Nothing was recorded.";
  const message = `The database \`${path}\` could not be reached for ${(waitedMs / 1000).toFixed(1)} seconds: ${why}. ${recorded}`;
  const fix =
    firstWaitMs === undefined
      ? undefined
      : `Check the address, or repeat the command when the server is there. One that has never answered is waited for ${firstWaitMs / 1000} seconds, by \`waymark work\` as long as \`store.wait_ms\` says.`;
  return failed("STORE_UNREACHABLE", message, { path, waitedMs, uncertain }, defined({ fix }));
}

export function noFile(path: string, why: string): WaymarkError {
  return failed("STORE_NO_FILE", `\`${path}\` cannot be taken into the store: ${why}.`, { path });
}

export function storeClosed(path: string): WaymarkError {
  return failed("STORE_CLOSED", `The store \`${path}\` is closed.`, { path });
}

export function storeLocked(path: string, waitedMs: number, what: string): WaymarkError {
  const waited = `${(waitedMs / 1000).toFixed(1)} seconds`;
  const message = `${what} \`${path}\` stayed locked by other processes for ${waited}. Nothing was recorded.`;
  return failed("STORE_LOCKED", message, { path, waitedMs });
}

export function storeFull(path: string, cause: unknown): WaymarkError {
  const why = "the disk is full, or a quota or a limit on file sizes is reached";
  return failed("STORE_FULL", `\`${path}\` could not be written: ${why}. Nothing was recorded.`, { path }, { cause });
}

const readOnlyFolder = "Give this user write permission for the folder and the files in it, or choose another folder for the store.";

/** `fix`: of a store that is not a folder. */
export function storeReadOnly(path: string, why: string, cause?: unknown, fix: string = readOnlyFolder): WaymarkError {
  return failed("STORE_READ_ONLY", `\`${path}\` cannot be written to: ${why}. Nothing was recorded.`, { path }, { cause, fix });
}

export function nameTooLong(path: string, why: string, cause: unknown): WaymarkError {
  const message = `An id, a key or a name is too long for \`${path}\`, which finds it by an index (${why}). Nothing was recorded.`;
  return failed("STORE_NAME_TOO_LONG", message, { path }, { cause });
}

export function storeRefused(path: string, why: string, cause: unknown): WaymarkError {
  const message = `\`${path}\` does not take what was to be written (${why}). Nothing was recorded.`;
  return failed("STORE_REFUSED", message, { path }, { cause });
}

export function storeCorrupt(path: string, why: string, cause?: unknown): WaymarkError {
  return failed("STORE_CORRUPT", `\`${path}\` is damaged: ${why}.`, { path }, { cause });
}

export function storeMoved(path: string): WaymarkError {
  const message = `\`${path}\` was deleted, moved or replaced while it was open. Nothing was recorded.`;
  return failed("STORE_MOVED", message, { path });
}

/** Only a store in a folder has backups that it made itself. */
export function storeTooNew(path: string, { found, known, hasBackup }: { found: number; known: number; hasBackup: boolean }): WaymarkError {
  const message = `\`${path}\` has schema ${found}, and this version of Waymark knows schemas up to ${known}. Nothing was changed.`;
  const fix = `Use the newer version of Waymark${hasBackup ? `, or restore a backup that ends in \`.v${known}.bak\`` : ""}.`;
  return failed("STORE_TOO_NEW", message, { path, found, known }, { fix });
}

export function engineTooOld(found: string, needed: string): WaymarkError {
  const why = "older versions can lose data when several processes write";
  return failed("STORE_ENGINE_TOO_OLD", `SQLite ${found} is in use, but at least ${needed} is needed: ${why}.`, { found, needed });
}

export function serverTooOld(path: string, found: string, needed: string): WaymarkError {
  const fix = `Use a server with PostgreSQL ${needed} or newer.`;
  return failed(
    "STORE_ENGINE_TOO_OLD",
    `\`${path}\` is PostgreSQL ${found}, but at least ${needed} is needed.`,
    { found, needed },
    { fix },
  );
}

/** `found`: the schema that is there, 0 for none. */
export function notOwner(
  path: string,
  { found, newest, why }: { readonly found: number; readonly newest: number; readonly why: string },
): WaymarkError {
  const is = found === 0 ? "has no tables of Waymark" : `has schema ${found}, and this version of Waymark needs schema ${newest}`;
  const act = found === 0 ? "make them" : "upgrade it";
  const message = `\`${path}\` ${is}; this user of the database may not ${act} (${why}). Nothing was changed.`;
  return failed("STORE_NOT_OWNER", message, { path, found, newest });
}

/** `fix`: for this cause; without one that of the catalogue. */
export function cannotOpen(path: string, why: string, cause?: unknown, fix?: string): WaymarkError {
  const message = `\`${path}\` cannot be opened as a store: ${why}.`;
  return failed("STORE_CANNOT_OPEN", message, { path }, { cause, ...defined({ fix }) });
}

export function storeFailed(path: string, cause: unknown): WaymarkError {
  const why = cause instanceof Error ? cause.message : String(cause);
  return failed("STORE_FAILED", `The store could not use \`${path}\`: ${why}.`, { path }, { cause });
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

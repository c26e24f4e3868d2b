import { accessSync, constants, existsSync, statSync } from "node:fs";
import { mkdir, readdir, writeFile } from "node:fs/promises";
import { dirname, join, resolve } from "node:path";
import { pathToFileURL } from "node:url";
import type { Store } from "../../ports/index.ts";
import { cannotOpen, engineTooOld, fileFailure, storeNotFound } from "../store-errors.ts";
import { syncFolder } from "../sync-file.ts";
import { migrate, type Migration } from "./migrate.ts";
import { migrations } from "./schema.ts";
import { SqliteConnection } from "./sqlite-connection.ts";
import { createSqliteStore } from "./sqlite-store.ts";

export interface SqliteStoreOptions {
  /** Holds `waymark.db`, its companions and `blobs/`; created with a `.gitignore` that hides all of it. */
  readonly folder: string;
  /** How long to wait for other processes before `STORE_LOCKED`; 15 seconds if not given. */
  readonly busyTimeoutMs?: number;
  /** Reads what is there: creates, upgrades and writes nothing. */
  readonly readonly?: boolean;
  /** The store's clock; that of the computer if not given. */
  readonly now?: () => number;
}

/**
 * Opens the store in the folder and creates it if there is none. Any number of processes of one computer may have it open.
 * Tests of upgrades bring a list of schemas of their own.
 */
export async function openSqliteStore(options: SqliteStoreOptions, schemas: readonly Migration[] = migrations): Promise<Store> {
  const folder = resolve(options.folder);
  const file = join(folder, "waymark.db");
  const readonly = options.readonly ?? false;
  const isNew = !existsSync(file);
  if (!readonly) await prepareFolder(folder, file);
  else if (isNew) throw storeNotFound(folder);
  const db = new SqliteConnection({
    location: readonly ? readLocation(file) : file,
    file,
    readonly,
    patienceMs: options.busyTimeoutMs ?? 15_000,
  });
  try {
    const engine = await configure(db);
    const schema = await migrate(db, schemas);
    if (isNew) await syncFolder(folder);
    return createSqliteStore({ db, folder, schema, engine, now: options.now ?? Date.now });
  } catch (error) {
    db.close();
    throw error;
  }
}

async function prepareFolder(folder: string, file: string): Promise<void> {
  try {
    await mkdir(folder, { recursive: true });
    const names = await readdir(folder);
    if (names.length === 0) {
      await writeFile(join(folder, ".gitignore"), "*\n");
      await syncFolder(dirname(folder));
    }
    if (!names.includes("blobs")) await mkdir(join(folder, "blobs"), { recursive: true });
    accessSync(folder, constants.W_OK);
    if (names.includes("waymark.db")) accessSync(file, constants.W_OK);
  } catch (error) {
    const code = (error as NodeJS.ErrnoException).code;
    if (code === "ENOTDIR" || code === "EEXIST") throw cannotOpen(folder, "a file is where a folder is needed", error);
    throw fileFailure(error, folder);
  }
}

/**
 * SQLite shares the file with writers through files beside it. In a folder where it cannot create them, a store that was
 * closed properly is read as a file that does not change.
 */
function readLocation(file: string): string {
  try {
    accessSync(dirname(file), constants.W_OK);
    return file;
  } catch {
    const unmerged = (statSync(`${file}-wal`, { throwIfNoEntry: false })?.size ?? 0) > 0;
    return unmerged ? file : `${pathToFileURL(file).href}?immutable=1`;
  }
}

const neededEngine = "3.51.3";

/** Answers which engine it is. The settings are those of the connection, not of the file, apart from the journal mode. */
async function configure(db: SqliteConnection): Promise<string> {
  const version = await db.read(() => db.get<{ version: string }>("select sqlite_version() as version")?.version ?? "0");
  requireEngine(version);
  await db.read(() => {
    if (!db.readonly) {
      const mode = db.get<{ journal_mode: string }>("pragma journal_mode = wal")?.journal_mode;
      if (mode !== "wal") throw cannotOpen(db.file, "the file system does not support files shared between processes");
      // After a very large commit the log goes back to this size.
      db.exec("pragma journal_size_limit = 67108864");
    }
    db.exec(
      "pragma synchronous = full; pragma foreign_keys = on; pragma trusted_schema = off; pragma temp_store = memory; pragma cache_size = -16000",
    );
  });
  return `SQLite ${version}`;
}

/** Before 3.51.3 two processes that write and checkpoint at once can lose committed data. */
export function requireEngine(version: string): void {
  if (version.localeCompare(neededEngine, "en", { numeric: true }) < 0) throw engineTooOld(version, neededEngine);
}

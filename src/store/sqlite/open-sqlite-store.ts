import { accessSync, constants, statSync } from "node:fs";
import { chmod, mkdir, readdir } from "node:fs/promises";
import { dirname, join, resolve } from "node:path";
import { makeStoreFolder, syncFolder } from "../../disk/index.ts";
import type { Conversations, Store } from "../../ports/index.ts";
import { cannotOpen, engineTooOld, fileFailure } from "../store-errors.ts";
import { migrate, type Migration, type NewId } from "./migrate.ts";
import { migrations } from "./schema.ts";
import { SqliteConnection } from "./sqlite-connection.ts";
import { createSqliteConversations } from "./sqlite-conversations.ts";
import { createSqliteStore, Database, type OpenedDatabase } from "./sqlite-store.ts";

interface SqliteStoreOptions {
  /** Holds `waymark.db`, its companions and `blobs/`; created with a `.gitignore` that hides all of it. */
  readonly folder: string;
  /** How long to wait for other processes before `STORE_LOCKED`; 15 seconds if not given. */
  readonly busyTimeoutMs?: number;
  /** The store's clock; that of the computer if not given. */
  readonly now?: () => number;
  /** Makes the id of a store that is about to be made; a random one if not given. */
  readonly newId?: NewId;
}

/**
 * The store in the folder. The first call that keeps something creates it: commands that only look create nothing, and a server answers
 * its first request without waiting. Any number of processes of one computer may have it open. Tests of upgrades bring a list of schemas
 * of their own.
 */
export function sqliteStore(options: SqliteStoreOptions, schemas?: readonly Migration[]): Store {
  return createSqliteStore(resolve(options.folder), options.now ?? Date.now, databaseOf(options, schemas));
}

/** The same store, opened now. */
export async function openSqliteStore(options: SqliteStoreOptions, schemas?: readonly Migration[]): Promise<Store> {
  const database = databaseOf(options, schemas);
  await database.opened();
  return createSqliteStore(resolve(options.folder), options.now ?? Date.now, database);
}

/** What a chat remembers, in the file of the store in the folder. */
export function sqliteConversations(options: SqliteStoreOptions): Conversations {
  return createSqliteConversations(options.now ?? Date.now, databaseOf(options));
}

function databaseOf(options: SqliteStoreOptions, schemas: readonly Migration[] = migrations): Database {
  const folder = resolve(options.folder);
  return new Database({
    isThere: () => isThere(join(folder, "waymark.db")),
    open: () => openDatabase(folder, options, schemas),
    empty: async () => {
      const db = new SqliteConnection({ file: ":memory:", patienceMs: 0 });
      return { db, schema: await migrate(db, schemas), engine: await engineOf(db) };
    },
  });
}

/** Whatever else is in the way of the file is for `open` to name. */
function isThere(file: string): boolean {
  try {
    statSync(file);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code !== "ENOENT";
  }
}

async function openDatabase(
  folder: string,
  { busyTimeoutMs = 15_000, newId }: SqliteStoreOptions,
  schemas: readonly Migration[],
): Promise<OpenedDatabase> {
  const file = join(folder, "waymark.db");
  const isNew = !isThere(file);
  // Before anything is written: a store that gets no id leaves nothing.
  const id = isNew ? await newId?.() : undefined;
  await prepareFolder(folder, file);
  const db = new SqliteConnection({ file, patienceMs: busyTimeoutMs });
  try {
    const engine = await configure(db);
    const schema = await migrate(db, schemas, id === undefined ? newId : () => Promise.resolve(id));
    if (isNew) await syncFolder(folder);
    return { db, schema, engine };
  } catch (error) {
    db.close();
    throw error;
  }
}

async function prepareFolder(folder: string, file: string): Promise<void> {
  try {
    const isHidden = makeStoreFolder(folder);
    const names = await readdir(folder);
    if (isHidden || names.includes("waymark.db")) await closeToOthers(folder);
    if (isHidden) await syncFolder(dirname(folder));
    if (!names.includes("blobs")) await mkdir(join(folder, "blobs"), { recursive: true });
    accessSync(folder, constants.W_OK);
    if (names.includes("waymark.db")) accessSync(file, constants.W_OK);
  } catch (error) {
    const code = (error as NodeJS.ErrnoException).code;
    if (code === "ENOTDIR" || code === "EEXIST") throw cannotOpen(folder, "a file is where a folder is needed", error);
    throw fileFailure(error, folder);
  }
}

const ownMode = 0o700;

/** Secret inputs are in the file: only its user can enter the folder. Where the file system has no such permissions, they stay as they are. */
async function closeToOthers(folder: string): Promise<void> {
  const { uid, mode } = statSync(folder);
  if (uid === process.getuid?.() && (mode & 0o077) !== 0) await chmod(folder, ownMode).catch(() => undefined);
}

const neededEngine = "3.51.3";

/** Answers which engine it is. The settings are those of the connection, not of the file, apart from the journal mode. */
async function configure(db: SqliteConnection): Promise<string> {
  const engine = await engineOf(db);
  await db.read(() => {
    const mode = db.get<{ journal_mode: string }>("pragma journal_mode = wal")?.journal_mode;
    if (mode !== "wal") throw cannotOpen(db.file, "the file system does not support files shared between processes");
    // After a very large commit the log goes back to this size.
    db.exec("pragma journal_size_limit = 67108864");
    db.exec(
      "pragma synchronous = full; pragma foreign_keys = on; pragma trusted_schema = off; pragma temp_store = memory; pragma cache_size = -16000",
    );
  });
  return engine;
}

async function engineOf(db: SqliteConnection): Promise<string> {
  const version = await db.read(() => db.get<{ version: string }>("select sqlite_version() as version")?.version ?? "0");
  requireEngine(version);
  return `SQLite ${version}`;
}

/** Before 3.51.3 two processes that write and checkpoint at once can lose committed data. */
export function requireEngine(version: string): void {
  if (version.localeCompare(neededEngine, "en", { numeric: true }) < 0) throw engineTooOld(version, neededEngine);
}

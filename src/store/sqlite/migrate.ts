import { randomUUID } from "node:crypto";
import { openSync, closeSync, fsyncSync, renameSync, rmSync } from "node:fs";
import { isWaymarkError } from "../../base/index.ts";
import { storeCorrupt, fileFailure, storeTooNew } from "../store-errors.ts";
import { SqliteConnection } from "./sqlite-connection.ts";
import { sqliteFailure } from "./sqlite-failure.ts";

/** One step from the schema before to schema `to`. Runs inside a transaction with foreign keys unchecked until its end. */
export interface Migration {
  readonly to: number;
  readonly up: (db: SqliteConnection) => void;
}

/** Makes the id of a store that is about to be made. */
export type NewId = () => Promise<string>;
const randomId: NewId = async () => randomUUID();

/**
 * Brings the file to the newest schema of the list and answers its number. A file with data is first copied to
 * `<file>.v<N>.bak`. Of several processes one does the work while the others wait; a process that has the file open with
 * an older schema is refused at its next write. A newer schema than the list knows is refused and left alone.
 */
export async function migrate(db: SqliteConnection, migrations: readonly Migration[], newId: NewId = randomId): Promise<number> {
  const newest = migrations.at(-1)?.to ?? 0;
  const found = await db.snapshot(() => schemaOf(db));
  if (found > newest) throw storeTooNew(db.file, { found, known: newest, hasBackup: true });
  if (found < newest) await upgrade(db, migrations, found === 0 ? await newId() : undefined);
  db.requireSchema(newest);
  return newest;
}

/** `id`: of a store that is made now. */
async function upgrade(db: SqliteConnection, migrations: readonly Migration[], id: string | undefined): Promise<void> {
  const newest = migrations.at(-1)?.to ?? 0;
  // Replacing a table would otherwise delete the rows that refer to it; the setting has no effect inside a transaction.
  await db.read(() => db.exec("pragma foreign_keys = off"));
  try {
    await db.write(() => {
      const found = schemaOf(db);
      if (found > newest) throw storeTooNew(db.file, { found, known: newest, hasBackup: true });
      if (found === newest) return;
      if (found > 0) copyAside(db.file, found);
      for (const { to, up } of migrations) if (to > found) up(db);
      if (db.all("pragma foreign_key_check").length > 0)
        throw storeCorrupt(db.file, `rows lost their run while schema ${found} was upgraded to ${newest}`);
      db.exec("create table if not exists meta (name text primary key, value text not null) strict, without rowid");
      db.run("insert into meta (name, value) values ('schema', ?) on conflict (name) do update set value = excluded.value", String(newest));
      if (id !== undefined && found === 0) writeId(db, id);
    });
  } finally {
    await db.read(() => db.exec("pragma foreign_keys = on"));
  }
}

/** The id of the store; empty in one that was made by an earlier version. */
export function readId(db: SqliteConnection): string {
  return db.get<{ value: string }>("select value from meta where name = 'id'")?.value ?? "";
}

/** A store that has an id keeps it. */
export function writeId(db: SqliteConnection, id: string): void {
  db.run("insert into meta (name, value) values ('id', ?) on conflict (name) do nothing", id);
}

/** 0 for an empty file. Call it inside a transaction: another process may be creating the store at this moment. */
function schemaOf(db: SqliteConnection): number {
  const meta = db.get<{ found: number }>("select name = 'meta' as found from sqlite_schema order by found desc limit 1");
  if (meta === undefined) return 0;
  if (meta.found !== 1) throw storeCorrupt(db.file, "it is a SQLite database that is not a store");
  return db.writtenSchema();
}

/** The write lock is held by the caller, so the copy has exactly what is about to be upgraded. */
function copyAside(file: string, schema: number): void {
  const aside = `${file}.v${schema}.bak`;
  const unfinished = `${aside}.${process.pid}.tmp`;
  try {
    rmSync(unfinished, { force: true });
    const source = new SqliteConnection({ file, readonly: true, patienceMs: 0 });
    try {
      source.run("vacuum into ?", unfinished);
    } catch (error) {
      throw sqliteFailure(error, aside);
    } finally {
      source.close();
    }
    const handle = openSync(unfinished, "r+");
    fsyncSync(handle);
    closeSync(handle);
    renameSync(unfinished, aside);
  } catch (error) {
    rmSync(unfinished, { force: true });
    throw isWaymarkError(error) ? error : fileFailure(error, aside);
  }
}

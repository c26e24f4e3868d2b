import { randomUUID } from "node:crypto";
import { cannotOpen, notOwner, storeTooNew } from "../store-errors.ts";
import type { Attempt, PostgresConnection, Statements } from "./postgres-connection.ts";
import { isAlreadyThere, isForbidden } from "./postgres-failure.ts";

/** One step from the schema before to schema `to`. */
export interface Migration {
  readonly to: number;
  /** Statements without parameters. */
  readonly sql: string;
}

/** Makes the id of a store that is about to be made. */
export type NewId = () => Promise<string>;
const randomId: NewId = async () => randomUUID();

/** Of the whole database: nothing else of Waymark takes such a lock. */
export const migrationLock = 7_265_117_034;

/**
 * Brings the database to the newest schema of the list and answers its number. Of several processes one does the work in one transaction
 * while the others wait; a process that works with an older schema is refused at its next write. A newer schema than the list knows is
 * refused and left alone.
 */
export async function migrate(connection: PostgresConnection, migrations: readonly Migration[], newId: NewId = randomId): Promise<number> {
  const newest = migrations.at(-1)?.to ?? 0;
  const found = await connection.each(schemaOf);
  if (found > newest) throw storeTooNew(connection.place, { found, known: newest, hasBackup: false });
  if (found < newest) await upgrade(connection, migrations, found === 0 ? await newId() : undefined);
  connection.requireSchema(newest);
  return newest;
}

/** `id`: of a store that is made now. */
async function upgrade(connection: PostgresConnection, migrations: readonly Migration[], id: string | undefined): Promise<void> {
  const newest = migrations.at(-1)?.to ?? 0;
  await connection.write(async (db) => {
    // It ends with the transaction, so that a pooler may stand between.
    await db.run(`select pg_advisory_xact_lock(${migrationLock})`);
    const found = await schemaOf(db);
    if (found > newest) throw storeTooNew(connection.place, { found, known: newest, hasBackup: false });
    if (found === newest) return;
    try {
      await perform(db, { migrations, found, id });
    } catch (error) {
      const why = error instanceof Error ? error.message : String(error);
      if (isForbidden(error)) throw notOwner(connection.place, { found, newest, why });
      // Seed 002 names its tables, and another program that follows it has made them first.
      if (isAlreadyThere(error))
        throw cannotOpen(connection.place, `${why}, made by another program; the store needs a database of its own`);
      throw error;
    }
  });
}

interface Upgrade {
  readonly migrations: readonly Migration[];
  readonly found: number;
  readonly id: string | undefined;
}

async function perform(db: Attempt, { migrations, found, id }: Upgrade): Promise<void> {
  if (found === 0) {
    await db.run("create schema if not exists waymark_store");
    await db.run('create table waymark_store.meta (name text collate "C" primary key, value text not null)');
  }
  for (const { to, sql } of migrations) if (to > found) await db.run(sql);
  const sql = "insert into waymark_store.meta (name, value) values ('schema', $1) on conflict (name) do update set value = excluded.value";
  await db.run(sql, String(migrations.at(-1)?.to ?? 0));
  if (id !== undefined && found === 0) await writeId(db, id);
}

/** 0 for a database that is not a store yet. */
export async function schemaOf(db: Statements): Promise<number> {
  // The server may still remember for `to_regclass` that it was not there, if another process made it while this one waited for the lock.
  const meta = `select 1 as there from pg_catalog.pg_class c join pg_catalog.pg_namespace n on n.oid = c.relnamespace
    where n.nspname = 'waymark_store' and c.relname = 'meta'`;
  if ((await db.get(meta)) === undefined) return 0;
  return Number((await db.get<{ value: string }>("select value from waymark_store.meta where name = 'schema'"))?.value ?? 0);
}

/** The id of the store, and what tells its database from a copy of it. */
export async function readIdentity(db: Statements): Promise<{ readonly id: string; readonly file: string }> {
  const sql = `select (select value from waymark_store.meta where name = 'id') as id,
    (select oid::text from pg_database where datname = current_database()) as file`;
  const row = await db.get<{ id: string | null; file: string }>(sql);
  return { id: row?.id ?? "", file: row?.file ?? "" };
}

/** A store that has an id keeps it. */
export async function writeId(db: Statements, id: string): Promise<void> {
  await db.run("insert into waymark_store.meta (name, value) values ('id', $1) on conflict (name) do nothing", id);
}

import { mkdtempSync, readdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { commitOf, pins } from "../contract/sample.contract.ts";
import { migrate, type Migration } from "./migrate.ts";
import { openSqliteStore, sqliteConversations } from "./open-sqlite-store.ts";
import { migrations } from "./schema.ts";
import { SqliteConnection, type Param } from "./sqlite-connection.ts";

/** Replaces the table that others refer to, which is the hardest kind of change. */
const next: Migration = {
  to: 5,
  up: (db) => {
    const [table] = db.all<{ sql: string }>("select sql from sqlite_schema where name = 'run'");
    db.exec((table?.sql ?? "").replace("run (", "run_two (").replace("status text", "colour text not null default 'green', status text"));
    const columns = "no, id, workflow, program, sources, created_at, updated_at, status, line, head, lock_owner, lock_until";
    db.exec(`insert into run_two (${columns}) select ${columns} from run`);
    // The view of the seed's table would refer to a table that is not there.
    db.exec("pragma legacy_alter_table = on; drop table run; alter table run_two rename to run; pragma legacy_alter_table = off");
  },
};
const more = [...migrations, next];
let folder = "";
let file = "";

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "waymark-migrate-"));
  file = join(folder, "waymark.db");
});
afterEach(() => rmSync(folder, { recursive: true }));

async function createOne(): Promise<void> {
  const store = await openSqliteStore({ folder });
  await store.createRun({ id: "r", workflow: "w", ...(await pins(store)) }, commitOf());
  await store.close();
}

function ask<Row>(path: string, sql: string): Row | undefined {
  const db = new SqliteConnection({ file: path, readonly: true, patienceMs: 0 });
  const row = db.get<Row>(sql);
  db.close();
  return row;
}

test("a new store has the newest schema and no copy", async () => {
  const store = await openSqliteStore({ folder }, more);
  expect(await store.describe()).toMatchObject({ schema: 5 });
  await store.close();
  expect(readdirSync(folder).filter((name) => name.includes("bak"))).toEqual([]);
});

test("an older store is copied aside and upgraded with all its rows", async () => {
  await createOne();
  const store = await openSqliteStore({ folder }, more);
  expect(await store.describe()).toMatchObject({ schema: 5 });
  expect(await store.readRun("r")).toMatchObject({ workflow: "w", head: 1 });
  expect(await store.readRecords("r", 0, 9)).toHaveLength(1);
  expect(await store.commit("r", 1, commitOf())).toEqual({ ok: true, head: 2 });
  expect(await store.verify()).toEqual([]);
  await store.removeRun("r");
  expect(await store.verify()).toEqual([]);
  await store.close();
  expect(ask(file, "select value from meta where name = 'schema'")).toEqual(expect.objectContaining({ value: "5" }));
  const copy = `${file}.v4.bak`;
  expect(ask(copy, "select value from meta where name = 'schema'")).toEqual(expect.objectContaining({ value: "4" }));
  expect(ask(copy, "select head from run where id = 'r'")).toEqual(expect.objectContaining({ head: 1 }));
  expect(readdirSync(folder).filter((name) => name.endsWith(".tmp"))).toEqual([]);
});

test("a store of schema 1 gets a place for account pools and keeps everything else", async () => {
  const first = await openSqliteStore({ folder }, migrations.slice(0, 1));
  await first.createRun({ id: "r", workflow: "w", ...(await pins(first)) }, commitOf());
  await first.acquire("k", "me", 3, 60_000);
  expect(await first.describe()).toMatchObject({ schema: 1 });
  await expect(first.readPools()).rejects.toMatchObject({ code: "STORE_FAILED" });
  await first.close();
  const store = await openSqliteStore({ folder });
  expect(await store.describe()).toMatchObject({ schema: 4 });
  expect(await store.readPools()).toEqual([]);
  await store.blockPool({ name: "p", blockedUntil: 5, reason: "full", seenBy: "r", guesses: 0 }, undefined);
  expect(await store.readPool("p")).toMatchObject({ blockedUntil: 5, reason: "full", seenBy: "r" });
  expect(await store.readRun("r")).toMatchObject({ workflow: "w", head: 1 });
  expect(await store.readLease("k")).toMatchObject({ owner: "me", fence: 3 });
  expect(await store.verify()).toEqual([]);
  await store.close();
  expect(readdirSync(folder)).toContain("waymark.db.v1.bak");
});

test("a store of schema 2 gets a place for conversations, and its runs are rows of the seed's table", async () => {
  const second = await openSqliteStore({ folder }, migrations.slice(0, 2));
  await second.createRun({ id: "r", workflow: "w", ...(await pins(second)) }, commitOf({ summary: { status: "running", line: "{}" } }));
  await second.close();
  const conversations = sqliteConversations({ folder });
  await conversations.openConversation({ platform: "p", platformId: "c" });
  await conversations.close();
  expect(ask(file, "select workflow_name, status, user_message, completed_at from remote_agent_workflow_runs")).toMatchObject({
    workflow_name: "w",
    status: "running",
    user_message: "",
    completed_at: null,
  });
  const store = await openSqliteStore({ folder });
  expect(await store.verify()).toEqual([]);
  await store.close();
  expect(readdirSync(folder)).toContain("waymark.db.v2.bak");
});

test("an upgrade that fails changes nothing", async () => {
  await createOne();
  const broken: Migration = {
    to: 6,
    up: (db) => {
      db.exec("delete from record");
      db.exec("create table nonsense (");
    },
  };
  await expect(openSqliteStore({ folder }, [...more, broken])).rejects.toMatchObject({ code: "STORE_FAILED" });
  const orphaning: Migration = { to: 5, up: (db) => db.exec("delete from run") };
  await expect(openSqliteStore({ folder }, [...migrations, orphaning])).rejects.toMatchObject({ code: "STORE_CORRUPT" });
  const store = await openSqliteStore({ folder });
  expect(await store.describe()).toMatchObject({ schema: 4 });
  expect(await store.readRecords("r", 0, 9)).toHaveLength(1);
  expect(await store.verify()).toEqual([]);
  await store.close();
});

test("a newer store is refused and both versions are named", async () => {
  await createOne();
  await (await openSqliteStore({ folder }, more)).close();
  await expect(openSqliteStore({ folder })).rejects.toMatchObject({
    code: "STORE_TOO_NEW",
    details: { found: 5, known: 4 },
    message: expect.stringMatching(/schema 5.*up to 4/),
  });
});

test("who has the old schema open is refused at the next write", async () => {
  await createOne();
  const old = await openSqliteStore({ folder });
  const upgraded = await openSqliteStore({ folder }, more);
  await expect(old.commit("r", 1, commitOf())).rejects.toMatchObject({ code: "STORE_TOO_NEW" });
  expect(await upgraded.readRun("r")).toMatchObject({ head: 1 });
  await old.close();
  await upgraded.close();
});

/** Another process creates the whole store just after this connection found that there is no table. */
class Overtaken extends SqliteConnection {
  overtake: () => void = () => {};
  override get<Row>(sql: string, ...params: readonly Param[]): Row | undefined {
    try {
      return super.get<Row>(sql, ...params);
    } finally {
      this.overtake();
    }
  }
}

test("a store that another process creates while this one looks for it is opened", async () => {
  const whole = join(folder, "elsewhere");
  await (await openSqliteStore({ folder: whole })).close();
  const version = ask<{ value: string }>(join(whole, "waymark.db"), "select value from meta where name = 'schema'")?.value ?? "";
  const other = new SqliteConnection({ file, patienceMs: 0 });
  const db = new Overtaken({ file, patienceMs: 1000 });
  for (const each of [other, db]) each.exec("pragma journal_mode = wal");
  db.overtake = () => {
    db.overtake = () => {};
    other.exec("begin immediate");
    for (const { up } of migrations) up(other);
    other.exec(`create table meta (name text primary key, value text not null) strict; insert into meta values ('schema', '${version}')`);
    other.exec("commit");
  };
  try {
    expect(await migrate(db, migrations)).toBe(Number(version));
  } finally {
    db.close();
    other.close();
  }
});

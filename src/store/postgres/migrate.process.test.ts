import { randomBytes } from "node:crypto";
import { expect, test } from "vitest";
import { openTestStore, type Opened, type OpenedTestStore } from "../../../test/support/postgres-store.ts";
import { postgresStore } from "./open-postgres-store.ts";
import { added, commitOf, item, pins, startRun } from "../contract/sample.contract.ts";
import { migrationLock, type Migration } from "./migrate.ts";
import { migrations } from "./schema.ts";

const newest = migrations.length;
/** Changes the table that others refer to. */
const next: Migration = { to: newest + 1, sql: "alter table waymark_store.run add column colour text not null default 'green'" };
const more = [...migrations, next];

async function withDatabase(
  work: (opened: OpenedTestStore & { readonly openAs: (schemas: readonly Migration[]) => Opened }) => Promise<void>,
): Promise<void> {
  const opened = await openTestStore();
  const others: Opened[] = [];
  const openAs = (schemas: readonly Migration[]): Opened => {
    const other = postgresStore({ ...opened.place, project: "tests", connections: 2 }, schemas);
    others.push(other);
    return other;
  };
  try {
    await work({ ...opened, openAs });
  } finally {
    await Promise.all(others.map(({ store }) => store.close()));
    await opened.clean();
  }
}

test("commands that only look make nothing", () =>
  withDatabase(async ({ database, store, open }) => {
    expect(await store.listRuns({})).toEqual([]);
    expect(await store.identity()).toBeUndefined();
    expect(await open().conversations.listCodebases()).toEqual([]);
    expect(await store.describe()).toMatchObject({ schema: 0, kind: "postgresql", project: "tests" });
    expect(await store.verify()).toEqual([]);
    const tables = "select 1 from pg_class where relnamespace = 'public'::regnamespace or relnamespace = to_regnamespace('waymark_store')";
    expect(await database.query(tables)).toEqual([]);
  }));

test.each(migrations.map(({ to }) => to))("a store of schema %s is upgraded with all its rows, and who has it open is refused", (to) =>
  withDatabase(async ({ openAs }) => {
    const { store: old } = openAs(migrations.slice(0, to));
    await old.createRun({ id: "r", workflow: "w", ...(await pins(old)) }, commitOf());
    expect(await old.commit("r", 1, commitOf())).toEqual({ ok: true, head: 2 });
    await old.acquire("k", "me", 3, 60_000);
    expect(await old.describe()).toMatchObject({ schema: to });
    const { store, conversations } = openAs(more);
    expect(await store.readRun("r")).toMatchObject({ workflow: "w", head: 2 });
    expect(await store.describe()).toMatchObject({ schema: newest + 1 });
    expect(await store.readLease("k")).toMatchObject({ owner: "me", fence: 3 });
    await conversations.check();
    await expect(old.commit("r", 2, commitOf())).rejects.toMatchObject({
      code: "STORE_TOO_NEW",
      details: { found: newest + 1, known: to },
    });
    expect(await store.commit("r", 2, commitOf())).toEqual({ ok: true, head: 3 });
    expect(await store.verify()).toEqual([]);
  }),
);

test("an upgrade that fails changes nothing", () =>
  withDatabase(async ({ database, store, openAs }) => {
    await store.createRun({ id: "r", workflow: "w", ...(await pins(store)) }, commitOf());
    const broken: Migration = { to: newest + 2, sql: "delete from waymark_store.record; create table nonsense (" };
    await expect(openAs([...more, broken]).store.readRun("r")).rejects.toMatchObject({ code: "STORE_REFUSED" });
    expect(await store.readRecords("r", 0, 9)).toHaveLength(1);
    expect(await database.query("select value from waymark_store.meta where name = 'schema'")).toEqual([{ value: String(newest) }]);
    expect(await database.query("select 1 from information_schema.columns where column_name = 'colour'")).toEqual([]);
  }));

test("two who make the tables of a database whose transactions see one state wait for each other too", () =>
  withDatabase(async ({ database, place, open }) => {
    const locks =
      "from pg_locks where locktype = 'advisory' and database = (select oid from pg_database where datname = current_database())";
    const held = database.query(`do $$ begin
      perform pg_advisory_xact_lock(${migrationLock});
      while (select count(*) ${locks} and not granted) < 2 loop perform pg_sleep(0.01); end loop;
    end $$`);
    while ((await database.query(`select 1 ${locks}`)).length === 0);
    const url = `${place.url}?options=${encodeURIComponent("-c default_transaction_isolation=serializable")}`;
    const identities = await Promise.all([1, 2].map((id) => open({ url }).store.identify(String(id))));
    expect(new Set(identities.map(({ id }) => id)).size).toBe(1);
    await held;
  }));

test("a newer store is refused and both versions are named", () =>
  withDatabase(async ({ openAs }) => {
    await openAs(more).store.identify("the test's");
    await expect(openAs(migrations).store.listRuns({})).rejects.toMatchObject({
      code: "STORE_TOO_NEW",
      details: { found: newest + 1, known: newest },
      message: expect.stringContaining(`schema ${newest + 1}`),
      fix: expect.not.stringContaining(".bak"),
    });
  }));

test("a database that cannot hold every text is refused", () =>
  withDatabase(async ({ database, place }) => {
    await database.query("create database narrow encoding 'LATIN1' locale 'C' template template0");
    const url = place.url.replace(/[^/]*$/, "narrow");
    const { store } = postgresStore({ ...place, url, project: "tests" });
    const message = expect.stringContaining("its encoding is LATIN1") as string;
    await expect(store.putBlob(Buffer.from("a"))).rejects.toMatchObject({ code: "STORE_CANNOT_OPEN", message });
    await store.close();
    await database.query("drop database narrow");
  }));

test("a name that an index of the server does not take is refused, and nothing of the commit is there", () =>
  withDatabase(async ({ store }) => {
    const run = await startRun(store);
    for (const bytes of [1_500, 6_000]) {
      const id = randomBytes(bytes).toString("hex");
      const tooLong = { code: "STORE_NAME_TOO_LONG" };
      await expect(store.commit(run, 1, commitOf({ items: [added([item(id)])] }))).rejects.toMatchObject(tooLong);
      await expect(store.acquire(id, "me", 1, 60_000)).rejects.toMatchObject(tooLong);
    }
    expect(await store.readRun(run)).toMatchObject({ head: 1 });
    const longest = randomBytes(1_250).toString("hex");
    expect(await store.commit(run, 1, commitOf({ items: [added([item(longest)])] }))).toEqual({ ok: true, head: 2 });
  }));

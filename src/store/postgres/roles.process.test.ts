import { readFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import pg from "pg";
import { openTestStore, type Opened, type OpenedTestStore } from "../../../test/support/postgres-store.ts";
import { sharedPostgres } from "../../../test/support/postgres-for-tests.ts";
import { added, commitOf, item, pins } from "../contract/sample.contract.ts";
import { entryOf, readAll } from "../transcripts.contract.ts";
import { chunkBytes } from "./blob-rows.ts";
import type { Migration } from "./migrate.ts";
import { postgresStore } from "./open-postgres-store.ts";
import { migrations } from "./schema.ts";

const next: Migration = { to: migrations.length + 1, sql: "alter table waymark_store.run add column colour text" };
let database: OpenedTestStore;
const opened: Opened[] = [];

beforeAll(async () => {
  database = await openTestStore();
  const { query } = database.database;
  await query(readFileSync(join(import.meta.dirname, "../../../docs/postgresql-roles.sql"), "utf8"));
  for (const user of ["waymark_owner", "waymark_worker", "waymark_reader"]) await query(`alter role ${user} password 'secret'`);
});
afterAll(async () => {
  await Promise.all(opened.map(({ store }) => store.close()));
  await database.clean();
  // Users belong to the server, not to the database.
  const client = new pg.Client({ connectionString: await sharedPostgres() });
  await client.connect();
  await client.query("drop role waymark_owner; drop role waymark_worker; drop role waymark_reader");
  await client.end();
});

function addressOf(user: string): string {
  return Object.assign(new URL(database.place.url), { username: user, password: "secret" }).href;
}

function openAs(user: string, schemas: readonly Migration[] = migrations): Opened {
  const own = postgresStore({ ...database.place, url: addressOf(user), project: "tests", connections: 2 }, schemas);
  opened.push(own);
  return own;
}

test("the owner makes the tables, the worker works with them, and each is told what the other one must do", async () => {
  const worker = openAs("waymark_worker");
  await expect(worker.store.putBlob(Buffer.from("early"))).rejects.toMatchObject({
    code: "STORE_NOT_OWNER",
    message: expect.stringMatching(/has no tables of Waymark; this user of the database may not make them \(permission denied/),
    fix: expect.stringContaining("the user that owns the tables"),
  });
  await openAs("waymark_owner").store.identify("the test's");
  await workWith(worker);
  const newer = openAs("waymark_worker", [...migrations, next]);
  await expect(newer.store.listRuns({})).rejects.toMatchObject({
    code: "STORE_NOT_OWNER",
    message: expect.stringMatching(new RegExp(`has schema ${migrations.length}, and this version of Waymark needs schema ${next.to}`)),
  });
  await openAs("waymark_owner", [...migrations, next]).store.describe();
  expect(await newer.store.listRuns({})).toEqual([]);
});

test("the reader sees what waits, and nothing else, with the grants that the file names", async () => {
  const ask = async (user: string, sql: string): Promise<unknown> => {
    const client = new pg.Client({ connectionString: addressOf(user) });
    await client.connect();
    try {
      return await client.query(sql);
    } finally {
      await client.end();
    }
  };
  const roles = readFileSync(join(import.meta.dirname, "../../../docs/postgresql-roles.sql"), "utf8");
  const grants = [...roles.matchAll(/^-- +(grant .* to waymark_reader;)$/gm)].map(([, sql = ""]) => sql);
  expect(grants).toHaveLength(4);
  for (const sql of grants) await ask("waymark_owner", sql);
  expect(await ask("waymark_reader", "select coalesce(sum(parts), 0) from waymark_store.waiting where project = 'a'")).toBeDefined();
  for (const sql of ["select line from waymark_store.run", "select 1 from waymark_store.record"])
    await expect(ask("waymark_reader", sql)).rejects.toMatchObject({ code: "42501" });
});

/** A bit of everything that writes. */
async function workWith({ store, conversations, transcripts }: Opened): Promise<void> {
  const summary = { status: "running", line: JSON.stringify({ workflow_id: crypto.randomUUID() }) } as const;
  await store.createRun(
    { id: "r", workflow: "w", ...(await pins(store)) },
    commitOf({ items: [added([item("a", { facets: { t: "x" } })])], summary }),
  );
  await store.acquire("k", "me", 1, 60_000);
  expect(await store.commit("r", 1, commitOf({ summary }), { held: { key: "k", owner: "me" } })).toEqual({ ok: true, head: 2 });
  expect((await store.countItems("r", "files", { facets: { t: "x" } })).count).toBe(1);
  await store.writeSnapshot("r", 2, "s");
  await store.blockPool({ name: "p", blockedUntil: 1, reason: "full", seenBy: "r", guesses: 0 }, undefined);
  await store.freePool("p");
  await store.putBlob(Buffer.alloc(chunkBytes + 1));
  await store.collectBlobs();
  await transcripts.append([entryOf("r", { type: "message", text: "hello" })]);
  expect(await readAll(transcripts.read("r"))).toHaveLength(1);
  await transcripts.remove("r");
  const codebase = await conversations.keepCodebase({ name: "a", folder: "/a" });
  const { id: conversation } = await conversations.openConversation({ platform: "p", platformId: "c", codebase: codebase.id });
  await conversations.takeMessage({ conversation, key: "k", person: "p", text: "t" });
  await conversations.keepSession({ conversation, agent: "a", session: "s" });
  await conversations.followRun({ run: "r", conversation, codebase: codebase.id });
  expect(await conversations.listTemplates()).toEqual([]);
  await conversations.check();
  expect(await store.verify()).toEqual([]);
  await store.removeRun("r");
}

test.each([
  "create table public.mine (a int)",
  "create table waymark_store.mine (a int)",
  "create schema mine",
  "alter table waymark_store.run add column mine int",
  "drop table waymark_store.record",
  "truncate waymark_store.run cascade",
  "drop table remote_agent_workflow_runs",
])("the worker may not %s", async (sql) => {
  const client = new pg.Client({ connectionString: addressOf("waymark_worker") });
  await client.connect();
  try {
    await expect(client.query(sql)).rejects.toMatchObject({ code: "42501" });
  } finally {
    await client.end();
  }
});

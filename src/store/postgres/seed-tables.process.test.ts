import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import fc from "fast-check";
import { afterAll, beforeAll, expect, test } from "vitest";
import { openStoreWithClock } from "../../../test/support/postgres-clock.ts";
import { createTestDatabase, type TestDatabase } from "../../../test/support/postgres-database.ts";
import { openTestStore } from "../../../test/support/postgres-store.ts";
import type { RunStatus } from "../../kernel/index.ts";
import type { Commit, Store } from "../../ports/index.ts";
import { commitOf, pins, record } from "../contract/sample.contract.ts";
import { openSqliteStore } from "../sqlite/open-sqlite-store.ts";
import { SqliteConnection } from "../sqlite/sqlite-connection.ts";

/** The seed's file `007_workflow_runs.sql`, as it stands there. */
const seedMigration = `
-- Workflow runs tracking
CREATE TABLE IF NOT EXISTS remote_agent_workflow_runs (
  id UUID PRIMARY KEY DEFAULT gen_random_uuid(),
  workflow_name VARCHAR(255) NOT NULL,
  conversation_id UUID REFERENCES remote_agent_conversations(id) ON DELETE CASCADE,
  codebase_id UUID REFERENCES remote_agent_codebases(id) ON DELETE SET NULL,
  current_step_index INTEGER DEFAULT 0,
  status VARCHAR(20) NOT NULL DEFAULT 'running',  -- running, completed, failed
  user_message TEXT NOT NULL,
  metadata JSONB DEFAULT '{}',
  started_at TIMESTAMP WITH TIME ZONE DEFAULT NOW(),
  completed_at TIMESTAMP WITH TIME ZONE
);

CREATE INDEX IF NOT EXISTS idx_workflow_runs_conversation
  ON remote_agent_workflow_runs(conversation_id);
CREATE INDEX IF NOT EXISTS idx_workflow_runs_status
  ON remote_agent_workflow_runs(status);

COMMENT ON TABLE remote_agent_workflow_runs IS
  'Tracks workflow execution state for resumption and observability';
`;

/** Both stores have the same time, which tests set. */
let now = Date.parse("2026-11-19T08:00:00.000Z");
let folder = "";
let sqlite: Store;
let postgres: Awaited<ReturnType<typeof openStoreWithClock>>;

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), "waymark-seed-"));
  sqlite = await openSqliteStore({ folder, now: () => now });
  postgres = await openStoreWithClock(now);
});
afterAll(async () => {
  await sqlite.close();
  await postgres.clean();
  rmSync(folder, { recursive: true });
});

async function pass(milliseconds: number): Promise<void> {
  now += milliseconds;
  await postgres.setTime(now);
}

const columns = `id, workflow_name, conversation_id, codebase_id, current_step_index, status, user_message, metadata, started_at, completed_at`;
type Row = Readonly<Record<string, unknown>>;

function shownBySqlite(workflow: string): Row[] {
  const db = new SqliteConnection({ file: join(folder, "waymark.db"), readonly: true, patienceMs: 0 });
  try {
    const rows = db.all<Row>(`select ${columns} from remote_agent_workflow_runs where workflow_name = ? order by id`, workflow);
    return rows.map((row) => ({ ...row, metadata: JSON.parse(String(row["metadata"])) as unknown }));
  } finally {
    db.close();
  }
}

async function shownByPostgres(workflow: string, database = postgres.database): Promise<Row[]> {
  const sql = `select ${columns} from remote_agent_workflow_runs where workflow_name = $1 order by id`;
  const iso = (value: unknown): unknown => (value instanceof Date ? value.toISOString() : value);
  return (await database.query<Row>(sql, [workflow])).map((row) =>
    Object.fromEntries(Object.entries(row).map(([name, value]) => [name, iso(value)])),
  );
}

async function onBoth(work: (store: Store) => Promise<unknown>): Promise<void> {
  await work(sqlite);
  await work(postgres.store);
}

let made = 0;
/** The chat's rows that a line can name. */
async function openChat(): Promise<{ readonly conversation: string; readonly codebase: string }> {
  const { conversations } = postgres.open();
  const codebase = await conversations.keepCodebase({ name: "app", folder: "/projects/app" });
  const conversation = await conversations.openConversation({ platform: "t", platformId: `c${(made += 1)}`, codebase: codebase.id });
  return { conversation: conversation.id, codebase: codebase.id };
}

type RunSummary = NonNullable<Commit["summary"]>;

function summary(status: RunStatus, line: object): RunSummary {
  return { status, line: JSON.stringify(line) };
}

test("the seed's file changes nothing in the database, and its table is the one that is there", async () => {
  const { open, database, clean } = await openTestStore();
  await open().conversations.check();
  const [theirs, before] = [await createTestDatabase(), await catalog(database)];
  expect(before.length).toBeGreaterThan(100);
  await database.query(seedMigration);
  expect(await catalog(database)).toEqual(before);
  await theirs.query(
    "create table remote_agent_codebases (id uuid primary key); create table remote_agent_conversations (id uuid primary key)",
  );
  await theirs.query(seedMigration);
  const runs = (lines: readonly string[]): string[] => lines.filter((line) => line.includes("workflow_runs"));
  expect(runs(before).filter((line) => !line.includes("view"))).toEqual(runs(await catalog(theirs)));
  await theirs.drop();
  await clean();
});

/** Everything that is defined in it, a line each. */
async function catalog(database: TestDatabase): Promise<string[]> {
  const sql = `
    select format('column %s.%s.%s %s %s %s %s', table_schema, table_name, column_name, ordinal_position, udt_name || coalesce(character_maximum_length::text, ''),
      is_nullable, column_default) as line from information_schema.columns where table_schema not in ('pg_catalog', 'information_schema') and table_name not like 'seed_%'
    union all select indexdef from pg_indexes where schemaname not in ('pg_catalog', 'information_schema')
    union all select format('constraint %s %s %s', conrelid::regclass, conname, pg_get_constraintdef(oid)) from pg_constraint
      where connamespace not in ('pg_catalog'::regnamespace, 'information_schema'::regnamespace) and contype <> 'n'
    union all select format('view %s %s', viewname, definition) from pg_views where schemaname = 'waymark_store'
    union all select format('comment %s %s', objoid::regclass, description) from pg_description where classoid = 'pg_class'::regclass
      and objoid in (select oid from pg_class where relnamespace not in ('pg_catalog'::regnamespace, 'information_schema'::regnamespace))
    order by 1`;
  return (await database.query<{ line: string }>(sql)).map(({ line }) => line);
}

test("a run's row is the same on both: by its uuid, cancelled as failed, with an end once it is over and none when it continues", async () => {
  const chat = await openChat();
  const workflow_id = "0d8f6a52-1c5e-4a44-8a52-2f3c1b5d7e90";
  const id = "wf-a-2026-11-19-aaaaaa";
  const asked = { workflow_id, user_message: 'Say "ä😀" to $1', ...chat };
  const expectSame = async (expected: Row): Promise<void> => {
    const [row, ...others] = await shownByPostgres("same");
    expect(others).toEqual([]);
    expect(row).toMatchObject(expected);
    expect(shownBySqlite("same")).toEqual([row]);
  };
  await onBoth(async (store) => store.createRun({ id, workflow: "same", ...(await pins(store)) }, commitOf()));
  await expectSame({ id: expect.stringMatching(/^[0-9a-f-]{36}$/), status: "running", user_message: "" });
  const steps: readonly [RunSummary, Row][] = [
    [
      summary("running", { ...asked, done: 1 }),
      { id: workflow_id, current_step_index: 1, ...shownChat(chat), metadata: {}, completed_at: null },
    ],
    [summary("failed", { ...asked, done: 1, error: "It broke." }), { status: "failed", metadata: { error: "It broke." } }],
    [summary("running", { ...asked, done: 2 }), { status: "running", metadata: {}, completed_at: null }],
    [
      summary("cancelled", { ...asked, done: 2, error: "Enough.", ended_at: "2026-11-19T08:01:02.345Z" }),
      {
        status: "failed",
        metadata: { cancelled: true, error: "Enough." },
        completed_at: "2026-11-19T08:01:02.345Z",
      },
    ],
    [
      summary("completed", { ...asked, done: 3 }),
      { status: "completed", metadata: {}, current_step_index: 3, user_message: asked.user_message },
    ],
  ];
  for (const [at, [next, expected]] of steps.entries()) {
    await pass(1_000);
    await onBoth((store) => store.commit(id, at + 1, commitOf({ summary: next })));
    await expectSame(expected);
  }
  const refused = commitOf({ records: [record({ key: "k" }), record({ key: "k" })], summary: summary("running", { ...asked, done: 9 }) });
  await onBoth((store) => expect(store.commit(id, 6, refused)).rejects.toMatchObject({ code: "STORE_DUPLICATE_KEY" }));
  await expectSame({ current_step_index: 3 });
  await onBoth((store) => store.removeRun(id));
  expect(await shownByPostgres("same")).toEqual([]);
});

function shownChat({ conversation, codebase }: { readonly conversation: string; readonly codebase: string }): Row {
  return { conversation_id: conversation, codebase_id: codebase };
}

const text = fc.string({ unit: fc.constantFrom("a", '"', "\\", "😀", "é", " ", "\ud7ff", "\ue000", "\n") });
const line = fc.record(
  {
    done: fc.nat(20),
    error: text,
    user_message: text,
    ended_at: fc.date({ min: new Date(0), max: new Date("2100-01-01"), noInvalidDate: true }).map((date) => date.toISOString()),
  },
  { requiredKeys: [] },
);
const change = fc.record({ status: fc.constantFrom<RunStatus[]>("running", "completed", "failed", "cancelled"), line, ms: fc.nat(5_000) });

test("whatever becomes of runs, both show the same rows", async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(fc.array(change, { maxLength: 4 }), { minLength: 1, maxLength: 3 }), async (runs) => {
      const workflow = `w${(made += 1)}`;
      for (const changes of runs) {
        const [id, uuid] = [`wf-${workflow}-${(made += 1)}-abcdef`, crypto.randomUUID()];
        await onBoth(async (store) => store.createRun({ id, workflow, ...(await pins(store)) }, commitOf()));
        for (const [at, { status, line: given, ms }] of changes.entries()) {
          await pass(ms);
          await onBoth((store) => store.commit(id, at + 1, commitOf({ summary: summary(status, { workflow_id: uuid, ...given }) })));
        }
      }
      const rows = await shownByPostgres(workflow);
      expect(rows).toHaveLength(runs.length);
      expect(shownBySqlite(workflow)).toEqual(rows);
    }),
    { numRuns: 10 },
  );
});

test("what the columns cannot hold is cut or replaced, and refuses no run or place", async () => {
  const { conversations, store } = postgres.open();
  const long = "x".repeat(600);
  const codebase = await conversations.keepCodebase({ name: long, folder: `/${long}\0`, repository: long });
  const one = await conversations.openConversation({ platform: long, platformId: `${long}1\0`, codebase: codebase.id });
  const two = await conversations.openConversation({ platform: long, platformId: `${long}2\0` });
  await conversations.moveConversation(two.id, { codebase: codebase.id, folder: long });
  await conversations.keepSession({ conversation: one.id, agent: long, session: long });
  const seen = await postgres.database.query("select id, codebase_id from remote_agent_conversations where id in ($1, $2) order by id", [
    one.id,
    two.id,
  ]);
  expect(seen).toEqual([one.id, two.id].sort().map((id) => ({ id, codebase_id: codebase.id })));
  const strange = {
    workflow_id: "no uuid",
    conversation: "none",
    codebase: crypto.randomUUID(),
    user_message: "a\0\ud800",
    done: 1e300,
    ended_at: "soon",
    error: "why\0\ud83d",
  };
  await store.createRun({ id: "strange\0", workflow: long, ...(await pins(store)) }, commitOf({ summary: summary("completed", strange) }));
  expect(await shownByPostgres(long.slice(0, 255))).toMatchObject([
    {
      conversation_id: null,
      codebase_id: null,
      current_step_index: 0,
      status: "completed",
      user_message: "a\ufffd\ufffd",
      metadata: { error: "why\ufffd\ufffd" },
      completed_at: expect.any(String),
    },
  ]);
  // Times that are some to JavaScript and none to the server.
  for (const ended_at of ["2026", "Thu Nov 19 2026", "+010000-01-01T00:00:00.000Z", "-000001-01-01T00:00:00.000Z"]) {
    const row = { id: crypto.randomUUID(), workflow: ended_at, ...(await pins(store)) };
    await store.createRun(row, commitOf({ summary: summary("completed", { ended_at }) }));
    expect(await shownByPostgres(ended_at)).toMatchObject([{ status: "completed", completed_at: expect.any(String) }]);
  }
});

test("a conversation's places and sessions are rows of the seed's tables", async () => {
  const { database, open, clean } = await openTestStore();
  const { conversations } = open();
  const codebase = await conversations.keepCodebase({ name: "app", folder: "/projects/app" });
  await conversations.keepCodebase({ name: "app", folder: "/projects/app", repository: "https://example.org/app" });
  const place = await conversations.openConversation({ platform: "terminal", platformId: "ann", codebase: codebase.id });
  await conversations.moveConversation(place.id, { codebase: codebase.id, folder: "/projects/app/src" });
  await conversations.keepSession({ conversation: place.id, agent: "a", session: "s1" });
  await conversations.keepSession({ conversation: place.id, agent: "a", session: "s2" });
  const [kept] = await database.query<Row>("select * from remote_agent_codebases");
  const common = { ai_assistant_type: "waymark", created_at: expect.any(Date), updated_at: expect.any(Date) };
  expect(kept).toEqual({
    ...common,
    id: codebase.id,
    name: "app",
    repository_url: "https://example.org/app",
    default_cwd: "/projects/app",
    commands: {},
  });
  const conversation = { platform_type: "terminal", platform_conversation_id: "ann", codebase_id: codebase.id, cwd: "/projects/app/src" };
  expect(await database.query("select * from remote_agent_conversations")).toEqual([{ ...common, ...conversation, id: place.id }]);
  expect(await database.query("select * from remote_agent_sessions order by assistant_session_id")).toMatchObject([
    {
      conversation_id: place.id,
      codebase_id: codebase.id,
      assistant_session_id: "s1",
      active: false,
      metadata: {},
      ended_at: expect.any(Date),
    },
    { assistant_session_id: "s2", active: true, ended_at: null },
  ]);
  await clean();
});

test("command templates are read from the seed's table, in which people write them", async () => {
  const { database, open, clean } = await openTestStore();
  const { conversations } = open();
  expect(await conversations.listTemplates()).toEqual([]);
  // The tables are made by the first process that writes.
  await conversations.keepCodebase({ name: "app", folder: "/projects/app" });
  const insert = "insert into remote_agent_command_templates (name, description, content) values ($1, $2, $3)";
  await database.query(insert, ["review", "d", "Do $1 😀"]);
  await database.query(insert, ["Build", null, "b"]);
  expect(await conversations.readTemplate("review")).toEqual({ name: "review", description: "d", content: "Do $1 😀" });
  expect(await conversations.readTemplate("none\0")).toBeUndefined();
  expect(await conversations.listTemplates()).toEqual([
    { name: "Build", description: "", content: "b" },
    { name: "review", description: "d", content: "Do $1 😀" },
  ]);
  await clean();
});

test("the seed's own queries answer, beside the rows of runs", async () => {
  const { conversation } = await openChat();
  const ask = postgres.database.query<Row>;
  const insert = `INSERT INTO remote_agent_workflow_runs (workflow_name, conversation_id, codebase_id, user_message) VALUES ($1, $2, $3, $4) RETURNING *`;
  const [own] = await ask(insert, ["theirs", conversation, null, "hello"]);
  expect(own).toMatchObject({ status: "running", current_step_index: 0, metadata: {}, completed_at: null, started_at: expect.any(Date) });
  expect(await ask("SELECT * FROM remote_agent_workflow_runs WHERE id = $1", [own!["id"]])).toEqual([own]);
  await pass(86_400_000 * 365);
  const line = summary("running", { workflow_id: crypto.randomUUID(), conversation });
  await postgres.store.createRun({ id: "active", workflow: "ours", ...(await pins(postgres.store)) }, commitOf({ summary: line }));
  const active = `SELECT * FROM remote_agent_workflow_runs WHERE conversation_id = $1 AND status = 'running' ORDER BY started_at DESC LIMIT 1`;
  expect(await ask(active, [conversation])).toMatchObject([{ workflow_name: "ours" }]);
  const update = `UPDATE remote_agent_workflow_runs SET current_step_index = $1, metadata = metadata || $2::jsonb WHERE id = $3`;
  await ask(update, [2, JSON.stringify({ a: 1 }), own!["id"]]);
  const fail = `UPDATE remote_agent_workflow_runs SET status = 'failed', completed_at = NOW(), metadata = metadata || $2::jsonb WHERE id = $1`;
  await ask(fail, [own!["id"], JSON.stringify({ error: "e" })]);
  expect(await shownByPostgres("theirs")).toMatchObject([{ status: "failed", current_step_index: 2, metadata: { a: 1, error: "e" } }]);
  const complete = `UPDATE remote_agent_workflow_runs SET status = 'completed', completed_at = NOW() WHERE id = $1`;
  await ask(complete, [own!["id"]]);
  expect(await shownByPostgres("theirs")).toMatchObject([{ status: "completed" }]);
  // What others write there changes no run.
  await ask("DELETE FROM remote_agent_conversations");
  expect(await postgres.store.readRun("active")).toMatchObject({ status: "running" });
  await postgres.store.commit("active", 1, commitOf({ summary: line }));
});

test("tables of another program with these names are left alone, and the refusal names one", async () => {
  const { open, database, clean } = await openTestStore();
  await database.query("create table remote_agent_sessions (id uuid primary key, theirs text)");
  const before = await catalog(database);
  const { store, conversations } = open();
  const refusal = { code: "STORE_CANNOT_OPEN", message: expect.stringContaining("remote_agent_sessions") as string };
  await expect(store.putBlob(Buffer.from("a"))).rejects.toMatchObject(refusal);
  await expect(conversations.check()).rejects.toMatchObject(refusal);
  expect(await catalog(database)).toEqual(before);
  expect(await store.listRuns({})).toEqual([]);
  await clean();
});

import pg from "pg";
import { afterAll, afterEach, beforeAll, expect, test } from "vitest";
import { openTestStore } from "../../../test/support/postgres-store.ts";
import type { RunStatus } from "../../kernel/index.ts";
import type { Commit } from "../../ports/index.ts";
import { commitOf, pins, record } from "../contract/sample.contract.ts";

let bench: Awaited<ReturnType<typeof openTestStore>>;
/** Another program that has the seed's tables. */
let other: pg.Client;
beforeAll(async () => {
  bench = await openTestStore();
  await bench.open().conversations.check();
  other = new pg.Client({ connectionString: bench.database.url });
  await other.connect();
});
afterEach(() => other.query("rollback"));
afterAll(async () => {
  await other.end();
  await bench.clean();
});

let chats = 0;
async function openChat(): Promise<string> {
  return (await bench.open().conversations.openConversation({ platform: "t", platformId: `c${(chats += 1)}` })).id;
}

function summary(status: RunStatus, line: object): NonNullable<Commit["summary"]> {
  return { status, line: JSON.stringify(line) };
}

/** A run of a conversation, and what the seed's table shows of it. */
async function startRun(conversation: string): Promise<{ readonly id: string; readonly shown: () => Promise<unknown> }> {
  const id = crypto.randomUUID();
  const commit = commitOf({ summary: summary("running", { workflow_id: id, conversation }) });
  await bench.store.createRun({ id, workflow: "shown", ...(await pins(bench.store)) }, commit);
  const sql = "select workflow_name, status, current_step_index as done, conversation_id from remote_agent_workflow_runs where id = $1";
  return { id, shown: async () => (await bench.database.query(sql, [id]))[0] };
}

const step = async (id: string, head: number, status: RunStatus, done: number, conversation: string): Promise<void> => {
  const commit = { records: [record()], items: [], summary: summary(status, { workflow_id: id, done, conversation }) };
  expect(await bench.store.commit(id, head, commit)).toMatchObject({ ok: true });
};

const refuses = `create function refuse() returns trigger language plpgsql as 'begin raise exception ''no''; end';
  create trigger refuse before insert or update on remote_agent_workflow_runs for each row execute function refuse()`;

test.each([
  ["the row", "select 1 from remote_agent_workflow_runs for update", ""],
  ["the whole table", "lock table remote_agent_workflow_runs in share mode", ""],
  ["the conversation", "delete from remote_agent_conversations", ""],
  ["no right to change it", "", refuses],
])("a commit neither waits for another program that has %s nor fails, and the next one shows the run", async (_what, locks, changes) => {
  const conversation = await openChat();
  const { id, shown } = await startRun(conversation);
  expect(await shown()).toMatchObject({ status: "running", done: 0, conversation_id: conversation });
  await other.query(`begin; ${locks}`);
  if (changes !== "") await bench.database.query(changes);
  const elsewhere = await openChat();
  const moved = locks.startsWith("delete") ? elsewhere : conversation;
  if (locks.startsWith("delete")) await other.query("select 1 from remote_agent_conversations where id = $1 for update", [elsewhere]);
  // Both ways to commit: after a look at the run, and at once.
  await step(id, 1, "running", 1, moved);
  await step(id, 2, "running", 2, moved);
  expect(await shown()).toMatchObject({ done: 0, conversation_id: conversation });
  await other.query("rollback");
  if (changes !== "") await bench.database.query("drop trigger refuse on remote_agent_workflow_runs; drop function refuse");
  await step(id, 3, "completed", 2, moved);
  expect(await shown()).toMatchObject({ status: "completed", done: 2, conversation_id: moved });
  expect(await bench.database.query("select 1 from waymark_store.unshown")).toEqual([]);
});

test("a run that begins and ends while the table is locked is shown when what is over is cleared away", async () => {
  const conversation = await openChat();
  await other.query("begin; lock table remote_agent_workflow_runs in share mode");
  const { id, shown } = await startRun(conversation);
  await step(id, 1, "completed", 1, conversation);
  expect(await shown()).toBeUndefined();
  await other.query("rollback");
  await bench.store.collectBlobs();
  expect(await shown()).toEqual({ workflow_name: "shown", status: "completed", done: 1, conversation_id: conversation });
  expect(await bench.database.query("select 1 from waymark_store.unshown")).toEqual([]);
});

test("a row that another program removed stays away, and one that is late is not kept beyond its run", async () => {
  const conversation = await openChat();
  const { id, shown } = await startRun(conversation);
  await bench.database.query("delete from remote_agent_workflow_runs");
  await step(id, 1, "running", 1, conversation);
  expect(await shown()).toBeUndefined();
  await other.query("begin; lock table remote_agent_workflow_runs in share mode");
  await step(id, 2, "running", 2, conversation);
  await other.query("rollback");
  await bench.store.removeRun(id);
  expect(await bench.database.query("select 1 from waymark_store.unshown")).toEqual([]);
});

test("limits of waiting hold in a commit, also in one of a single statement, and not after it", async () => {
  const conversation = await openChat();
  const { id } = await startRun(conversation);
  await bench.database.query(`create table limits (value text);
    create function note_limit() returns trigger language plpgsql as
      'begin insert into limits values (current_setting(''lock_timeout'')); return new; end';
    create trigger note_limit before update on waymark_store.run for each row execute function note_limit();
    create trigger note_limit before update on remote_agent_workflow_runs for each row execute function note_limit()`);
  await step(id, 1, "running", 1, conversation);
  await bench.database.query("delete from limits");
  await step(id, 2, "running", 2, conversation);
  expect(await bench.database.query("select value from limits")).toEqual([{ value: "15s" }, { value: "100ms" }]);
  await bench.database.query("drop function note_limit cascade; drop table limits");
  const shown = { id, status: "running", user_message: "", metadata: {}, current_step_index: 3 };
  await other.query("select waymark_store.show_run(0, $1, $2, false, 0)", [id, JSON.stringify(shown)]);
  expect((await other.query("show lock_timeout")).rows).toEqual([{ lock_timeout: "0" }]);
});

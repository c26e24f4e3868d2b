import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test } from "vitest";
import type { Conversations } from "../../ports/index.ts";
import { conversationsContract } from "../contract/conversations.contract.ts";
import { commitOf, pins } from "../contract/sample.contract.ts";
import { guardedConversations } from "../guarded-conversations.ts";
import { openSqliteStore, sqliteConversations } from "./open-sqlite-store.ts";
import { SqliteConnection } from "./sqlite-connection.ts";

conversationsContract("SQLite", async () => {
  const folder = await mkdtemp(join(tmpdir(), "waymark-conversations-"));
  const opened: Conversations[] = [];
  const open = async (): Promise<Conversations> => {
    const conversations = sqliteConversations({ folder });
    opened.push(conversations);
    return conversations;
  };
  return {
    conversations: await open(),
    reopen: open,
    clean: async () => {
      await Promise.all(opened.map((each) => each.close()));
      await rm(folder, { recursive: true });
    },
  };
});

async function inFolder(work: (folder: string) => Promise<void>): Promise<void> {
  const folder = await mkdtemp(join(tmpdir(), "waymark-conversations-"));
  try {
    await work(folder);
  } finally {
    await rm(folder, { recursive: true });
  }
}

test("a store that somebody else made is left alone", () =>
  inFolder(async (folder) => {
    const store = await openSqliteStore({ folder });
    const conversations = guardedConversations(sqliteConversations({ folder }), store, { has: async () => false });
    await expect(conversations.listCodebases()).rejects.toMatchObject({ code: "STORE_NOT_ADOPTED" });
    await expect(conversations.keepCodebase({ name: "a", folder: "/a" })).rejects.toMatchObject({ code: "STORE_NOT_ADOPTED" });
    await expect(conversations.removeSettled(0)).rejects.toMatchObject({ code: "STORE_NOT_ADOPTED" });
    expect(await conversations.countSettled(0)).toBe(0);
    await conversations.close();
    await store.close();
  }));

function select<Row>(folder: string, sql: string): readonly Row[] {
  const db = new SqliteConnection({ file: join(folder, "waymark.db"), readonly: true, patienceMs: 0 });
  try {
    return db.all<Row>(sql).map((row) => ({ ...row }));
  } finally {
    db.close();
  }
}

function change(folder: string, sql: string): void {
  const db = new SqliteConnection({ file: join(folder, "waymark.db"), patienceMs: 0 });
  try {
    db.run(sql);
  } finally {
    db.close();
  }
}

const time = expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/) as string;

test("the seed's tables are views with its columns", () =>
  inFolder(async (folder) => {
    const chat = sqliteConversations({ folder });
    const codebase = await chat.keepCodebase({ name: "app", folder: "/projects/app", repository: "https://example.org/app" });
    const place = await chat.openConversation({ platform: "terminal", platformId: "ann", codebase: codebase.id });
    await chat.keepSession({ conversation: place.id, agent: "a", session: "s1" });
    await chat.keepSession({ conversation: place.id, agent: "a", session: "s2" });
    expect(select(folder, "select * from remote_agent_codebases")).toEqual([
      {
        id: codebase.id,
        name: "app",
        repository_url: "https://example.org/app",
        default_cwd: "/projects/app",
        ai_assistant_type: "waymark",
        commands: "{}",
        created_at: time,
        updated_at: time,
      },
    ]);
    expect(select(folder, "select * from remote_agent_conversations")).toMatchObject([
      { id: place.id, platform_type: "terminal", platform_conversation_id: "ann", codebase_id: codebase.id, cwd: null },
    ]);
    expect(select(folder, "select * from remote_agent_sessions order by assistant_session_id")).toMatchObject([
      { conversation_id: place.id, codebase_id: codebase.id, assistant_session_id: "s1", active: 0, metadata: "{}", ended_at: time },
      { assistant_session_id: "s2", active: 1, ended_at: null },
    ]);
    await chat.close();
  }));

test("command templates are read from the seed's table, in which people write them", () =>
  inFolder(async (folder) => {
    const chat = sqliteConversations({ folder });
    expect(await chat.listTemplates()).toEqual([]);
    // The store is made by the first process that writes.
    await chat.keepCodebase({ name: "app", folder: "/projects/app" });
    const table = "remote_agent_command_templates";
    change(folder, `insert into ${table} (name, content) values ('review', 'one'), ('build', 'b'), ('old', 'o')`);
    change(folder, `update ${table} set content = 'Do $1', description = 'd' where name = 'review'`);
    change(folder, `delete from ${table} where name = 'old'`);
    expect(await chat.readTemplate("review")).toEqual({ name: "review", description: "d", content: "Do $1" });
    expect(await chat.readTemplate("old")).toBeUndefined();
    expect((await chat.listTemplates()).map(({ name }) => name)).toEqual(["build", "review"]);
    const times = { created_at: expect.stringMatching(/Z$/) as string, updated_at: expect.stringMatching(/Z$/) as string };
    expect(select(folder, `select * from ${table} where name = 'build'`)).toMatchObject([{ ...times, description: "", content: "b" }]);
    await chat.close();
  }));

test("runs are rows of the seed's table: cancelled ones have failed, and all that are over have an end", () =>
  inFolder(async (folder) => {
    const store = await openSqliteStore({ folder });
    const add = async (id: string, status: "running" | "completed" | "failed" | "cancelled", line: object): Promise<void> => {
      const commit = commitOf({ summary: { status, line: JSON.stringify(line) } });
      await store.createRun({ id, workflow: "feature-development", ...(await pins(store)) }, commit);
    };
    const uuid = "0d8f6a52-1c5e-4a44-8a52-2f3c1b5d7e90";
    const ended = "2026-11-19T08:00:00.000Z";
    await add("wf-a-2026-11-19-aaaaaa", "running", {
      workflow_id: uuid,
      done: 1,
      user_message: "dark mode",
      conversation: "c",
      codebase: "b",
    });
    await add("wf-b-2026-11-19-bbbbbb", "cancelled", { done: 0, error: "Enough.", ended_at: ended });
    await add("wf-c-2026-11-19-cccccc", "failed", { done: 2, error: 'It "broke".', ended_at: ended });
    await add("wf-d-2026-11-19-dddddd", "completed", { done: 3 });
    const rows = select<Record<string, unknown>>(
      folder,
      "select * from remote_agent_workflow_runs order by started_at, current_step_index",
    );
    expect(rows.find(({ id }) => id === uuid)).toEqual({
      id: uuid,
      workflow_name: "feature-development",
      conversation_id: "c",
      codebase_id: "b",
      current_step_index: 1,
      status: "running",
      user_message: "dark mode",
      metadata: "{}",
      started_at: time,
      completed_at: null,
    });
    const by = (index: number): Record<string, unknown> => {
      const { metadata, ...row } = rows.find(({ current_step_index: at }) => at === index) ?? {};
      return { ...row, metadata: JSON.parse(String(metadata)) as unknown };
    };
    expect(by(0)).toMatchObject({
      status: "failed",
      metadata: { cancelled: true, error: "Enough." },
      completed_at: ended,
      user_message: "",
    });
    expect(by(2)).toMatchObject({ status: "failed", metadata: { error: 'It "broke".' }, completed_at: ended });
    expect(by(3)).toMatchObject({ status: "completed", metadata: {}, completed_at: time });
    expect(by(3)["id"]).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/);
    expect(new Set(rows.map(({ id }) => id)).size).toBe(4);
    await store.close();
  }));

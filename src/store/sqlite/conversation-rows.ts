import { randomUUID } from "node:crypto";
import { defined } from "../../base/index.ts";
import type { ChatSession, Codebase, CommandTemplate, Conversation } from "../../ports/index.ts";
import { decodeText, encodeText } from "../stored-text.ts";
import type { SqliteConnection } from "./sqlite-connection.ts";

/** A text that may be absent, as it is in a column. */
export function encodeMaybe(text: string | undefined): string | null {
  return text === undefined ? null : encodeText(text);
}

export function decodeMaybe(stored: string | null): string | undefined {
  return stored === null ? undefined : decodeText(stored);
}

type Stored<T, Absent extends keyof T> = Omit<T, Absent> & Readonly<Record<Absent, string | null>>;

const conversationColumns = "id, platform, platform_id as platformId, codebase, folder";

export function openConversation(
  db: SqliteConnection,
  { platform, platformId, codebase }: Pick<Conversation, "platform" | "platformId" | "codebase">,
  now: number,
): Conversation {
  const insert = `insert into conversation (id, platform, platform_id, codebase, created_at, updated_at) values (?, ?, ?, ?, ?, ?)
    on conflict (platform, platform_id) do nothing`;
  db.run(insert, randomUUID(), encodeText(platform), encodeText(platformId), codebase ?? null, now, now);
  const sql = `select ${conversationColumns} from conversation where platform = ? and platform_id = ?`;
  return conversationFrom(db.get<StoredConversation>(sql, encodeText(platform), encodeText(platformId))!);
}

type StoredConversation = Stored<Conversation, "codebase" | "folder">;

export function findConversation(db: SqliteConnection, id: string): Conversation | undefined {
  const row = db.get<StoredConversation>(`select ${conversationColumns} from conversation where id = ?`, encodeText(id));
  return row === undefined ? undefined : conversationFrom(row);
}

function conversationFrom({ id, platform, platformId, codebase, folder }: StoredConversation): Conversation {
  const optional = defined({ codebase: codebase ?? undefined, folder: decodeMaybe(folder) });
  return { id, platform: decodeText(platform), platformId: decodeText(platformId), ...optional };
}

export function moveConversation(
  db: SqliteConnection,
  id: string,
  { codebase, folder, now }: Pick<Conversation, "codebase" | "folder"> & { readonly now: number },
): void {
  const sql = "update conversation set codebase = ?, folder = ?, updated_at = ? where id = ?";
  db.run(sql, codebase ?? null, encodeMaybe(folder), now, encodeText(id));
}

const codebaseColumns = "id, name, folder, repository";
type StoredCodebase = Stored<Codebase, "repository">;

export function keepCodebase(db: SqliteConnection, { name, folder, repository }: Omit<Codebase, "id">, now: number): Codebase {
  const insert = `insert into codebase (id, name, folder, repository, created_at, updated_at) values (?, ?, ?, ?, ?, ?)
    on conflict (folder) do update set repository = coalesce(excluded.repository, repository), updated_at = excluded.updated_at`;
  db.run(insert, randomUUID(), encodeText(name), encodeText(folder), encodeMaybe(repository), now, now);
  return codebaseFrom(db.get<StoredCodebase>(`select ${codebaseColumns} from codebase where folder = ?`, encodeText(folder))!);
}

export function findCodebase(db: SqliteConnection, id: string): Codebase | undefined {
  const row = db.get<StoredCodebase>(`select ${codebaseColumns} from codebase where id = ?`, encodeText(id));
  return row === undefined ? undefined : codebaseFrom(row);
}

export function selectCodebases(db: SqliteConnection): readonly Codebase[] {
  return db.all<StoredCodebase>(`select ${codebaseColumns} from codebase order by name, folder`).map(codebaseFrom);
}

function codebaseFrom({ id, name, folder, repository }: StoredCodebase): Codebase {
  return { id, name: decodeText(name), folder: decodeText(folder), ...defined({ repository: decodeMaybe(repository) }) };
}

export function findSession(db: SqliteConnection, conversation: string): ChatSession | undefined {
  const sql = "select conversation, agent, session from session where conversation = ? and ended_at is null";
  const row = db.get<ChatSession>(sql, encodeText(conversation));
  return row === undefined ? undefined : { ...row, agent: decodeText(row.agent), session: decodeText(row.session) };
}

/** One session stays as it is while its agent names the same one. */
export function replaceSession(db: SqliteConnection, { conversation, agent, session }: ChatSession, now: number): void {
  const held = findSession(db, conversation);
  if (held?.agent === agent && held.session === session) return;
  endSession(db, conversation, now);
  const insert = "insert into session (id, conversation, agent, session, started_at) values (?, ?, ?, ?, ?)";
  db.run(insert, randomUUID(), encodeText(conversation), encodeText(agent), encodeText(session), now);
}

export function endSession(db: SqliteConnection, conversation: string, now: number): void {
  db.run("update session set ended_at = ? where conversation = ? and ended_at is null", now, encodeText(conversation));
}

const templateColumns = "name, description, content";

export function findTemplate(db: SqliteConnection, name: string): CommandTemplate | undefined {
  const row = db.get<CommandTemplate>(`select ${templateColumns} from command_template where name = ?`, encodeText(name));
  return row === undefined ? undefined : templateFrom(row);
}

export function selectTemplates(db: SqliteConnection): readonly CommandTemplate[] {
  return db.all<CommandTemplate>(`select ${templateColumns} from command_template order by name`).map(templateFrom);
}

function templateFrom({ name, description, content }: CommandTemplate): CommandTemplate {
  return { name: decodeText(name), description: decodeText(description), content: decodeText(content) };
}

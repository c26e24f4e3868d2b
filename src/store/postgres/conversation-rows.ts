import { defined } from "../../base/index.ts";
import type { ChatSession, Codebase, CommandTemplate, Conversation } from "../../ports/index.ts";
import { decodeText, encodeText } from "../stored-text.ts";
import type { Statements } from "./postgres-connection.ts";
import { endSeedSession, insertSeedSession, plain, writeSeedCodebase, writeSeedConversation } from "./seed-rows.ts";

/** A text that may be absent, as it is in a column. */
function encodeMaybe(text: string | undefined): string | null {
  return text === undefined ? null : encodeText(text);
}

function decodeMaybe(stored: string | null): string | undefined {
  return stored === null ? undefined : decodeText(stored);
}

type Stored<T, Absent extends keyof T> = Omit<T, Absent> & Readonly<Record<Absent, string | null>>;

const conversationColumns = `id, platform, platform_id as "platformId", codebase, folder`;

/** `id`: of the one that is made, the same in every attempt. */
export async function openConversation(
  db: Statements,
  { platform, platformId, codebase }: Pick<Conversation, "platform" | "platformId" | "codebase">,
  id: string,
): Promise<Conversation> {
  const insert = `insert into waymark_store.conversation (id, platform, platform_id, codebase, created_at, updated_at)
    select $1, $2, $3, $4, t.now, t.now from (select ${db.now} as now) t on conflict (platform, platform_id) do nothing`;
  const made = await db.run(insert, id, encodeText(platform), encodeText(platformId), codebase ?? null);
  const sql = `select ${conversationColumns} from waymark_store.conversation where platform = $1 and platform_id = $2`;
  const conversation = conversationFrom((await db.get<StoredConversation>(sql, encodeText(platform), encodeText(platformId)))!);
  if (made > 0) await writeSeedConversation(db, conversation);
  return conversation;
}

type StoredConversation = Stored<Conversation, "codebase" | "folder">;

export async function findConversation(db: Statements, id: string): Promise<Conversation | undefined> {
  const row = await db.get<StoredConversation>(
    `select ${conversationColumns} from waymark_store.conversation where id = $1`,
    encodeText(id),
  );
  return row === undefined ? undefined : conversationFrom(row);
}

function conversationFrom({ id, platform, platformId, codebase, folder }: StoredConversation): Conversation {
  const optional = defined({ codebase: codebase ?? undefined, folder: decodeMaybe(folder) });
  return { id, platform: decodeText(platform), platformId: decodeText(platformId), ...optional };
}

export async function moveConversation(
  db: Statements,
  id: string,
  { codebase, folder }: Pick<Conversation, "codebase" | "folder">,
): Promise<void> {
  const sql = `update waymark_store.conversation set codebase = $2, folder = $3, updated_at = ${db.now} where id = $1 returning ${conversationColumns}`;
  const row = await db.get<StoredConversation>(sql, encodeText(id), codebase ?? null, encodeMaybe(folder));
  if (row !== undefined) await writeSeedConversation(db, conversationFrom(row));
}

const codebaseColumns = "id, name, folder, repository";
type StoredCodebase = Stored<Codebase, "repository">;

export async function keepCodebase(db: Statements, { name, folder, repository }: Omit<Codebase, "id">, id: string): Promise<Codebase> {
  const sql = `insert into waymark_store.codebase as c (id, name, folder, repository, created_at, updated_at)
    select $1, $2, $3, $4, t.now, t.now from (select ${db.now} as now) t
    on conflict (folder) do update set repository = coalesce(excluded.repository, c.repository), updated_at = excluded.updated_at
    returning ${codebaseColumns}`;
  const row = await db.get<StoredCodebase>(sql, id, encodeText(name), encodeText(folder), encodeMaybe(repository));
  const codebase = codebaseFrom(row!);
  await writeSeedCodebase(db, codebase);
  return codebase;
}

export async function findCodebase(db: Statements, id: string): Promise<Codebase | undefined> {
  const row = await db.get<StoredCodebase>(`select ${codebaseColumns} from waymark_store.codebase where id = $1`, encodeText(id));
  return row === undefined ? undefined : codebaseFrom(row);
}

export async function selectCodebases(db: Statements): Promise<readonly Codebase[]> {
  const rows = await db.all<StoredCodebase>(`select ${codebaseColumns} from waymark_store.codebase order by name, folder`);
  return rows.map(codebaseFrom);
}

function codebaseFrom({ id, name, folder, repository }: StoredCodebase): Codebase {
  return { id, name: decodeText(name), folder: decodeText(folder), ...defined({ repository: decodeMaybe(repository) }) };
}

export async function findSession(db: Statements, conversation: string): Promise<ChatSession | undefined> {
  const sql = "select conversation, agent, session from waymark_store.session where conversation = $1 and ended_at is null";
  const row = await db.get<ChatSession>(sql, encodeText(conversation));
  return row === undefined ? undefined : { ...row, agent: decodeText(row.agent), session: decodeText(row.session) };
}

/** One session stays as it is while its agent names the same one. The conversation's row is locked: two who keep one wait for each other. */
export async function replaceSession(db: Statements, kept: ChatSession, id: string): Promise<void> {
  const { conversation, agent, session } = kept;
  await db.run("select 1 from waymark_store.conversation where id = $1 for no key update", encodeText(conversation));
  const held = await findSession(db, conversation);
  if (held?.agent === agent && held.session === session) return;
  await endSession(db, conversation);
  const insert = `insert into waymark_store.session (id, conversation, agent, session, started_at) values ($1, $2, $3, $4, ${db.now})`;
  await db.run(insert, id, encodeText(conversation), encodeText(agent), encodeText(session));
  await insertSeedSession(db, id, kept);
}

export async function endSession(db: Statements, conversation: string): Promise<void> {
  const sql = `update waymark_store.session set ended_at = ${db.now} where conversation = $1 and ended_at is null returning id`;
  const ended = await db.get<{ id: string }>(sql, encodeText(conversation));
  if (ended !== undefined) await endSeedSession(db, ended.id);
}

const templates = "select name, coalesce(description, '') as description, content from waymark_store.seed_template";

/** Templates are only in the seed's table: people write them there. */
export function findTemplate(db: Statements, name: string): Promise<CommandTemplate | undefined> {
  return db.get<CommandTemplate>(`${templates} where name = $1`, plain(name));
}

export function selectTemplates(db: Statements): Promise<readonly CommandTemplate[]> {
  return db.all<CommandTemplate>(`${templates} order by name collate "C"`);
}

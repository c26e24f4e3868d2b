import { randomUUID } from "node:crypto";
import { defined } from "../../base/index.ts";
import type { FollowedRun, Message, MessageStart } from "../../ports/index.ts";
import { decodeText, encodeText } from "../stored-text.ts";
import type { SqliteConnection } from "./sqlite-connection.ts";

type StoredMessage = Omit<Message, "start"> & { readonly start: string | null };

/** undefined when the conversation has a message with this key. */
export function insertMessage(
  db: SqliteConnection,
  { conversation, key, person, text }: Pick<Message, "conversation" | "key" | "person" | "text">,
  now: number,
): Message | undefined {
  const id = randomUUID();
  const insert = `insert into message (id, conversation, key, person, text, at) values (?, ?, ?, ?, ?, ?)
    on conflict (conversation, key) do nothing`;
  const changes = db.run(insert, id, encodeText(conversation), encodeText(key), encodeText(person), encodeText(text), now);
  return changes === 0 ? undefined : { id, conversation, key, person, text };
}

/** What was decided first stays. */
export function decideStart(db: SqliteConnection, message: string, start: MessageStart): MessageStart {
  db.run("update message set start = coalesce(start, ?) where id = ?", JSON.stringify(start), encodeText(message));
  const row = db.get<{ start: string }>("select start from message where id = ?", encodeText(message));
  return row === undefined ? start : (JSON.parse(row.start) as MessageStart);
}

export function settleMessage(db: SqliteConnection, message: string, now: number): void {
  db.run("update message set settled_at = ? where id = ?", now, encodeText(message));
}

/** Those that were settled by then. */
export function countSettled(db: SqliteConnection, by: number): number {
  return db.get<{ count: number }>("select count(*) as count from message where settled_at <= ?", by)!.count;
}

export function deleteSettled(db: SqliteConnection, by: number): number {
  return db.run("delete from message where settled_at <= ?", by);
}

export function selectOpenMessages(db: SqliteConnection, platform: string): readonly (Message & { readonly platformId: string })[] {
  const sql = `select message.id, conversation, key, person, text, start, platform_id as platformId
    from message join conversation on conversation.id = message.conversation
    where settled_at is null and platform = ? order by message.no`;
  const rows = db.all<StoredMessage & { readonly platformId: string }>(sql, encodeText(platform));
  return rows.map(({ id, conversation, platformId, start, ...texts }) => ({
    id,
    conversation,
    key: decodeText(texts.key),
    person: decodeText(texts.person),
    text: decodeText(texts.text),
    platformId: decodeText(platformId),
    ...defined({ start: start === null ? undefined : (JSON.parse(start) as MessageStart) }),
  }));
}

type StoredRun = Omit<FollowedRun, "over"> & { readonly over: number };
const columns = "run, conversation, followed_run.codebase, record, entry, note, over";

export function followRun(
  db: SqliteConnection,
  { run, conversation, codebase }: Pick<FollowedRun, "run" | "conversation" | "codebase">,
): FollowedRun {
  const insert = `insert into followed_run (run, conversation, codebase, record, entry, note, over) values (?, ?, ?, 0, 0, '', 0)
    on conflict (run) do nothing`;
  db.run(insert, encodeText(run), encodeText(conversation), encodeText(codebase));
  return runFrom(db.get<StoredRun>(`select ${columns} from followed_run where run = ?`, encodeText(run))!);
}

/** Positions only grow. */
export function updateSent(
  db: SqliteConnection,
  run: string,
  { record = 0, entry = 0, note, over }: Partial<Pick<FollowedRun, "record" | "entry" | "note" | "over">>,
): void {
  const sql = `update followed_run set record = max(record, ?), entry = max(entry, ?), note = coalesce(?, note), over = coalesce(?, over)
    where run = ?`;
  db.run(sql, record, entry, note === undefined ? null : encodeText(note), over === undefined ? null : Number(over), encodeText(run));
}

export function selectFollowed(db: SqliteConnection, conversation: string): readonly FollowedRun[] {
  const sql = `select ${columns} from followed_run where conversation = ? order by no desc`;
  return db.all<StoredRun>(sql, encodeText(conversation)).map(runFrom);
}

export function selectToSend(db: SqliteConnection, platform: string): readonly (FollowedRun & { readonly platformId: string })[] {
  const sql = `select ${columns}, platform_id as platformId
    from followed_run join conversation on conversation.id = followed_run.conversation where over = 0 and platform = ? order by followed_run.no`;
  const rows = db.all<StoredRun & { readonly platformId: string }>(sql, encodeText(platform));
  return rows.map((row) => ({ ...runFrom(row), platformId: decodeText(row.platformId) }));
}

function runFrom({ run, conversation, codebase, record, entry, note, over }: StoredRun): FollowedRun {
  return { run: decodeText(run), conversation, codebase, record, entry, note: decodeText(note), over: over === 1 };
}

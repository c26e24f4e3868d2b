import { defined } from "../../base/index.ts";
import type { FollowedRun, Message, MessageStart } from "../../ports/index.ts";
import { decodeText, encodeText } from "../stored-text.ts";
import type { Attempt, Statements } from "./postgres-connection.ts";

type StoredMessage = Omit<Message, "start"> & { readonly start: string | null };

/** undefined when the conversation has a message with this key that is not the one with this id. */
export async function insertMessage(
  db: Attempt,
  { conversation, key, person, text }: Pick<Message, "conversation" | "key" | "person" | "text">,
  id: string,
): Promise<Message | undefined> {
  const insert = `insert into waymark_store.message (id, conversation, key, person, text, at) values ($1, $2, $3, $4, $5, ${db.now})
    on conflict (conversation, key) do nothing`;
  const added = await db.run(insert, id, encodeText(conversation), encodeText(key), encodeText(person), encodeText(text));
  const message = { id, conversation, key, person, text };
  if (added > 0) return message;
  const own = "select 1 as found from waymark_store.message where id = $1";
  return db.repeated && (await db.get(own, id)) !== undefined ? message : undefined;
}

/** What was decided first stays. */
export async function decideStart(db: Statements, message: string, start: MessageStart): Promise<MessageStart> {
  const sql = "update waymark_store.message set start = coalesce(start, $1) where id = $2 returning start";
  const row = await db.get<{ start: string }>(sql, JSON.stringify(start), encodeText(message));
  return row === undefined ? start : (JSON.parse(row.start) as MessageStart);
}

export async function settleMessage(db: Statements, message: string): Promise<void> {
  await db.run(`update waymark_store.message set settled_at = ${db.now} where id = $1`, encodeText(message));
}

/** Those that were settled so many milliseconds ago. */
export async function countSettled(db: Statements, olderMs: number): Promise<number> {
  const sql = `select count(*)::int as count from waymark_store.message where settled_at <= ${db.now} - $1`;
  return (await db.get<{ count: number }>(sql, olderMs))!.count;
}

export async function deleteSettled(db: Statements, olderMs: number): Promise<number> {
  return db.run(`delete from waymark_store.message where settled_at <= ${db.now} - $1`, olderMs);
}

export async function selectOpenMessages(
  db: Statements,
  platform: string,
): Promise<readonly (Message & { readonly platformId: string })[]> {
  const sql = `select m.id, m.conversation, m.key, m.person, m.text, m.start, c.platform_id as "platformId"
    from waymark_store.message m join waymark_store.conversation c on c.id = m.conversation
    where m.settled_at is null and c.platform = $1 order by m.no`;
  const rows = await db.all<StoredMessage & { readonly platformId: string }>(sql, encodeText(platform));
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

const columns = "f.run, f.conversation, f.codebase, f.record, f.entry, f.note, f.over";

export async function followRun(
  db: Statements,
  { run, conversation, codebase }: Pick<FollowedRun, "run" | "conversation" | "codebase">,
): Promise<FollowedRun> {
  const insert = `insert into waymark_store.followed_run (run, conversation, codebase, record, entry, note, over)
    values ($1, $2, $3, 0, 0, '', false) on conflict (run) do nothing`;
  await db.run(insert, encodeText(run), encodeText(conversation), encodeText(codebase));
  return runFrom((await db.get<FollowedRun>(`select ${columns} from waymark_store.followed_run f where f.run = $1`, encodeText(run)))!);
}

/** Positions only grow. */
export async function updateSent(
  db: Statements,
  run: string,
  { record = 0, entry = 0, note, over }: Partial<Pick<FollowedRun, "record" | "entry" | "note" | "over">>,
): Promise<void> {
  const sql = `update waymark_store.followed_run set record = greatest(record, $2), entry = greatest(entry, $3),
    note = coalesce($4, note), over = coalesce($5, over) where run = $1`;
  await db.run(sql, encodeText(run), record, entry, note === undefined ? null : encodeText(note), over ?? null);
}

export async function selectFollowed(db: Statements, conversation: string): Promise<readonly FollowedRun[]> {
  const sql = `select ${columns} from waymark_store.followed_run f where f.conversation = $1 order by f.no desc`;
  return (await db.all<FollowedRun>(sql, encodeText(conversation))).map(runFrom);
}

export async function selectToSend(db: Statements, platform: string): Promise<readonly (FollowedRun & { readonly platformId: string })[]> {
  const sql = `select ${columns}, c.platform_id as "platformId"
    from waymark_store.followed_run f join waymark_store.conversation c on c.id = f.conversation
    where not f.over and c.platform = $1 order by f.no`;
  const rows = await db.all<FollowedRun & { readonly platformId: string }>(sql, encodeText(platform));
  return rows.map((row) => ({ ...runFrom(row), platformId: decodeText(row.platformId) }));
}

function runFrom({ run, conversation, codebase, record, entry, note, over }: FollowedRun): FollowedRun {
  return { run: decodeText(run), conversation, codebase, record, entry, note: decodeText(note), over };
}

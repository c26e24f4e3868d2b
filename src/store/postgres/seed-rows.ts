import { createHash } from "node:crypto";
import { beginningOf } from "../../base/index.ts";
import type { RunStatus } from "../../kernel/index.ts";
import type { ChatSession, Codebase, Commit, Conversation } from "../../ports/index.ts";
import type { Param, Statement, Statements } from "./postgres-connection.ts";

/*
 * The rows of the tables of `seed-schema.ts`. Each is written in the transaction of what it shows; that of a run by a function that cannot make it
 * fail (`show-run-schema.ts`). Texts are shown as they are, cut to what
 * the column takes; U+0000 and halves of characters, which the server refuses, are replaced.
 */

type Summary = NonNullable<Commit["summary"]>;

/** The columns of a run's row that its summary decides; `metadata` is Waymark's part of it. */
interface ShownRun {
  readonly id: string;
  readonly conversation_id: string | null;
  readonly codebase_id: string | null;
  readonly current_step_index: number;
  readonly status: RunStatus;
  readonly user_message: string;
  readonly metadata: string;
  /** `now` for one that is over and does not say since when. */
  readonly completed_at: string | null;
}

/** One that has no uuid in its line gets one of the end of its id, as on SQLite. */
function runUuid(run: string): string {
  const hex = `${"0".repeat(32)}${Buffer.from(run).toString("hex")}`.slice(-32);
  return hex.replace(/^(.{8})(.{4})(.{4})(.{4})/, "$1-$2-$3-$4-");
}

/** The line is that of `RunLine` of the views. */
function shownRun(run: string, { status, line }: Summary): ShownRun {
  const given = JSON.parse(line) as Readonly<Record<string, unknown>>;
  const text = (name: string): string | null => {
    const value = given[name];
    return typeof value === "string" ? plain(value) : null;
  };
  const uuid = (name: string): string | null => {
    const value = text(name);
    return value !== null && /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i.test(value) ? value : null;
  };
  const [done, error, ended] = [given["done"], text("error"), text("ended_at")];
  const isCancelled = status === "cancelled";
  const isOver = status !== "running";
  const metadata = { ...(isCancelled ? { cancelled: true } : {}), ...(isOver && error !== null ? { error } : {}) };
  return {
    id: uuid("workflow_id") ?? runUuid(run),
    conversation_id: uuid("conversation"),
    codebase_id: uuid("codebase"),
    current_step_index: typeof done === "number" && Number.isSafeInteger(done) && Math.abs(done) < 2 ** 31 ? done : 0,
    status: isCancelled ? "failed" : status,
    user_message: text("user_message") ?? "",
    metadata: JSON.stringify(metadata),
    completed_at: isOver ? (timeIn(ended) ?? "now") : null,
  };
}

/** A text that is a time, as the server reads it, up to the year 9999. */
function timeIn(text: string | null): string | undefined {
  const at = Date.parse(text ?? "");
  return at >= 0 && at < Date.UTC(10_000) ? new Date(at).toISOString() : undefined;
}

/** A part of a statement: shows a run that `no` names, which is new; false where it could not. */
export function showNewRun(
  sql: Statement,
  { id, workflow, summary }: { readonly id: string; readonly workflow: string; readonly summary: Summary },
  at: { readonly no: string; readonly now: string },
): string {
  const shown = shownRun(id, summary);
  return callShow(sql, { at: shown.id, shown: { ...shown, workflow_name: cut(workflow, 255) }, adds: true }, at);
}

/** The same for one that has changed; undefined where its row stays as it is. `late`: an earlier change could not be shown. */
export function showMovedRun(
  sql: Statement,
  {
    run,
    before,
    after,
    late,
  }: { readonly run: string; readonly before: Summary; readonly after?: Summary | undefined; readonly late: boolean },
  at: { readonly no: string; readonly now: string },
): string | undefined {
  if (after === undefined && !late) return undefined;
  const old = shownRun(run, before);
  const shown = after === undefined ? old : shownRun(run, after);
  const isChanged = (Object.keys(shown) as (keyof ShownRun)[]).some((column) => shown[column] !== old[column]);
  if (!isChanged && !late && shown.completed_at !== "now") return undefined;
  return callShow(sql, { at: old.id, shown, adds: false }, at);
}

function callShow(
  sql: Statement,
  { at, shown, adds }: { readonly at: string; readonly shown: ShownRun & { readonly workflow_name?: string }; readonly adds: boolean },
  { no, now }: { readonly no: string; readonly now: string },
): string {
  const row = JSON.stringify({ ...shown, metadata: JSON.parse(shown.metadata) as unknown });
  return `waymark_store.show_run(${no}, ${sql.bind(at, "uuid")}, ${sql.bind(row, "jsonb")}, ${adds}, ${now})`;
}

export async function deleteSeedRun(db: Statements, run: string, summary: Summary): Promise<void> {
  await db.run("delete from waymark_store.seed_run where id = $1", shownRun(run, summary).id);
}

export async function writeSeedCodebase(db: Statements, { id, name, folder, repository }: Codebase): Promise<void> {
  const sql = `insert into waymark_store.seed_codebase (id, name, repository_url, default_cwd, ai_assistant_type, created_at, updated_at)
    values ($1, $2, $3, $4, 'waymark', ${dateOf(db.now)}, ${dateOf(db.now)})
    on conflict (id) do update set repository_url = excluded.repository_url, updated_at = excluded.updated_at`;
  await db.run(sql, id, cut(name, 255), repository === undefined ? null : cut(repository, 500), cut(folder, 500));
}

export async function writeSeedConversation(db: Statements, conversation: Conversation): Promise<void> {
  const { id, platform, platformId, codebase, folder } = conversation;
  const sql = `insert into waymark_store.seed_conversation
      (id, platform_type, platform_conversation_id, codebase_id, cwd, ai_assistant_type, created_at, updated_at)
    values ($1, $2, $3, (select id from waymark_store.seed_codebase where id = $4), $5, 'waymark', ${dateOf(db.now)}, ${dateOf(db.now)})
    on conflict do nothing`;
  const move = `update waymark_store.seed_conversation set codebase_id = (select id from waymark_store.seed_codebase where id = $2), cwd = $3,
    updated_at = ${dateOf(db.now)} where id = $1`;
  const at: Param[] = [codebase ?? null, folder === undefined ? null : cut(folder, 500)];
  if ((await db.run(sql, id, cut(platform, 20), distinct(platformId, 255), ...at)) === 0) await db.run(move, id, ...at);
}

export async function insertSeedSession(db: Statements, id: string, { conversation, agent, session }: ChatSession): Promise<void> {
  const sql = `insert into waymark_store.seed_session (id, conversation_id, codebase_id, ai_assistant_type, assistant_session_id, started_at)
    select $1::uuid, c.id, c.codebase_id, $3, $4, ${dateOf(db.now)} from waymark_store.seed_conversation c where c.id = $2`;
  await db.run(sql, id, conversation, cut(agent, 20), cut(session, 255));
}

export async function endSeedSession(db: Statements, id: string): Promise<void> {
  await db.run(`update waymark_store.seed_session set active = false, ended_at = ${dateOf(db.now)} where id = $1`, id);
}

/** Milliseconds as the time that they are. */
function timeOf(milliseconds: string): string {
  return `to_timestamp((${milliseconds}) / 1000.0)`;
}

/** As the columns without a time zone have it. */
function dateOf(milliseconds: string): string {
  return `${timeOf(milliseconds)} at time zone 'utc'`;
}

export function plain(text: string): string {
  return text.replaceAll(/\0|\p{Surrogate}/gu, "\ufffd");
}

function cut(text: string, length: number): string {
  return beginningOf(plain(text), length);
}

/** Cut, and still another one for every text. */
function distinct(text: string, length: number): string {
  if (text.length <= length) return plain(text);
  return `${cut(text, length - 65)}-${createHash("sha256").update(text).digest("hex")}`;
}

import { createHash } from "node:crypto";
import type { RunStatus } from "../../kernel/index.ts";
import type { ChatSession, Codebase, CommandTemplate, Commit, Conversation } from "../../ports/index.ts";
import type { Param, Statement, Statements } from "./postgres-connection.ts";

/*
 * The rows of the tables of `seed-schema.ts`. Each is written in the transaction of what it shows. Texts are shown as they are, cut to what
 * the column takes, and U+0000, which the server refuses, is replaced. Nothing here may make that transaction fail.
 */

/** What the line of a run tells of it; see `RunLine` of the views. */
interface LineFacts {
  readonly id: string;
  readonly conversation: string | null;
  readonly codebase: string | null;
  readonly done: number;
  readonly asked: string;
  readonly error: string | null;
  readonly endedAt: string | null;
}

/** One that has no uuid in its line gets one of the end of its id, as on SQLite. */
function runUuid(run: string): string {
  const hex = `${"0".repeat(32)}${Buffer.from(run).toString("hex")}`.slice(-32);
  return hex.replace(/^(.{8})(.{4})(.{4})(.{4})/, "$1-$2-$3-$4-");
}

function factsOf(run: string, line: string): LineFacts {
  const given = JSON.parse(line) as Readonly<Record<string, unknown>> | null;
  const text = (name: string): string | null => {
    const value = given?.[name];
    return typeof value === "string" ? value.replaceAll("\0", "\ufffd") : null;
  };
  const uuid = (name: string): string | null => {
    const value = text(name);
    return value !== null && /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i.test(value) ? value : null;
  };
  const done = given?.["done"];
  const endedAt = text("ended_at");
  return {
    id: uuid("workflow_id") ?? runUuid(run),
    conversation: uuid("conversation"),
    codebase: uuid("codebase"),
    done: typeof done === "number" && Number.isSafeInteger(done) && Math.abs(done) < 2 ** 31 ? done : 0,
    asked: text("user_message") ?? "",
    error: text("error"),
    endedAt: endedAt === null || Number.isNaN(Date.parse(endedAt)) ? null : endedAt,
  };
}

/** A part of the statement that makes a run, which names the run as `made`: its row, as it is before anything was said about it. */
export function insertSeedRun(sql: Statement, { id, workflow }: { readonly id: string; readonly workflow: string }, now: string): string {
  return `insert into waymark_store.seed_run (id, workflow_name, status, user_message, started_at)
    select ${sql.bind(runUuid(id), "uuid")}, ${sql.bind(cut(workflow, 255))}, 'running', '', ${timeOf(now)} from made on conflict (id) do nothing`;
}

/** A part of the statement that changes a run: nothing is written where its row stays the same. */
export function moveSeedRun(
  sql: Statement,
  run: string,
  { summary, now }: { readonly summary: NonNullable<Commit["summary"]>; readonly now: string },
): string {
  const facts = factsOf(run, summary.line);
  const status: RunStatus = summary.status === "cancelled" ? "failed" : summary.status;
  const metadata = {
    ...(summary.status === "cancelled" ? { cancelled: true } : {}),
    ...(status === "running" || facts.error === null ? {} : { error: facts.error }),
  };
  const id = sql.bind(facts.id, "uuid");
  const ended = (): string => `coalesce(${sql.bind(facts.endedAt)}::timestamptz, ${timeOf(now)})`;
  const values = {
    id,
    conversation_id: `(select c.id from waymark_store.seed_conversation c where c.id = ${sql.bind(facts.conversation, "uuid")})`,
    codebase_id: `(select b.id from waymark_store.seed_codebase b where b.id = ${sql.bind(facts.codebase, "uuid")})`,
    current_step_index: sql.bind(facts.done, "int"),
    status: sql.bind(status, "varchar"),
    user_message: sql.bind(facts.asked, "text"),
    metadata: `(coalesce(r.metadata, '{}') - 'cancelled' - 'error') || ${sql.bind(JSON.stringify(metadata))}::jsonb`,
    completed_at: status === "running" ? "null::timestamptz" : ended(),
  };
  const columns = Object.keys(values);
  const news = Object.values(values).join(", ");
  // A run's uuid is in its line from the first one on; one whose first commit had no line has its row by another.
  const own = `coalesce((select s.id from waymark_store.seed_run s where s.id = ${id}), ${sql.bind(runUuid(run), "uuid")})`;
  return `update waymark_store.seed_run r set (${columns.join(", ")}) = row(${news})
    where r.id = ${own} and (${columns.map((name) => `r.${name}`).join(", ")}) is distinct from (${news})`;
}

export async function deleteSeedRun(db: Statements, run: string, line: string): Promise<void> {
  await db.run("delete from waymark_store.seed_run where id in ($1, $2)", factsOf(run, line).id, runUuid(run));
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

export async function writeSeedTemplate(db: Statements, id: string, { name, description, content }: CommandTemplate): Promise<void> {
  const sql = `insert into waymark_store.seed_template (id, name, description, content, created_at, updated_at)
    values ($1, $2, $3, $4, ${dateOf(db.now)}, ${dateOf(db.now)}) on conflict do nothing`;
  const change = `update waymark_store.seed_template set description = $2, content = $3, updated_at = ${dateOf(db.now)} where id = $1`;
  const texts = [plain(description), plain(content)];
  if ((await db.run(sql, id, distinct(name, 255), ...texts)) === 0) await db.run(change, id, ...texts);
}

/** Milliseconds as the time that they are. */
function timeOf(milliseconds: string): string {
  return `to_timestamp((${milliseconds}) / 1000.0)`;
}

/** As the columns without a time zone have it. */
function dateOf(milliseconds: string): string {
  return `${timeOf(milliseconds)} at time zone 'utc'`;
}

function plain(text: string): string {
  return text.replaceAll("\0", "\ufffd");
}

function cut(text: string, length: number): string {
  return plain(text).slice(0, length);
}

/** Cut, and still another one for every text. */
function distinct(text: string, length: number): string {
  if (text.length <= length) return plain(text);
  return `${cut(text, length - 65)}-${createHash("sha256").update(text).digest("hex")}`;
}

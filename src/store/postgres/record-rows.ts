import type { Actor } from "../../kernel/index.ts";
import type { Commit, JournalRecord, NewRecord } from "../../ports/index.ts";
import { noRun } from "../store-errors.ts";
import { decodeText, encodeText } from "../stored-text.ts";
import type { Param, Statement, Statements } from "./postgres-connection.ts";
import type { RunName } from "./run-name.ts";

const columnTypes = ["float8", "text", "text", "text", "text", "text", "bigint"] as const;

/** A part of a statement that names the run as `own`: the records behind its head, the first of them with the mark of their commit. */
export function insertRecords(sql: Statement, run: { readonly head: string; readonly by: string }, records: Commit["records"]): string {
  // The first row says which types the columns have.
  const rows = records.map((record, index) => {
    const values = valuesOf(record).map((value, column) => sql.bind(value, index === 0 ? columnTypes[column] : ""));
    return `(${index + 1}, ${values.join(", ")})`;
  });
  return `insert into waymark_store.record (run, position, at, actor, cause, key, facts, events, version, commit_id)
    select own.no, ${run.head} + r.n, r.at, r.actor, r.cause, r.key, r.facts, r.events, r.version, case when r.n = 1 then ${run.by} end
    from own cross join (values ${rows.join(", ")}) as r (n, at, actor, cause, key, facts, events, version)`;
}

function valuesOf({ at, actor, cause, key, facts, events, version }: NewRecord): readonly Param[] {
  return [at, JSON.stringify(actor), encodeText(cause), optional(key), facts ?? null, events, version];
}

export function isKeyTaken(error: unknown): boolean {
  return (error as { constraint?: string }).constraint === "record_key";
}

/** The server names the key in its words; a key of the commit that is in them, the longest where several are. */
export function takenKey(error: unknown, records: Commit["records"]): string {
  const { detail = "" } = error as { detail?: string };
  const keys = records.flatMap(({ key }) => key ?? []);
  const named = keys.filter((key) => detail.includes(`, ${encodeText(key)})`)).sort((a, b) => b.length - a.length);
  return named[0] ?? keys[0] ?? "";
}

type StoredRecord = Omit<JournalRecord, "actor" | "key" | "facts" | "position"> &
  Readonly<Record<"key" | "facts", string | null>> & { readonly actor: string; readonly position: number | null };

const columns = "rec.position, rec.at, rec.actor, rec.cause, rec.key, rec.facts, rec.events, rec.version";

export async function selectRecords(
  db: Statements,
  { project, run }: RunName,
  after: number,
  limit: number,
): Promise<readonly JournalRecord[]> {
  const sql = `select ${columns} from waymark_store.run r left join lateral (
      select * from waymark_store.record where run = r.no and position > $3 order by position limit $4
    ) rec on true where r.id = $1 and r.project = $2 order by rec.position`;
  const rows = await db.all<StoredRecord>(sql, encodeText(run), project, after, limit);
  if (rows.length === 0) throw noRun(run);
  return rows.flatMap(recordFrom);
}

export async function findRecord(db: Statements, { project, run }: RunName, key: string): Promise<JournalRecord | undefined> {
  const sql = `select ${columns} from waymark_store.run r left join waymark_store.record rec on rec.run = r.no and rec.key = $3
    where r.id = $1 and r.project = $2`;
  const row = await db.get<StoredRecord>(sql, encodeText(run), project, encodeText(key));
  if (row === undefined) throw noRun(run);
  return recordFrom(row)[0];
}

/** Without a position: the run is there, the record is not. */
function recordFrom({ position, at, actor, cause, key, facts, events, version }: StoredRecord): JournalRecord[] {
  if (position === null) return [];
  const more = { ...(key === null ? {} : { key: decodeText(key) }), ...(facts === null ? {} : { facts }) };
  return [{ position, at, actor: JSON.parse(actor) as Actor, cause: decodeText(cause), ...more, events, version }];
}

function optional(text: string | undefined): string | null {
  return text === undefined ? null : encodeText(text);
}

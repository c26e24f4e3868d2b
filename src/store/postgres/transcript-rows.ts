import { encodeText } from "../stored-text.ts";
import type { Attempt, Statements } from "./postgres-connection.ts";

export interface EntryText {
  readonly action: string;
  readonly step: string;
  /** JSON. */
  readonly entry: string;
}

/**
 * Adds entries behind all others of the run. The row of the transcript is locked until the transaction has ended, so that what has a higher
 * position becomes visible later. `batch` names this call, through all its attempts.
 */
export async function insertEntries(db: Attempt, run: string, batch: string, entries: readonly EntryText[]): Promise<void> {
  const sql = `insert into waymark_store.transcript (run, last) values ($1, $2)
    on conflict (run) do update set last = waymark_store.transcript.last + $2 returning last`;
  const name = encodeText(run);
  const { last } = (await db.get<{ last: number }>(sql, name, entries.length))!;
  const own = "select 1 as found from waymark_store.transcript_entry where run = $1 and batch = $2 limit 1";
  if (db.repeated && (await db.get(own, name, batch)) !== undefined) {
    await db.run("update waymark_store.transcript set last = last - $2 where run = $1", name, entries.length);
    return;
  }
  const add = `insert into waymark_store.transcript_entry (run, position, action, step, entry, batch)
    select $1, $2::bigint + e.n, e.action, e.step, e.entry, $3::uuid
    from unnest($4::text[], $5::text[], $6::text[]) with ordinality as e (action, step, entry, n)`;
  const column = (value: (entry: EntryText) => string): string[] => entries.map(value);
  await db.run(
    add,
    name,
    last - entries.length,
    batch,
    column(({ action }) => encodeText(action)),
    column(({ step }) => encodeText(step)),
    column(({ entry }) => entry),
  );
}

export interface EntryWish {
  readonly action?: string | undefined;
  readonly step?: string | undefined;
  readonly after: number;
  readonly limit: number;
}

export async function selectEntries(
  db: Statements,
  run: string,
  wish: EntryWish,
): Promise<readonly { readonly position: number; readonly entry: string }[]> {
  const sql = `select position, entry from waymark_store.transcript_entry where run = $1 and position > $2
    and action = coalesce($3::text, action) and step = coalesce($4::text, step) order by position limit $5`;
  const [action, step] = [wish.action, wish.step].map((text) => (text === undefined ? null : encodeText(text)));
  return db.all(sql, encodeText(run), wish.after, action ?? null, step ?? null, wish.limit);
}

export async function deleteEntries(db: Statements, run: string): Promise<void> {
  await db.run("delete from waymark_store.transcript where run = $1", encodeText(run));
}

/** Of runs that are not there: who drove one may add entries when it is removed. */
export async function deleteLeftEntries(db: Statements): Promise<void> {
  await db.run("delete from waymark_store.transcript t where not exists (select 1 from waymark_store.run r where r.id = t.run)");
}

import type { RunFilter, RunRow } from "../../ports/index.ts";
import { noRun, runExists } from "../store-errors.ts";
import { Conditions } from "./item-query.ts";
import type { SqliteConnection } from "./sqlite-connection.ts";
import { decodeText, encodeText } from "./stored-text.ts";

type RunIdentity = Pick<RunRow, "id" | "workflow" | "program" | "sources">;

/** What a commit needs to know of the run: its number in other tables, its head, its lock. */
export interface RunHead {
  readonly no: number;
  readonly head: number;
  readonly lock_owner: string | null;
  readonly lock_until: number | null;
}

const columns = "id, workflow, program, sources, created_at as createdAt, updated_at as updatedAt, status, line, head";

/** Adds a run with an empty journal and keeps its program and sources from collection. */
export function insertRun(db: SqliteConnection, run: RunIdentity, now: number): RunHead {
  const no = db.insert(
    `insert into run (id, workflow, program, sources, created_at, updated_at, status, line, head)
    values (?, ?, ?, ?, ?, ?, 'running', '{}', 0) on conflict (id) do nothing`,
    encodeText(run.id),
    encodeText(run.workflow),
    run.program,
    run.sources,
    now,
    now,
  );
  if (no === undefined) throw runExists(run.id);
  keepBlobs(db, no, [run.program, run.sources]);
  return { no, head: 0, lock_owner: null, lock_until: null };
}

export function requireRun(db: SqliteConnection, id: string): RunHead {
  const run = db.get<RunHead>("select no, head, lock_owner, lock_until from run where id = ?", encodeText(id));
  if (run === undefined) throw noRun(id);
  return run;
}

export function findRun(db: SqliteConnection, id: string): RunRow | undefined {
  const row = db.get<RunRow>(`select ${columns} from run where id = ?`, encodeText(id));
  return row === undefined ? undefined : runFrom(row);
}

/** Newest first, by creation. */
export function selectRuns(db: SqliteConnection, filter: RunFilter): readonly RunRow[] {
  const where = new Conditions("true");
  if (filter.status !== undefined) where.add("status in (select value from json_each(?))", JSON.stringify(filter.status));
  if (filter.workflow !== undefined) where.add("workflow = ?", encodeText(filter.workflow));
  if (filter.updatedBefore !== undefined) where.add("updated_at < ?", filter.updatedBefore);
  if (filter.after !== undefined) where.add("no < ?", requireRun(db, filter.after).no);
  const sql = `select ${columns} from run where ${where.text()} order by no desc limit ?`;
  return db.all<RunRow>(sql, ...where.params, filter.limit ?? -1).map(runFrom);
}

/** Everything that refers to the run goes with it, and the leases that have its id as a part of their key. */
export function deleteRun(db: SqliteConnection, id: string, head?: number): boolean {
  if (head === undefined) requireRun(db, id);
  if (db.run("delete from run where id = ? and head = coalesce(?, head)", encodeText(id), head ?? null) === 0) return false;
  db.run("delete from lease where instr('/' || replace(key, ':', '/') || '/', '/' || replace(?, ':', '/') || '/') > 0", encodeText(id));
  return true;
}

export function keepBlobs(db: SqliteConnection, run: number, hashes: Iterable<string>): void {
  for (const hash of hashes) db.run("insert or ignore into blob_ref (hash, run) values (?, ?)", hash, run);
}

function runFrom(row: RunRow): RunRow {
  return { ...row, id: decodeText(row.id), workflow: decodeText(row.workflow) };
}

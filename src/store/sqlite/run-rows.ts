import type { RunStatus } from "../../kernel/index.ts";
import type { RunFilter, RunRow, RunSummary } from "../../ports/index.ts";
import { noRun, runExists } from "../store-errors.ts";
import type { Param, SqliteConnection } from "./sqlite-connection.ts";
import { decodeText, encodeText } from "./stored-text.ts";

export type RunIdentity = Pick<RunRow, "id" | "workflow" | "program" | "sources">;

/** What a commit needs to know of the run: its number in other tables, its head, its lock. */
export interface RunHead {
  readonly no: number;
  readonly head: number;
  readonly lock_owner: string | null;
  readonly lock_until: number | null;
}

interface StoredRun {
  readonly id: string;
  readonly workflow: string;
  readonly program: string;
  readonly sources: string;
  readonly created_at: number;
  readonly updated_at: number;
  readonly status: string;
  readonly line: string;
  readonly head: number;
}

const columns = "id, workflow, program, sources, created_at, updated_at, status, line, head";

/** Adds a run with an empty journal and keeps its program and sources from collection. */
export function insertRun(db: SqliteConnection, run: RunIdentity, now: number): RunHead {
  const no = db.insert(
    `insert into run (${columns}) values (?, ?, ?, ?, ?, ?, 'running', '{}', 0) on conflict (id) do nothing`,
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

/** Moves the head and frees the run's lock. */
export function updateRun(
  db: SqliteConnection,
  no: number,
  to: { readonly head: number; readonly now: number; readonly summary: RunSummary | undefined },
): void {
  if (to.summary === undefined)
    db.run("update run set head = ?, updated_at = ?, lock_owner = null, lock_until = null where no = ?", to.head, to.now, no);
  else {
    const { status, line } = to.summary;
    db.run(
      "update run set head = ?, updated_at = ?, status = ?, line = ?, lock_owner = null, lock_until = null where no = ?",
      to.head,
      to.now,
      status,
      line,
      no,
    );
  }
}

export function findRun(db: SqliteConnection, id: string): RunRow | undefined {
  const row = db.get<StoredRun>(`select ${columns} from run where id = ?`, encodeText(id));
  return row === undefined ? undefined : runFrom(row);
}

/** Newest first, by creation. */
export function selectRuns(db: SqliteConnection, filter: RunFilter): readonly RunRow[] {
  const where = ["true"];
  const params: Param[] = [];
  if (filter.status !== undefined) {
    where.push("status in (select value from json_each(?))");
    params.push(JSON.stringify(filter.status));
  }
  if (filter.workflow !== undefined) {
    where.push("workflow = ?");
    params.push(encodeText(filter.workflow));
  }
  if (filter.updatedBefore !== undefined) {
    where.push("updated_at < ?");
    params.push(filter.updatedBefore);
  }
  if (filter.after !== undefined) {
    where.push("no < ?");
    params.push(requireRun(db, filter.after).no);
  }
  const rows = db.all<StoredRun>(
    `select ${columns} from run where ${where.join(" and ")} order by no desc limit ?`,
    ...params,
    filter.limit ?? -1,
  );
  return rows.map(runFrom);
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

function runFrom(row: StoredRun): RunRow {
  const { id, workflow, program, sources, line, head } = row;
  const status = row.status as RunStatus;
  return {
    id: decodeText(id),
    workflow: decodeText(workflow),
    program,
    sources,
    createdAt: row.created_at,
    updatedAt: row.updated_at,
    status,
    line,
    head,
  };
}

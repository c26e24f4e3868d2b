import type { Actor } from "../../kernel/index.ts";
import type { Commit, HeldLease, JournalRecord, NewRecord, RunFilter, RunRow, Store } from "../../ports/index.ts";
import { applyItemChanges } from "./item-rows.ts";
import { findLease } from "./lease-rows.ts";
import { Conditions, later, type SqliteConnection } from "./sqlite-connection.ts";
import { isUniqueViolation } from "./sqlite-failure.ts";
import { blobReferences } from "../blob-reference.ts";
import { runLockMs } from "../run-lock.ts";
import { duplicateKey, noRun, runExists, storeCorrupt } from "../store-errors.ts";
import { decodeText, encodeText } from "../stored-text.ts";
import { waitingColumns } from "../waiting-text.ts";

interface CommitRequest {
  readonly run: string;
  readonly expectedHead: number;
  readonly commit: Commit;
  readonly locked: boolean;
  readonly held?: HeldLease | undefined;
  /** Who takes the lock: this opened store. */
  readonly owner: string;
  readonly now: number;
}

/**
 * Writes the commit if the head is still the expected one.
 *
 * The run's lock makes a decider that is slower than the others win in the end. A locked commit waits until no other store
 * has the lock and takes it. If its head is old it changes nothing and *keeps the lock* for `runLockMs`: unlocked commits
 * of every process, this one too, then wait, so the head it was given stays, and its second locked commit wins and frees
 * the lock. An unlocked commit that would fail anyway is refused at once. Locked commits of one opened store share
 * the lock and race each other. A decider that no longer wants to commit frees the lock by an empty locked commit, or
 * leaves it to expire.
 */
export function commitToRun(db: SqliteConnection, request: CommitRequest): Awaited<ReturnType<Store["commit"]>> | typeof later {
  const { expectedHead, locked, held, owner, now } = request;
  const run = requireRun(db, request.run);
  if (held !== undefined && findLease(db, held.key)?.owner !== held.owner) return { ok: false, head: run.head, lost: true };
  const current = run.head === expectedHead;
  const shut = run.lock_until !== null && run.lock_until > now && !(locked && run.lock_owner === owner);
  if (shut && (current || locked)) return later;
  if (!current) {
    if (locked) db.run("update run set lock_owner = ?, lock_until = ? where no = ?", owner, now + runLockMs, run.no);
    return { ok: false, head: run.head };
  }
  return { ok: true, head: writeCommit(db, run, request) };
}

/** Answers the new head; the run's lock is free again. */
export function writeCommit(
  db: SqliteConnection,
  run: RunHead,
  { run: id, commit, now }: Pick<CommitRequest, "run" | "commit" | "now">,
): number {
  let head = run.head;
  for (const record of commit.records) {
    head += 1;
    try {
      insertRecord(db, run.no, head, record);
    } catch (error) {
      if (!isUniqueViolation(error)) throw error;
      if (record.key !== undefined && recordByKey(db, run.no, record.key) !== undefined) throw duplicateKey(id, record.key);
      throw storeCorrupt(db.file, `run \`${id}\` has records after its head ${run.head}`, error);
    }
  }
  if (commit.items.length > 0) applyItemChanges(db, run.no, commit.items);
  const moveHead = `update run set head = ?, updated_at = ?, status = coalesce(?, status), line = coalesce(?, line),
    lock_owner = null, lock_until = null where no = ?`;
  db.run(moveHead, head, now, commit.summary?.status ?? null, commit.summary?.line ?? null, run.no);
  const waiting = waitingColumns(commit);
  if (waiting !== undefined) db.run("update run set due = ?, parts = ? where no = ?", waiting.due, waiting.parts, run.no);
  return head;
}

function insertRecord(db: SqliteConnection, run: number, position: number, record: NewRecord): void {
  const { at, actor, cause, key, facts, events, version } = record;
  db.run(
    "insert into record (run, position, at, actor, cause, key, facts, events, version) values (?, ?, ?, ?, ?, ?, ?, ?, ?)",
    run,
    position,
    at,
    JSON.stringify(actor),
    encodeText(cause),
    key === undefined ? null : encodeText(key),
    facts ?? null,
    events,
    version,
  );
  keepBlobs(db, run, blobReferences(events));
  if (facts !== undefined) keepBlobs(db, run, blobReferences(facts));
}

type StoredRecord = Omit<JournalRecord, "actor" | "key" | "facts"> &
  Readonly<Record<"key" | "facts", string | null>> & { readonly actor: string };

const columns = "position, at, actor, cause, key, facts, events, version";

export function selectRecords(db: SqliteConnection, run: string, after: number, limit: number): readonly JournalRecord[] {
  const sql = `select ${columns} from record where run = ? and position > ? order by position limit ?`;
  return db.all<StoredRecord>(sql, requireRun(db, run).no, after, limit).map(recordFrom);
}

export function findRecord(db: SqliteConnection, run: string, key: string): JournalRecord | undefined {
  const row = recordByKey(db, requireRun(db, run).no, key);
  return row === undefined ? undefined : recordFrom(row);
}

function recordByKey(db: SqliteConnection, run: number, key: string): StoredRecord | undefined {
  return db.get<StoredRecord>(`select ${columns} from record where run = ? and key = ?`, run, encodeText(key));
}

function recordFrom({ position, at, actor, cause, key, facts, events, version }: StoredRecord): JournalRecord {
  const optional = { ...(key === null ? {} : { key: decodeText(key) }), ...(facts === null ? {} : { facts }) };
  return { position, at, actor: JSON.parse(actor) as Actor, cause: decodeText(cause), ...optional, events, version };
}

export function findSnapshot(db: SqliteConnection, run: string): { readonly position: number; readonly text: string } | undefined {
  return db.get("select position, text from snapshot where run = ?", requireRun(db, run).no);
}

export function writeSnapshot(db: SqliteConnection, run: string, position: number, text: string): void {
  const { no } = requireRun(db, run);
  const sql = `insert into snapshot (run, position, text) values (?, ?, ?) on conflict (run)
    do update set position = excluded.position, text = excluded.text where excluded.position >= snapshot.position`;
  db.run(sql, no, position, text);
  // Also of an older one that is not taken: its writer refers to the same blobs again in its next one.
  keepBlobs(db, no, blobReferences(text));
}

type RunIdentity = Pick<RunRow, "id" | "workflow" | "program" | "sources">;

/** What a commit needs to know of the run: its number in other tables, its head, its lock. */
interface RunHead {
  readonly no: number;
  readonly head: number;
  readonly lock_owner: string | null;
  readonly lock_until: number | null;
}

const runColumns = "id, workflow, program, sources, created_at as createdAt, updated_at as updatedAt, status, line, head";

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
  const row = db.get<RunRow>(`select ${runColumns} from run where id = ?`, encodeText(id));
  return row === undefined ? undefined : runFrom(row);
}

/** Newest first, by creation. */
export function selectRuns(db: SqliteConnection, filter: RunFilter): readonly RunRow[] {
  const where = new Conditions("true");
  if (filter.status !== undefined) where.add("status in (select value from json_each(?))", JSON.stringify(filter.status));
  if (filter.workflow !== undefined) where.add("workflow = ?", encodeText(filter.workflow));
  if (filter.updatedBefore !== undefined) where.add("updated_at < ?", filter.updatedBefore);
  if (filter.after !== undefined) where.add("no < ?", requireRun(db, filter.after).no);
  const sql = `select ${runColumns} from run where ${where.text()} order by no desc limit ?`;
  return db.all<RunRow>(sql, ...where.params, filter.limit ?? -1).map(runFrom);
}

/** Everything that refers to the run goes with it, and the leases of `<what>/<run>/...`. */
export function deleteRun(db: SqliteConnection, id: string, head?: number): boolean {
  if (head === undefined) requireRun(db, id);
  if (db.run("delete from run where id = ? and head = coalesce(?, head)", encodeText(id), head ?? null) === 0) return false;
  db.run("delete from lease where substr(key, instr(key, '/'), length(?1) + 2) = '/' || ?1 || '/'", encodeText(id));
  return true;
}

function keepBlobs(db: SqliteConnection, run: number, hashes: Iterable<string>): void {
  for (const hash of hashes) db.run("insert or ignore into blob_ref (hash, run) values (?, ?)", hash, run);
}

function runFrom(row: RunRow): RunRow {
  return { ...row, id: decodeText(row.id), workflow: decodeText(row.workflow) };
}

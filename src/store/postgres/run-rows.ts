import type { Commit, HeldLease, RunFilter, RunRow, Store } from "../../ports/index.ts";
import { blobReferences } from "../blob-reference.ts";
import { runLockMs } from "../run-lock.ts";
import { duplicateKey, noRun, runExists, storeCorrupt } from "../store-errors.ts";
import { decodeText, encodeText } from "../stored-text.ts";
import { applyItemChanges } from "./item-rows.ts";
import { later, Statement, type Attempt, type Statements } from "./postgres-connection.ts";
import { isUniqueViolation } from "./postgres-failure.ts";
import { insertRecords, isKeyTaken, takenKey } from "./record-rows.ts";
import { requireRun, type RunName } from "./run-name.ts";
import { deleteSeedRun, insertSeedRun, moveSeedRun } from "./seed-rows.ts";

interface CommitRequest extends RunName {
  readonly expectedHead: number;
  readonly commit: Commit;
  /** Names this commit, through all its attempts. */
  readonly id: string;
  readonly locked: boolean;
  readonly held?: HeldLease | undefined;
  /** Who takes the run's lock: this opened store. */
  readonly owner: string;
}

/** What a commit needs to know of the run: its number in other tables, its head, its lock. */
interface RunHead {
  readonly no: number;
  readonly head: number;
  readonly lock_owner: string | null;
  readonly is_shut: boolean;
  readonly commit_id: string;
}

/**
 * Writes the commit if the head is still the expected one. The row of the run is locked to the end of the transaction, so that the head and
 * the lease that were compared are those it is committed on. What the run's lock means is said in `sqlite/run-rows.ts`: it is the same here.
 */
export async function commitToRun(db: Attempt, request: CommitRequest): Promise<Awaited<ReturnType<Store["commit"]>> | typeof later> {
  const { expectedHead, commit, locked, held, owner } = request;
  const run = await lockRun(db, request);
  if (db.repeated && (await wasWritten(db, run, request))) return { ok: true, head: expectedHead + commit.records.length };
  if (held !== undefined && !(await holds(db, held))) return { ok: false, head: run.head, lost: true };
  const current = run.head === expectedHead;
  const shut = run.is_shut && !(locked && run.lock_owner === owner);
  if (shut && (current || locked)) return later;
  if (!current) {
    if (locked)
      await db.run(`update waymark_store.run set lock_owner = $1, lock_until = ${db.now} + ${runLockMs} where no = $2`, owner, run.no);
    return { ok: false, head: run.head };
  }
  return { ok: true, head: await writeCommit(db, run, request) };
}

async function lockRun(db: Statements, { project, run: id }: RunName): Promise<RunHead> {
  const sql = `select no, head, lock_owner, coalesce(lock_until > ${db.now}, false) as is_shut, commit_id
    from waymark_store.run where id = $1 and project = $2 for update`;
  const run = await db.get<RunHead>(sql, encodeText(id), project);
  if (run === undefined) throw noRun(id);
  return run;
}

/** The lease stays that owner's until the transaction has ended: who takes it over waits. */
async function holds(db: Statements, { key, owner }: HeldLease): Promise<boolean> {
  const sql = "select 1 as held from waymark_store.lease where key = $1 and owner = $2 for share";
  return (await db.get(sql, encodeText(key), encodeText(owner))) !== undefined;
}

/** Whether an earlier attempt of the same commit, whose answer was lost, is in the journal. */
async function wasWritten(db: Statements, run: RunHead, { id, expectedHead, commit }: CommitRequest): Promise<boolean> {
  if (commit.records.length === 0) return run.commit_id === id;
  const sql = "select 1 as found from waymark_store.record where run = $1 and position = $2 and commit_id = $3";
  return (await db.get(sql, run.no, expectedHead + 1, id)) !== undefined;
}

/** Answers the new head; the run's lock is free again. */
async function writeCommit(
  db: Statements,
  run: Pick<RunHead, "no" | "head">,
  { run: id, commit, id: commitId }: Pick<CommitRequest, "run" | "commit" | "id">,
): Promise<number> {
  const { records, items, summary } = commit;
  const sql = new Statement();
  const [no, head, by] = [sql.bind(run.no, "bigint"), sql.bind(run.head, "bigint"), sql.bind(commitId, "uuid")];
  const parts: string[] = [];
  if (summary !== undefined) parts.push(`shown as (${moveSeedRun(sql, id, { summary, now: db.now })})`);
  if (records.length > 0) parts.push(`added as (${insertRecords(sql, { no, head, by }, records)})`);
  const blobs = records.flatMap(({ events, facts }) => [...blobReferences(events), ...(facts === undefined ? [] : blobReferences(facts))]);
  if (blobs.length > 0) parts.push(`kept as (${insertReferences(sql, no, blobs)})`);
  const [status, line] = [sql.bind(summary?.status ?? null, "text"), sql.bind(summary?.line ?? null, "text")];
  const moved = `update waymark_store.run set head = ${head} + ${records.length}, updated_at = ${db.now}, status = coalesce(${status}, status),
    line = coalesce(${line}, line), lock_owner = null, lock_until = null, commit_id = ${by} where no = ${no}`;
  try {
    await db.run(parts.length === 0 ? moved : `with ${parts.join(", ")} ${moved}`, ...sql.params);
  } catch (error) {
    if (!isUniqueViolation(error)) throw error;
    throw isKeyTaken(error)
      ? duplicateKey(id, takenKey(error, records))
      : storeCorrupt("waymark_store.record", `run \`${id}\` has records after its head ${run.head}`, error);
  }
  if (items.length > 0) await applyItemChanges(db, run.no, items);
  return run.head + records.length;
}

function insertReferences(sql: Statement, no: string, hashes: readonly string[]): string {
  return `insert into waymark_store.blob_ref (hash, run) select distinct h, ${no} from unnest(${sql.bind(hashes, "text[]")}) as h on conflict do nothing`;
}

type RunIdentity = Pick<RunRow, "id" | "workflow" | "program" | "sources">;

/** Adds a run with its first commit, and keeps its program and sources from collection. */
export async function insertRun(
  db: Attempt,
  project: string,
  row: RunIdentity,
  commit: { readonly commit: Commit; readonly id: string },
): Promise<number> {
  const sql = new Statement();
  const pins = [sql.bind(row.program, "text"), sql.bind(row.sources, "text")];
  const names = [sql.bind(encodeText(row.id)), sql.bind(project), sql.bind(encodeText(row.workflow)), ...pins];
  const by = sql.bind(commit.id, "uuid");
  const text = `with made as (
      insert into waymark_store.run (id, project, workflow, program, sources, created_at, updated_at, status, line, head, made_by, commit_id)
      select ${names.join(", ")}, t.now, t.now, 'running', '{}', 0, ${by}, ${by} from (select ${db.now} as now) t
      on conflict (id) do nothing returning no
    ), kept as (
      insert into waymark_store.blob_ref (hash, run) select distinct h, made.no from made cross join unnest(array[${pins.join(", ")}]) as h
    ), shown as (${insertSeedRun(sql, row, db.now)})
    select no from made`;
  const made = await db.get<{ no: number }>(text, ...sql.params);
  if (made !== undefined) {
    const head = await writeCommit(db, { no: made.no, head: 0 }, { run: row.id, ...commit });
    // The first commit belongs to the moment at which the run was made.
    await db.run("update waymark_store.run set updated_at = created_at where no = $1", made.no);
    return head;
  }
  const own = "select 1 as found from waymark_store.run where id = $1 and made_by = $2";
  if (db.repeated && (await db.get(own, encodeText(row.id), commit.id)) !== undefined) return commit.commit.records.length;
  throw runExists(row.id);
}

type StoredSnapshot = { readonly position: number; readonly text: string };

export async function findSnapshot(db: Statements, { project, run }: RunName): Promise<StoredSnapshot | undefined> {
  const sql = `select s.position, s.text from waymark_store.run r left join waymark_store.snapshot s on s.run = r.no where r.id = $1 and r.project = $2`;
  const row = await db.get<StoredSnapshot | Record<keyof StoredSnapshot, null>>(sql, encodeText(run), project);
  if (row === undefined) throw noRun(run);
  return row.position === null ? undefined : row;
}

export async function writeSnapshot(db: Statements, run: RunName, position: number, text: string): Promise<void> {
  const no = await requireRun(db, run);
  const sql = `insert into waymark_store.snapshot (run, position, text) values ($1, $2, $3) on conflict (run)
    do update set position = excluded.position, text = excluded.text where excluded.position >= waymark_store.snapshot.position`;
  await db.run(sql, no, position, text);
  // Also of an older one that is not taken: its writer refers to the same blobs again in its next one.
  const kept = new Statement();
  const hashes = blobReferences(text);
  if (hashes.length > 0) await db.run(insertReferences(kept, kept.bind(no, "bigint"), hashes), ...kept.params);
}

export async function deleteSnapshot(db: Statements, run: RunName): Promise<void> {
  await db.run("delete from waymark_store.snapshot where run = $1", await requireRun(db, run));
}

/** The run for a change of its rows beside the journal; `false` when an earlier attempt of the change was committed. */
export async function takeRun(db: Attempt, name: RunName, id: string): Promise<number | false> {
  const run = await lockRun(db, name);
  if (db.repeated && run.commit_id === id) return false;
  await db.run("update waymark_store.run set commit_id = $1 where no = $2", id, run.no);
  return run.no;
}

const runColumns = `id, workflow, program, sources, created_at as "createdAt", updated_at as "updatedAt", status, line, head`;

export async function findRun(db: Statements, { project, run }: RunName): Promise<RunRow | undefined> {
  const row = await db.get<RunRow>(`select ${runColumns} from waymark_store.run where id = $1 and project = $2`, encodeText(run), project);
  return row === undefined ? undefined : runFrom(row);
}

/** Newest first, by creation. */
export async function selectRuns(db: Statements, project: string, filter: RunFilter): Promise<readonly RunRow[]> {
  const sql = new Statement();
  const where = [`project = ${sql.bind(project)}`];
  if (filter.status !== undefined) where.push(`status = any(${sql.bind(filter.status, "text[]")})`);
  if (filter.workflow !== undefined) where.push(`workflow = ${sql.bind(encodeText(filter.workflow))}`);
  if (filter.updatedBefore !== undefined) where.push(`updated_at < ${sql.bind(filter.updatedBefore)}`);
  if (filter.after !== undefined) where.push(`no < ${sql.bind(await requireRun(db, { project, run: filter.after }))}`);
  const limit = filter.limit === undefined ? "" : ` limit ${sql.bind(filter.limit)}`;
  const rows = await db.all<RunRow>(
    `select ${runColumns} from waymark_store.run where ${where.join(" and ")} order by no desc${limit}`,
    ...sql.params,
  );
  return rows.map(runFrom);
}

/** Everything that refers to the run goes with it, and the leases that have its id as a part of their key. */
export async function deleteRun(db: Attempt, { project, run }: RunName, head?: number): Promise<boolean> {
  const sql = "delete from waymark_store.run where id = $1 and project = $2 and head = coalesce($3::bigint, head) returning line";
  const removed = await db.get<{ line: string }>(sql, encodeText(run), project, head ?? null);
  if (removed === undefined) {
    const isGone = (await findRun(db, { project, run })) === undefined;
    if (db.repeated && isGone) return true;
    if (head === undefined) throw noRun(run);
    return false;
  }
  const leases = `delete from waymark_store.lease where strpos('/' || replace(key, ':', '/') || '/', '/' || replace($1::text, ':', '/') || '/') > 0`;
  await db.run(leases, encodeText(run));
  await deleteSeedRun(db, run, removed.line);
  return true;
}

function runFrom(row: RunRow): RunRow {
  return { ...row, id: decodeText(row.id), workflow: decodeText(row.workflow) };
}

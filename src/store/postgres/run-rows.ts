import type { Commit, HeldLease, RunFilter, RunRow, Store } from "../../ports/index.ts";
import { blobReferences } from "../blob-reference.ts";
import { runLockMs } from "../run-lock.ts";
import { noRun, runExists } from "../store-errors.ts";
import { decodeText, encodeText } from "../stored-text.ts";
import { Statement, type Attempt, type Statements } from "./postgres-connection.ts";
import { keepRun, requireRun, type RunName } from "./run-name.ts";
import { deleteSeedRun, showMovedRun, showNewRun } from "./seed-rows.ts";
import { later } from "./server-patience.ts";
import { deleteEntries } from "./transcript-rows.ts";
import { insertReferences, writeAtOnce, writeCommit, type CommitTarget, type LastCommit } from "./write-commit.ts";

export interface CommitRequest extends RunName {
  readonly expectedHead: number;
  readonly commit: Commit;
  /** Names this commit, through all its attempts. */
  readonly id: string;
  readonly locked: boolean;
  readonly held?: HeldLease | undefined;
  /** Who takes the run's lock: this opened store. */
  readonly owner: string;
}

/** What a commit needs to know of the run beside what it writes on: its lock and its last commit. */
interface RunHead extends Required<CommitTarget> {
  readonly lock_owner: string | null;
  readonly is_shut: boolean;
  readonly commit_id: string;
}

export type Committed = Awaited<ReturnType<Store["commit"]>> & { readonly left?: LastCommit };

/**
 * Writes the commit if the head is still the expected one. The row of the run is locked to the end of the transaction, so that the head and
 * the lease that were compared are those it is committed on. What the run's lock means is said in `sqlite/run-rows.ts`: it is the same here.
 */
export async function commitToRun(db: Attempt, request: CommitRequest): Promise<Committed | typeof later> {
  const { expectedHead, commit, locked, held } = request;
  // Many who wait would hold up the one they wait for, each with the row for a moment: they look without taking it.
  if ((locked || db.waited) && mustWait(await findHead(db, request), request)) return later;
  const run = await findHead(db, request, "for update");
  if (db.repeated && (await wasWritten(db, run, request))) return { ok: true, head: expectedHead + commit.records.length };
  if (held !== undefined && !(await holds(db, held))) return { ok: false, head: run.head, lost: true };
  if (mustWait(run, request)) return later;
  if (run.head !== expectedHead) {
    if (locked)
      await db.run(
        `update waymark_store.run set lock_owner = $1, lock_until = ${db.now} + ${runLockMs} where no = $2`,
        request.owner,
        run.no,
      );
    return { ok: false, head: run.head };
  }
  const moved = await writeCommit(db, run, request);
  const { no, status, line } = run;
  return { ok: true, head: moved.head, left: { no, status, line, ...commit.summary, ...moved, last: request.id } };
}

/** The same for a run that is as `last` left it, by one statement; undefined, and nothing is written, where it is not. */
export async function commitAtOnce(
  db: Statements,
  last: LastCommit,
  request: CommitRequest & { readonly schema: number },
): Promise<Committed | undefined> {
  const moved = await writeAtOnce(db, last, request);
  if (moved === undefined) return undefined;
  return { ok: true, head: moved.head, left: { ...last, ...request.commit.summary, ...moved, last: request.id } };
}

function mustWait(run: RunHead, { expectedHead, locked, owner }: CommitRequest): boolean {
  const isShut = run.is_shut && !(locked && run.lock_owner === owner);
  return isShut && (locked || run.head === expectedHead);
}

async function findHead(db: Statements, { project, run: id }: RunName, lock: "" | "for update" = ""): Promise<RunHead> {
  const sql = `select no, head, status, line, lock_owner, coalesce(lock_until > ${db.now}, false) as is_shut, commit_id,
    exists (select 1 from waymark_store.unshown u where u.run = no) as unshown
    from waymark_store.run where id = $1 and project = $2 ${lock}`;
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
  const summary = commit.commit.summary ?? { status: "running", line: "{}" };
  const text = `with made as (
      insert into waymark_store.run (id, project, workflow, program, sources, created_at, updated_at, status, line, head, made_by, commit_id)
      select ${names.join(", ")}, t.now, t.now, 'running', '{}', 0, ${by}, ${by} from (select ${db.now} as now) t
      on conflict (id) do nothing returning no
    ), kept as (
      insert into waymark_store.blob_ref (hash, run) select distinct h, made.no from made cross join unnest(array[${pins.join(", ")}]) as h
    )
    select no, ${showNewRun(sql, { ...row, summary }, { no: "no", now: db.now })} as shown from made`;
  const made = await db.get<{ no: number }>(text, ...sql.params);
  if (made !== undefined) {
    const { head } = await writeCommit(db, { no: made.no, head: 0, ...summary }, { run: row.id, ...commit });
    // The first commit belongs to the moment at which the run was made.
    await db.run("update waymark_store.run set updated_at = created_at where no = $1", made.no);
    return head;
  }
  const own = "select 1 as found from waymark_store.run where id = $1 and made_by = $2";
  if (db.repeated && (await db.get(own, encodeText(row.id), commit.id)) !== undefined) return commit.commit.records.length;
  throw runExists(row.id);
}

/** Shows the runs, of all projects, whose last change could not be shown when it was made. */
export async function showLateRuns(db: Statements): Promise<void> {
  const late = `select r.no, r.id, r.status, r.line from waymark_store.unshown u join waymark_store.run r on r.no = u.run
    order by r.no limit 1000 for update of r skip locked`;
  for (const { no, id, ...before } of await db.all<Pick<RunRow, "id" | "status" | "line"> & { readonly no: number }>(late)) {
    const sql = new Statement();
    const at = { no: sql.bind(no, "bigint"), now: db.now };
    await db.run(`select ${showMovedRun(sql, { run: decodeText(id), before, late: true }, at)}`, ...sql.params);
  }
}

type StoredSnapshot = { readonly position: number; readonly text: string };

export async function findSnapshot(db: Statements, { project, run }: RunName): Promise<StoredSnapshot | undefined> {
  const sql = `select s.position, s.text from waymark_store.run r left join waymark_store.snapshot s on s.run = r.no where r.id = $1 and r.project = $2`;
  const row = await db.get<StoredSnapshot | Record<keyof StoredSnapshot, null>>(sql, encodeText(run), project);
  if (row === undefined) throw noRun(run);
  return row.position === null ? undefined : row;
}

export async function writeSnapshot(db: Statements, run: RunName, position: number, text: string): Promise<void> {
  const no = await keepRun(db, run);
  const sql = `insert into waymark_store.snapshot (run, position, text) values ($1, $2, $3) on conflict (run)
    do update set position = excluded.position, text = excluded.text where excluded.position >= waymark_store.snapshot.position`;
  await db.run(sql, no, position, text);
  // Also of an older one that is not taken: its writer refers to the same blobs again in its next one.
  const kept = new Statement();
  const hashes = blobReferences(text);
  if (hashes.length > 0) await db.run(insertReferences(kept, `(select ${kept.bind(no, "bigint")} as no)`, hashes), ...kept.params);
}

export async function deleteSnapshot(db: Statements, run: RunName): Promise<void> {
  await db.run("delete from waymark_store.snapshot where run = $1", await requireRun(db, run));
}

/** The run for a change of its rows beside the journal; `false` when an earlier attempt of the change was committed. */
export async function takeRun(db: Attempt, name: RunName, id: string): Promise<number | false> {
  const run = await findHead(db, name, "for update");
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

/** Everything that refers to the run goes with it, what agents did in it, and the leases of `<what>/<run>/...`. */
export async function deleteRun(db: Attempt, { project, run }: RunName, head?: number): Promise<boolean> {
  const sql = "delete from waymark_store.run where id = $1 and project = $2 and head = coalesce($3::bigint, head) returning status, line";
  const removed = await db.get<Pick<RunRow, "status" | "line">>(sql, encodeText(run), project, head ?? null);
  if (removed === undefined) {
    const isGone = (await findRun(db, { project, run })) === undefined;
    if (db.repeated && isGone) return true;
    if (head === undefined) throw noRun(run);
    return false;
  }
  const leases = "delete from waymark_store.lease where substr(key, strpos(key, '/'), length($1::text) + 2) = '/' || $1::text || '/'";
  await db.run(leases, encodeText(run));
  await deleteEntries(db, run);
  await deleteSeedRun(db, run, removed);
  return true;
}

function runFrom(row: RunRow): RunRow {
  return { ...row, id: decodeText(row.id), workflow: decodeText(row.workflow) };
}

import type { Commit, HeldLease } from "../../ports/index.ts";
import { blobReferences } from "../blob-reference.ts";
import { duplicateKey, storeCorrupt } from "../store-errors.ts";
import { encodeText } from "../stored-text.ts";
import { applyItemChanges } from "./item-rows.ts";
import { Statement, type Statements } from "./postgres-connection.ts";
import { isUniqueViolation, lockWaitMs } from "./postgres-failure.ts";
import { insertRecords, isKeyTaken, takenKey } from "./record-rows.ts";
import { waitingColumns } from "../waiting-text.ts";
import { hintChannel, hintOf } from "./work-rows.ts";
import { showMovedRun } from "./seed-rows.ts";

type Summary = NonNullable<Commit["summary"]>;

/** A run as a commit finds it. */
export interface CommitTarget {
  readonly no: number;
  readonly head: number;
  /** What it shows until now, where the commit says what it shows from now on. */
  readonly status?: Summary["status"];
  readonly line?: string;
  /** The seed's table does not show it as it is. */
  readonly unshown?: boolean;
}

interface WrittenCommit {
  readonly run: string;
  readonly commit: Commit;
  readonly id: string;
}

/** What a commit leaves. */
export type Moved = Pick<Required<CommitTarget>, "head" | "unshown">;

/** Writes the commit to a run whose row is locked, and answers its new head; the run's own lock is free again. */
export async function writeCommit(db: Statements, target: CommitTarget, written: WrittenCommit): Promise<Moved> {
  const moved = (await performCommit(db, target, written))!;
  if (written.commit.items.length > 0) await applyItemChanges(db, target.no, written.commit.items);
  return moved;
}

/** The commit that this process wrote last to a run, and what the run is since. */
export type LastCommit = Required<CommitTarget> & { readonly last: string };

/**
 * Writes a commit without changes of items by one statement, if the run is exactly as the last commit left it, nobody has its lock, the
 * lease is held and the database has the schema. Otherwise nothing is written, and undefined is answered.
 */
export async function writeAtOnce(
  db: Statements,
  target: LastCommit,
  { schema, held, ...written }: WrittenCommit & { readonly schema: number; readonly held?: HeldLease | undefined },
): Promise<Moved | undefined> {
  return performCommit(db, target, written, (sql) => ({
    before: held === undefined ? "" : `held as (${lockLease(sql, held)}), `,
    where: ` and ${waitsAWhile} and commit_id = ${sql.bind(target.last)} and (lock_until is null or lock_until <= ${db.now})
      and (select value from waymark_store.meta where name = 'schema') = ${sql.bind(String(schema))}
      ${held === undefined ? "" : "and exists (select 1 from held)"}`,
  }));
}

/** A part of a condition that limits how long its statement waits for a row; like all limits it ends with the transaction. */
const waitsAWhile = `set_config('lock_timeout', '${lockWaitMs}', true) <> ''`;

function lockLease(sql: Statement, { key, owner }: HeldLease): string {
  return `select 1 from waymark_store.lease where key = ${sql.bind(encodeText(key))} and owner = ${sql.bind(encodeText(owner))}
    and ${waitsAWhile} for share`;
}

/** What else must hold of the run, and what that is found out by; nothing is written where it does not. */
type Condition = (sql: Statement) => { readonly before: string; readonly where: string };

/** All of it is one statement. The row of the run moves first; everything else is written because it has. */
async function performCommit(
  db: Statements,
  target: CommitTarget,
  { run, commit, id }: WrittenCommit,
  condition: Condition = () => ({ before: "", where: "" }),
): Promise<Moved | undefined> {
  const { records, summary } = commit;
  const sql = new Statement();
  const { before, where } = condition(sql);
  const [head, by] = [sql.bind(target.head, "bigint"), sql.bind(id, "uuid")];
  const [status, line] = [sql.bind(summary?.status ?? null, "text"), sql.bind(summary?.line ?? null, "text")];
  const waiting = waitingColumns(commit);
  const work = waiting === undefined ? "" : `, due = ${sql.bind(waiting.due, "float8")}, parts = ${sql.bind(waiting.parts, "text")}`;
  const parts = [
    `${before}own as (update waymark_store.run set head = ${head} + ${records.length}, updated_at = ${db.now}, status = coalesce(${status}, status),
    line = coalesce(${line}, line), lock_owner = null, lock_until = null, commit_id = ${by}${work}
    where no = ${sql.bind(target.no, "bigint")}${where} returning no, head, project)`,
  ];
  if (records.length > 0) parts.push(`added as (${insertRecords(sql, { head, by }, records)})`);
  const blobs = records.flatMap(({ events, facts }) => [...blobReferences(events), ...(facts === undefined ? [] : blobReferences(facts))]);
  if (blobs.length > 0) parts.push(`kept as (${insertReferences(sql, "own", blobs)})`);
  const hint = commit.isMore === true ? `, pg_notify('${hintChannel}', ${hintOf("project")})` : "";
  const { unshown = false } = target;
  const shown = showMovedRun(sql, { run, before: shownBefore(target), after: summary, late: unshown }, { no: "no", now: db.now });
  const also = `${shown === undefined ? "" : `, ${shown} as shown`}${hint}`;
  try {
    const moved = await db.get<{ head: number; shown?: boolean }>(`with ${parts.join(", ")} select head${also} from own`, ...sql.params);
    return moved === undefined ? undefined : { head: moved.head, unshown: moved.shown === undefined ? unshown : !moved.shown };
  } catch (error) {
    if (!isUniqueViolation(error)) throw error;
    throw isKeyTaken(error)
      ? duplicateKey(run, takenKey(error, records))
      : storeCorrupt("waymark_store.record", `run \`${run}\` has records after its head ${target.head}`, error);
  }
}

function shownBefore({ status = "running", line = "{}" }: CommitTarget): Summary {
  return { status, line };
}

/** A part of a statement: the runs whose numbers `from` has keep the blobs. */
export function insertReferences(sql: Statement, from: string, hashes: readonly string[]): string {
  const all = `unnest(${sql.bind(hashes, "text[]")}) as h`;
  return `insert into waymark_store.blob_ref (hash, run) select distinct h, f.no from ${from} f cross join ${all} on conflict do nothing`;
}

import { randomUUID } from "node:crypto";
import { join } from "node:path";
import { isWaymarkError } from "../../base/index.ts";
import type { Store } from "../../ports/index.ts";
import { BlobFolder } from "../blob-folder.ts";
import { applyItemChanges } from "./item-changes.ts";
import { countItems, findItem, selectDependants, selectItems, selectLists } from "./item-rows.ts";
import { KnownRows } from "./known-rows.ts";
import { commitToRun, findRecord, findSnapshot, selectDueTimers, selectRecords, writeCommit, writeSnapshot } from "./journal-rows.ts";
import { acquireLease, beatLeases, deleteLease, findLease, selectLeases } from "./lease-rows.ts";
import { deleteRun, insertRun, requireRun, selectRuns } from "./run-rows.ts";
import type { SqliteConnection } from "./sqlite-connection.ts";
import { verifyRows, type Findings } from "./verify-rows.ts";

interface SqliteStoreParts {
  readonly db: SqliteConnection;
  readonly folder: string;
  readonly schema: number;
  readonly engine: string;
  readonly now: () => number;
}

/** The port on one SQLite file and a folder of blobs. Each method is one transaction; the SQL is in the `*-rows.ts` files. */
export function createSqliteStore({ db, folder, schema, engine, now }: SqliteStoreParts): Store {
  const known = new KnownRows(db);
  const blobs = new BlobFolder(join(folder, "blobs"), (work) => db.write(work));
  return {
    now: async () => now(),
    ...runMethods(db, known, now),
    ...itemMethods(db, known, now),
    ...leaseMethods(db, now),
    ...blobMethods(db, blobs),
    dueTimers: (at, limit) => db.read(() => selectDueTimers(db, at, limit)),
    describe: async () => ({ kind: "sqlite", location: folder, schema, engine }),
    verify: async () => {
      const { problems, blobs: references } = await db.snapshot(() => verifyRows(db)).catch(onlyDamage);
      const missing: string[] = [];
      for (const { hash, run } of references)
        if (!(await blobs.has(hash))) missing.push(`Run \`${run}\` refers to the blob \`${hash}\`, which is missing.`);
      return [...problems, ...missing];
    },
    close: async () => db.close(),
  };
}

type RunMethod = "createRun" | "readRun" | "listRuns" | "removeRun" | "commit" | "readRecords" | "findRecord" | SnapshotMethod;
type SnapshotMethod = "readSnapshot" | "writeSnapshot" | "dropSnapshots";

function runMethods(db: SqliteConnection, known: KnownRows, now: () => number): Pick<Store, RunMethod> {
  /** Owner of run locks: this opened store, however many there are in the process. */
  const owner = randomUUID();
  return {
    createRun: (row, commit) =>
      db.write(() => {
        const at = now();
        return { head: writeCommit(db, insertRun(db, row, at), { run: row.id, commit, now: at }) };
      }),
    readRun: (id) => db.read(() => known.run(id)),
    listRuns: (filter) => db.read(() => selectRuns(db, filter)),
    removeRun: async (id, head) => {
      const removed = await db.write(() => deleteRun(db, id, head));
      known.forget();
      return removed;
    },
    commit: async (run, expectedHead, commit, { locked = false } = {}) => {
      const taken = known.take(run);
      let at = 0;
      const done = await db.write(() => {
        at = now();
        return commitToRun(db, { run, expectedHead, commit, locked, owner, now: at });
      }, `Run \`${run}\` in the store`);
      const isKnown = done.ok && taken.row?.head === expectedHead;
      known.put(taken, isKnown ? { head: done.head, updatedAt: at, ...commit.summary } : undefined);
      return done;
    },
    readRecords: (run, after, limit) => db.read(() => selectRecords(db, run, after, limit)),
    findRecord: (run, key) => db.read(() => findRecord(db, run, key)),
    readSnapshot: (run) => db.read(() => findSnapshot(db, run)),
    writeSnapshot: (run, position, text) => db.write(() => writeSnapshot(db, run, position, text)),
    dropSnapshots: (run) => db.write(() => void db.run("delete from snapshot where run = ?", requireRun(db, run).no)),
  };
}

type ItemMethod = "selectItems" | "countItems" | "readItem" | "dependants" | "itemLists" | "dropItems" | "applyItems";

function itemMethods(db: SqliteConnection, known: KnownRows, now: () => number): Pick<Store, ItemMethod> {
  return {
    selectItems: (run, selection) => db.read(() => selectItems(db, known.worklist(run, selection.list), selection, now())),
    countItems: (run, list, query) => db.snapshot(() => countItems(db, run, list, { query, now: now() })),
    readItem: (run, list, id) => db.read(() => findItem(db, run, list, id)),
    dependants: (run, list, id) => db.read(() => selectDependants(db, run, list, id)),
    itemLists: (run) => db.read(() => selectLists(db, run)),
    dropItems: async (run) => {
      await db.write(() => db.run("delete from worklist where run = ?", requireRun(db, run).no));
      known.forget();
    },
    applyItems: (run, changes) => db.write(() => applyItemChanges(db, requireRun(db, run).no, changes)),
  };
}

type LeaseMethod = "acquire" | "readLease" | "readLeases" | "beat" | "releaseLease";

function leaseMethods(db: SqliteConnection, now: () => number): Pick<Store, LeaseMethod> {
  return {
    acquire: (key, owner, fence, ttlMs) => db.write(() => acquireLease(db, { key, owner, fence, ttlMs }, now())),
    readLease: (key) => db.read(() => findLease(db, key)),
    readLeases: (prefix) => db.read(() => selectLeases(db, prefix)),
    beat: (owner, ttlMs) => db.write(() => beatLeases(db, owner, ttlMs, now())),
    releaseLease: (key, owner) => db.write(() => deleteLease(db, key, owner)),
  };
}

type BlobMethod = "putBlob" | "adoptBlob" | "readBlob" | "blobPath" | "collectBlobs";

function blobMethods(db: SqliteConnection, blobs: BlobFolder): Pick<Store, BlobMethod> {
  const isUsed = (hash: string): boolean => db.get("select 1 from blob_ref where hash = ? limit 1", hash) !== undefined;
  const writing = async <T>(work: () => Promise<T>): Promise<T> => {
    db.refuseReadonly();
    return work();
  };
  return {
    putBlob: (bytes) => writing(() => blobs.put(bytes)),
    adoptBlob: (path) => writing(() => blobs.adopt(path)),
    readBlob: (hash) => blobs.read(hash),
    blobPath: (hash) => blobs.path(hash),
    collectBlobs: () => writing(() => blobs.collect(isUsed)),
  };
}

/** A file too damaged to be checked is a finding, not a failure. */
function onlyDamage(error: unknown): Findings {
  if (!isWaymarkError(error) || error.code !== "STORE_CORRUPT") throw error;
  return { problems: [error.message], blobs: [] };
}

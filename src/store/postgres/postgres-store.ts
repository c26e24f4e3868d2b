import { createHash, randomUUID } from "node:crypto";
import { createReadStream } from "node:fs";
import { rm } from "node:fs/promises";
import { isWaymarkError } from "../../base/index.ts";
import type { Store } from "../../ports/index.ts";
import { hashFile, isHash } from "../blob-folder.ts";
import { badHash, fileFailure, noBlob, storeCorrupt } from "../store-errors.ts";
import { BlobCopies } from "./blob-copies.ts";
import { chunkBytes, deleteUnusedBlobs, findBlob, insertBlob, renewBlob } from "./blob-rows.ts";
import { DatabaseClock } from "./database-clock.ts";
import { applyItemChanges, countItems, findItem, selectDependants, selectItems, selectLists } from "./item-rows.ts";
import { acquireLease, beatLeases, deleteLease, deleteLeases, findLease, selectLeases } from "./lease-rows.ts";
import { readIdentity, writeId } from "./migrate.ts";
import { deletePool, findPool, replacePool, selectPools } from "./pool-rows.ts";
import { LastCommits } from "./last-commits.ts";
import type { Statements } from "./postgres-connection.ts";
import type { PostgresDatabase } from "./postgres-database.ts";
import { findRecord, selectRecords } from "./record-rows.ts";
import type { RunName } from "./run-name.ts";
import {
  commitAtOnce,
  commitToRun,
  type Committed,
  deleteRun,
  deleteSnapshot,
  findRun,
  findSnapshot,
  insertRun,
  selectRuns,
  showLateRuns,
  takeRun,
  writeSnapshot,
} from "./run-rows.ts";
import { noRun } from "../store-errors.ts";
import { deleteLeftEntries } from "./transcript-rows.ts";
import { selectWork } from "./work-rows.ts";
import { verifyRows } from "./verify-rows.ts";

interface StoreParts {
  readonly database: PostgresDatabase;
  /** Whose runs it shows. */
  readonly project: string;
  /** Where copies of blobs are. */
  readonly cacheFolder: string;
}

/** The port on one PostgreSQL database. Each method is one transaction; the SQL is in the `*-rows.ts` files. */
export function createPostgresStore({ database, project, cacheFolder }: StoreParts): Store {
  const clock = new DatabaseClock();
  return {
    now: () => clock.now((work) => database.ask(work)),
    ...runMethods(database, project),
    ...itemMethods(database, project),
    ...leaseMethods(database),
    ...poolMethods(database),
    ...blobMethods(database, new BlobCopies(cacheFolder)),
    identity: async () => database.read(() => undefined, readIdentity),
    identify: (id) => database.write(async (db) => (await writeId(db, id), readIdentity(db))),
    describe: async () => ({ kind: "postgresql", location: database.place, project, ...(await database.describe()) }),
    verify: () => database.snapshot(() => [], verifyRows),
    close: () => database.close(),
  };
}

function runMethods(database: PostgresDatabase, project: string) {
  /** Owner of run locks: this opened store, however many there are in the process. */
  const owner = randomUUID();
  const lastCommits = new LastCommits();
  const name = (run: string): RunName => ({ project, run });
  return {
    createRun: (row, commit) => {
      const id = randomUUID();
      return database.write(async (db) => ({ head: await insertRun(db, project, row, { commit, id }) }));
    },
    readRun: (run) =>
      database.read(
        () => undefined,
        (db) => findRun(db, name(run)),
      ),
    listRuns: (filter) =>
      database.read(
        () => {
          if (filter.after !== undefined) throw noRun(filter.after);
          return [];
        },
        (db) => selectRuns(db, project, filter),
      ),
    findWork: (wish) =>
      database.read(
        () => [],
        (db) => selectWork(db, project, wish),
      ),
    removeRun: (run, head) => database.write((db) => deleteRun(db, name(run), head)),
    commit: async (run, expectedHead, commit, { locked = false, held } = {}) => {
      const id = randomUUID();
      const request = { ...name(run), expectedHead, commit, id, locked, held, owner };
      const last = lastCommits.of(run);
      const isSimple = last?.head === expectedHead && commit.items.length === 0 && !locked;
      const what = `Run \`${run}\` in the store`;
      const first = isSimple ? (db: Statements, schema: number) => commitAtOnce(db, last, { ...request, schema }) : undefined;
      const { left, ...result } = await database.write<Committed>((db) => commitToRun(db, request), { what, first });
      lastCommits.keep(run, left);
      return result;
    },
    readRecords: (run, after, limit) => database.readRun(run, (db) => selectRecords(db, name(run), after, limit)),
    findRecord: (run, key) => database.readRun(run, (db) => findRecord(db, name(run), key)),
    readSnapshot: (run) => database.readRun(run, (db) => findSnapshot(db, name(run))),
    writeSnapshot: (run, position, text) => database.write((db) => writeSnapshot(db, name(run), position, text)),
    dropSnapshots: (run) => database.write((db) => deleteSnapshot(db, name(run))),
  } satisfies Partial<Store>;
}

function itemMethods(database: PostgresDatabase, project: string) {
  const name = (run: string): RunName => ({ project, run });
  return {
    selectItems: (run, selection) => database.readRun(run, (db) => selectItems(db, name(run), selection)),
    countItems: (run, list, query) => database.readRun(run, (db) => countItems(db, name(run), list, query)),
    readItem: (run, list, id) => database.readRun(run, (db) => findItem(db, name(run), list, id)),
    dependants: (run, list, id) => database.readRun(run, (db) => selectDependants(db, name(run), list, id)),
    itemLists: (run) => database.readRun(run, (db) => selectLists(db, name(run))),
    dropItems: (run) => {
      const id = randomUUID();
      return database.write(async (db) => {
        const no = await takeRun(db, name(run), id);
        if (no !== false) await db.run("delete from waymark_store.worklist where run = $1", no);
      });
    },
    applyItems: (run, changes) => {
      const id = randomUUID();
      return database.write(async (db) => {
        const no = await takeRun(db, name(run), id);
        if (no !== false) await applyItemChanges(db, no, changes);
      });
    },
  } satisfies Partial<Store>;
}

/** None of these needs a transaction around it: what happens twice because an answer was lost has happened once. */
function leaseMethods(database: PostgresDatabase) {
  return {
    acquire: (key, owner, fence, ttlMs) => database.each((db) => acquireLease(db, { key, owner, fence, ttlMs })),
    readLease: (key) =>
      database.read(
        () => undefined,
        (db) => findLease(db, key),
      ),
    readLeases: (prefix) =>
      database.read(
        () => [],
        (db) => selectLeases(db, prefix),
      ),
    beat: (owner, ttlMs) => database.each((db) => beatLeases(db, owner, ttlMs)),
    releaseLease: (key, owner) => database.each((db) => deleteLease(db, key, owner)),
    releaseLeases: (owner, prefix) => database.each((db) => deleteLeases(db, owner, prefix)),
  } satisfies Partial<Store>;
}

function poolMethods(database: PostgresDatabase) {
  return {
    blockPool: (pool, before) => {
      const mark = randomUUID();
      return database.write((db) => replacePool(db, pool, { before, mark }));
    },
    readPool: (name) =>
      database.read(
        () => undefined,
        (db) => findPool(db, name),
      ),
    readPools: () => database.read(() => [], selectPools),
    freePool: (name) => database.each((db) => deletePool(db, name)),
  } satisfies Partial<Store>;
}

function blobMethods(database: PostgresDatabase, copies: BlobCopies) {
  const read = async (hash: string): Promise<Uint8Array | undefined> => {
    if (!isHash(hash)) throw badHash(hash);
    const parts = await database.snapshot(
      () => undefined,
      (db) => findBlob(db, hash),
    );
    const bytes = parts === undefined ? undefined : Buffer.concat(parts);
    if (bytes !== undefined && createHash("sha256").update(bytes).digest("hex") !== hash)
      throw storeCorrupt(`${database.place} (blob ${hash})`, "its content does not have the hash it is named by");
    return bytes;
  };
  return {
    putBlob: async (bytes) => {
      const facts = { hash: createHash("sha256").update(bytes).digest("hex"), bytes: bytes.byteLength };
      if (await database.each((db) => renewBlob(db, facts.hash))) return facts;
      if (facts.bytes <= chunkBytes) await database.each((db) => insertBlob(db, facts, [bytes]));
      else await database.write((db) => insertBlob(db, facts, chunksOf(bytes)));
      return facts;
    },
    adoptBlob: async (path) => {
      const facts = await translated(path, () => hashFile(path));
      const chunks = (): AsyncIterable<Uint8Array> => createReadStream(path, { highWaterMark: chunkBytes }) as AsyncIterable<Buffer>;
      if (!(await database.each((db) => renewBlob(db, facts.hash)))) await database.write((db) => insertBlob(db, facts, chunks()));
      await translated(path, () => rm(path, { force: true }));
      return facts;
    },
    readBlob: read,
    blobFile: async (hash) => {
      if (!isHash(hash)) throw badHash(hash);
      return copies.file(hash, async () => {
        const bytes = await read(hash);
        if (bytes === undefined) throw noBlob(hash);
        return bytes;
      });
    },
    collectBlobs: async () => {
      await copies.clean();
      await database.write(showLateRuns);
      await database.each(deleteLeftEntries);
      return database.each(deleteUnusedBlobs);
    },
  } satisfies Partial<Store>;
}

function* chunksOf(bytes: Uint8Array): Generator<Uint8Array> {
  for (let from = 0; from < bytes.byteLength; from += chunkBytes) yield bytes.subarray(from, from + chunkBytes);
}

async function translated<T>(path: string, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    throw isWaymarkError(error) ? error : fileFailure(error, path);
  }
}

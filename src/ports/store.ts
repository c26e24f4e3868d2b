import type { Item, ItemQuery, ItemStatus } from "../program/index.ts";
import type { Actor, Event, RunStatus } from "../kernel/index.ts";

/** One row of a run's journal as it is kept: `events` is JSON text, large values inside it replaced by blob references. */
export interface JournalRecord {
  /** Counts from 1 in each run and never restarts. */
  readonly position: number;
  readonly at: number;
  readonly actor: Actor;
  /** Type of the input that caused it. */
  readonly cause: string;
  /** What makes a repeat of the cause recognisable, unique per run. */
  readonly key?: string;
  /** Facts of the cause that no event carries (a reason, a client's correlation id); JSON text. */
  readonly facts?: string;
  readonly events: string;
  readonly version: number;
}
export type NewRecord = Omit<JournalRecord, "position">;

/** Changes of item rows, taken from events; the only way rows change, so replaying the journal rebuilds them. */
export type ItemChange = Extract<
  Event,
  { readonly type: "items_added" | "item_moved" | "items_swept" | "dependency_settled" | "dependency_reopened" }
>;

/** A lease that a commit depends on. */
export type HeldLease = Pick<Lease, "key" | "owner">;

/** Everything one step changes, written in one transaction or not at all. */
export interface Commit {
  readonly records: readonly NewRecord[];
  readonly items: readonly ItemChange[];
  /** What run lists show without loading the run. */
  readonly summary?: RunSummary;
  /** What a driver could take up from now on; undefined leaves what was said before, null is nothing. */
  readonly waiting?: WaitingParts | null;
  /** There is more of it than before: listeners get a hint. */
  readonly isMore?: true;
}

/** The parts of a run that a driver could take up, by what each of them waits for. */
export interface WaitingParts {
  /** How many nobody has taken. */
  readonly free: number;
  /** Keys of the leases of all others: each can be taken up when its lease is over. */
  readonly held: readonly string[];
  /** When the first one of those that wait for a time can be taken up. */
  readonly due?: number;
}

/** A run with parts that can be taken up now. */
export interface WaitingRun {
  readonly run: string;
  readonly workflow: string;
  readonly head: number;
  /** How many of them, at least. */
  readonly parts: number;
  /** Where it is among those that are found. */
  readonly place: WorkPlace;
}

/** When a run changed last, and a number that tells it from others of that moment. */
export interface WorkPlace {
  readonly at: number;
  readonly no: number;
}

export interface WorkWish {
  readonly limit: number;
  /** Only runs behind this place. */
  readonly after?: WorkPlace | undefined;
  /** Only this one. */
  readonly run?: string;
}

export interface RunSummary {
  readonly status: RunStatus;
  /** JSON text for views: label, open questions, counts. */
  readonly line: string;
}

export interface RunRow extends RunSummary {
  readonly id: string;
  readonly workflow: string;
  /** Blob hash of the pinned program, and of the sources it was lowered from. */
  readonly program: string;
  readonly sources: string;
  readonly createdAt: number;
  readonly updatedAt: number;
  readonly head: number;
}

export interface RunFilter {
  readonly status?: readonly RunStatus[];
  readonly workflow?: string;
  readonly updatedBefore?: number;
  readonly limit?: number;
  /** Rows after this one in newest-first order. */
  readonly after?: string;
}

export interface ItemSelection {
  readonly list: string;
  readonly query: ItemQuery;
  readonly notRoots?: readonly string[];
  /** Only rows after this order key. */
  readonly after?: string;
  readonly limit: number;
}

export interface ItemCounts {
  readonly count: number;
  /** Per `facet=value`. */
  readonly facets: Readonly<Record<string, number>>;
  readonly byStatus: Readonly<Record<ItemStatus, number>>;
}

/** A time-limited right to work on a strand or perform an effect. Times are the store's own. */
export interface Lease {
  readonly key: string;
  readonly owner: string;
  readonly fence: number;
  readonly expiresAt: number;
  readonly beatAt: number;
}

/** An account of a provider that takes no more for now, as a driver saw it. */
export interface Pool {
  readonly name: string;
  readonly blockedUntil: number;
  readonly reason: string;
  /** The run in which it was seen, and when. */
  readonly seenBy: string;
  readonly seenAt: number;
  /** How often in a row it was seen without a time at which it ends. */
  readonly guesses: number;
}

/**
 * Durable runs. Several processes may use one store at the same time. A commit succeeds only on the head it was decided
 * against; what it wrote is durable when the promise resolves. Every method rejects with a `STORE_*` WaymarkError.
 */
export interface Store {
  /** The store's clock in milliseconds; the only clock leases and records use. */
  now(): Promise<number>;

  createRun(row: Pick<RunRow, "id" | "workflow" | "program" | "sources">, commit: Commit): Promise<{ readonly head: number }>;
  readRun(id: string): Promise<RunRow | undefined>;
  listRuns(filter: RunFilter): Promise<readonly RunRow[]>;
  /**
   * Open runs with parts that can be taken up now, the one that changed longest ago first: nobody holds them, or their lease is over by the
   * store's clock. One that waits for a person is not among them. What it costs does not depend on how many runs are over.
   */
  findWork(wish: WorkWish): Promise<readonly WaitingRun[]>;
  /**
   * Removes the run, its journal, items and leases; blobs go when nothing refers to them (`collectBlobs`). With `head` only if
   * the journal still ends there: false when the run continued meanwhile, or another process removed it.
   */
  removeRun(id: string, head?: number): Promise<boolean>;

  /**
   * `locked` waits for the run's short lock first: used after three lost races. With `held` nothing is written once the lease is not
   * that owner's any more, be it in force or expired; the answer is `lost` then.
   */
  commit(
    run: string,
    expectedHead: number,
    commit: Commit,
    options?: { readonly locked?: boolean; readonly held?: HeldLease },
  ): Promise<{ readonly ok: boolean; readonly head: number; readonly lost?: true }>;
  readRecords(run: string, after: number, limit: number): Promise<readonly JournalRecord[]>;
  findRecord(run: string, key: string): Promise<JournalRecord | undefined>;
  readSnapshot(run: string): Promise<{ readonly position: number; readonly text: string } | undefined>;
  /** Keeps only the newest; an older one than the stored is ignored. */
  writeSnapshot(run: string, position: number, text: string): Promise<void>;
  dropSnapshots(run: string): Promise<void>;

  selectItems(run: string, selection: ItemSelection): Promise<readonly Item[]>;
  countItems(run: string, list: string, query: ItemQuery): Promise<ItemCounts>;
  readItem(run: string, list: string, id: string): Promise<Item | undefined>;
  /** Ids of items that name `id` in `dependsOn`. */
  dependants(run: string, list: string, id: string): Promise<readonly string[]>;
  /** Lists with at least one item, in order of creation. */
  itemLists(run: string): Promise<readonly string[]>;
  /** Throws all item rows of the run away, for `doctor` to rebuild. */
  dropItems(run: string): Promise<void>;
  applyItems(run: string, changes: readonly ItemChange[]): Promise<void>;

  /** Grants the lease when it is free, expired, or already the owner's; else returns the one in force. */
  acquire(key: string, owner: string, fence: number, ttlMs: number): Promise<{ readonly granted: boolean; readonly lease: Lease }>;
  readLease(key: string): Promise<Lease | undefined>;
  readLeases(prefix: string): Promise<readonly Lease[]>;
  /** Extends every unexpired lease of the owner; answers how many. */
  beat(owner: string, ttlMs: number): Promise<number>;
  releaseLease(key: string, owner: string): Promise<void>;
  /** Gives back all leases of the owner whose keys begin so. */
  releaseLeases(owner: string, prefix: string): Promise<void>;

  /**
   * Remembers that the pool is at its limit, if nobody has seen a limit of it, or freed it, since it was read as `before`. Answers it with the time
   * at which it was seen; undefined, and nothing is written, where it is not as it was read.
   */
  blockPool(pool: Omit<Pool, "seenAt">, before: Pool | undefined): Promise<Pool | undefined>;
  /** As it was seen last, also when its time has passed since. */
  readPool(name: string): Promise<Pool | undefined>;
  /** All of them, by name. */
  readPools(): Promise<readonly Pool[]>;
  /** It takes work again; nothing happens when it was not blocked. */
  freePool(name: string): Promise<void>;

  /** Keeps the bytes once, by content; durable before it resolves. */
  putBlob(bytes: Uint8Array): Promise<BlobFacts>;
  /** Takes over a finished file (moved, not copied, where possible). */
  adoptBlob(path: string): Promise<BlobFacts>;
  readBlob(hash: string): Promise<Uint8Array | undefined>;
  /** A file on this computer with the bytes, now, for people and agents to open. */
  blobFile(hash: string): Promise<string>;
  /** Removes blobs no run refers to that are older than an hour; answers how many and how many bytes. */
  collectBlobs(): Promise<{ readonly removed: number; readonly bytes: number }>;

  /** What tells this store from every other one; undefined while nothing is kept in it. */
  identity(): Promise<StoreIdentity | undefined>;
  /** Gives a store of an earlier version its id; one that has an id keeps it. */
  identify(id: string): Promise<StoreIdentity>;
  /** Where the store is and what it is, for `doctor` and messages. */
  describe(): Promise<StoreDescription>;
  /** Problems found by the store's own integrity check. */
  verify(): Promise<readonly string[]>;
  close(): Promise<void>;
}

/**
 * Tells who looks for work that there may be more of it. A hint: it may come for nothing or be lost, so who listens looks from time to time all
 * the same.
 */
export interface WorkHints {
  /** The answer ends it. */
  listen(heard: () => void): () => void;
  close(): Promise<void>;
}

export interface StoreDescription {
  readonly kind: string;
  /** Without anything secret. */
  readonly location: string;
  /** 0 where nothing was kept yet. */
  readonly schema: number;
  readonly engine: string;
  /** Whose runs it shows, where it holds those of several. */
  readonly project?: string;
}

export interface StoreIdentity {
  /** Made with the store; empty in one of an earlier version. */
  readonly id: string;
  /** The file on this disk: another one when the file is replaced or copied, the same when its folder is moved. */
  readonly file: string;
}

export interface BlobFacts {
  /** Lower-case sha256 in hex. */
  readonly hash: string;
  readonly bytes: number;
}

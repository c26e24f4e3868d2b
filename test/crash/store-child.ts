import { writeSync } from "node:fs";
import { setTimeout as sleep } from "node:timers/promises";
import { isWaymarkError } from "../../src/base/index.ts";
import type { Store } from "../../src/ports/index.ts";
import { postgresStore } from "../../src/store/index.ts";
import { migrations as postgresMigrations } from "../../src/store/postgres/schema.ts";
import { openSqliteStore } from "../../src/store/sqlite/open-sqlite-store.ts";
import { migrations as sqliteMigrations } from "../../src/store/sqlite/schema.ts";

/** Where a process finds the store. */
export type StorePlace = { readonly folder: string } | { readonly url: string; readonly cacheFolder: string };

/** What a process of the tests does; bundled and started with one of these as JSON. It writes a line of JSON for each thing it was promised. */
export type ChildTask =
  /** Appends records whose keys are `name` and a number, until `count` is reached or it is killed. */
  | {
      readonly do: "append";
      readonly place: StorePlace;
      readonly run: string;
      readonly name: string;
      readonly count: number;
      readonly thinkMs?: number;
      readonly blobs?: boolean;
    }
  /** Opens, commits once and closes, many times. */
  | { readonly do: "visit"; readonly place: StorePlace; readonly run: string; readonly name: string; readonly count: number }
  /** Waits for a line on its input, then opens the store with one schema more. */
  | { readonly do: "upgrade"; readonly place: StorePlace }
  /** Makes the new stores, one every `everyMs` from the moment `from`, as others do at the same moments. */
  | { readonly do: "create"; readonly places: readonly StorePlace[]; readonly from: number; readonly everyMs: number }
  /** Commits ever more until it is refused. */
  | { readonly do: "fill"; readonly place: StorePlace; readonly run: string }
  /** Takes a lease, with a clock of the computer that is wrong. */
  | { readonly do: "lease"; readonly place: StorePlace; readonly owner: string; readonly ttlMs: number; readonly clockOffMs: number }
  | { readonly do: "open"; readonly place: StorePlace; readonly asUser?: number };

export interface ChildLine {
  readonly key?: string;
  readonly head?: number;
  readonly blob?: string;
  readonly code?: string;
  readonly message?: string;
  readonly schema?: number;
  readonly runs?: number;
  readonly lost?: number;
  readonly granted?: boolean;
  readonly expiresAt?: number;
  readonly now?: number;
}

const actor = { kind: "worker", name: "child", session: String(process.pid), surface: "test" } as const;

function say(line: ChildLine): void {
  writeSync(1, `${JSON.stringify(line)}\n`);
}

async function openStore(place: StorePlace): Promise<Store> {
  return "folder" in place ? openSqliteStore(place) : postgresStore({ ...place, project: "tests", connections: 2 }).store;
}

interface Appending {
  readonly key: string;
  readonly events: string;
  readonly thinkMs: number;
}

/** Decides again after every lost race, as an engine does: locked from the third loss on. */
async function append(
  store: Store,
  run: string,
  { key, events, thinkMs }: Appending,
): Promise<{ readonly head: number; readonly lost: number }> {
  let head = (await store.readRun(run))?.head ?? 0;
  for (let lost = 0; ; lost += 1) {
    if (thinkMs > 0) await sleep(thinkMs);
    const record = { at: await store.now(), actor, cause: "report", key, events, version: 1 };
    const result = await store.commit(run, head, { records: [record], items: [] }, { locked: lost >= 3 });
    if (result.ok) return { head: result.head, lost };
    head = result.head;
  }
}

async function appendMany(task: Extract<ChildTask, { do: "append" }>): Promise<void> {
  const store = await openStore(task.place);
  let lost = 0;
  for (let n = 0; n < task.count; n += 1) {
    const key = `${task.name}-${n}`;
    const blob = task.blobs === true ? (await store.putBlob(Buffer.from(`${key} ${"x".repeat(3_000)}`))).hash : undefined;
    const events = JSON.stringify([blob === undefined ? "x".repeat(200) : { $blob: blob, bytes: 1 }]);
    const done = await append(store, task.run, { key, events, thinkMs: task.thinkMs ?? 0 });
    lost += done.lost;
    say({ key, head: done.head, lost, ...(blob === undefined ? {} : { blob }) });
  }
  await store.close();
}

async function visit(task: Extract<ChildTask, { do: "visit" }>): Promise<void> {
  for (let n = 0; n < task.count; n += 1) {
    const store = await openStore(task.place);
    const key = `${task.name}-${n}`;
    say({ key, head: (await append(store, task.run, { key, events: "[]", thinkMs: 0 })).head });
    await store.close();
  }
}

async function upgrade(place: StorePlace): Promise<void> {
  say({});
  await new Promise((go) => process.stdin.once("data", go));
  process.stdin.unref();
  const store = await ("folder" in place ? openNextSqlite(place.folder) : openNextPostgres(place));
  say({ schema: (await store.describe()).schema });
  await store.close();
}

/** Each schema notes that it was made, and by whom. */
async function openNextSqlite(folder: string): Promise<Store> {
  const note = (to: number): string =>
    `create table if not exists upgraded (by integer, to_schema integer) strict; insert into upgraded values (${process.pid}, ${to})`;
  const noted = sqliteMigrations.map((one) => ({ ...one, up: (db: Parameters<typeof one.up>[0]) => (one.up(db), db.exec(note(one.to))) }));
  const to = sqliteMigrations.length + 1;
  return openSqliteStore({ folder }, [...noted, { to, up: (db) => db.exec(note(to)) }]);
}

async function openNextPostgres(place: { readonly url: string; readonly cacheFolder: string }): Promise<Store> {
  const note = (to: number): string =>
    `create table if not exists public.upgraded (by bigint, to_schema bigint); insert into public.upgraded values (${process.pid}, ${to});`;
  const noted = postgresMigrations.map(({ to, sql }) => ({ to, sql: `${sql}${note(to)}` }));
  const to = postgresMigrations.length + 1;
  const { store } = postgresStore({ ...place, project: "tests", connections: 2 }, [...noted, { to, sql: note(to) }]);
  await store.identify("the test's");
  return store;
}

async function create({ places, from, everyMs }: Extract<ChildTask, { do: "create" }>): Promise<void> {
  for (const [n, place] of places.entries()) {
    await sleep(Math.max(0, from + n * everyMs - Date.now() - 2));
    // The last milliseconds are waited for without giving way, so that all of them open at once.
    while (Date.now() < from + n * everyMs);
    const store = await openStore(place).catch(complain);
    await store?.putBlob(Buffer.from("first")).catch(complain);
    say({ key: String(n) });
    await store?.close();
  }
}

async function fill({ place, run }: Extract<ChildTask, { do: "fill" }>): Promise<void> {
  const store = await openStore(place);
  let refused: unknown;
  for (let n = 0; refused === undefined && n < 10_000; n += 1) {
    const key = `fill-${n}`;
    await append(store, run, { key, events: JSON.stringify(["x".repeat(20_000)]), thinkMs: 0 }).then(
      ({ head }) => say({ key, head }),
      (error: unknown) => (refused = error),
    );
  }
  complain(refused);
  await store.putBlob(Buffer.alloc(64_000_000, 7)).catch(complain);
  await store.close();
}

async function open({ place, asUser }: Extract<ChildTask, { do: "open" }>): Promise<void> {
  if (asUser !== undefined) process.setuid?.(asUser);
  const store = await openStore(place);
  say({ runs: (await store.listRuns({})).length });
  await store.close();
}

async function lease({ place, owner, ttlMs, clockOffMs }: Extract<ChildTask, { do: "lease" }>): Promise<void> {
  const right = Date.now;
  Date.now = () => right() + clockOffMs;
  const store = await openStore(place);
  const { granted, lease: held } = await store.acquire("lease", owner, 1, ttlMs);
  say({ granted, expiresAt: held.expiresAt, now: await store.now() });
  await store.close();
}

function complain(error: unknown): void {
  say({ code: isWaymarkError(error) ? error.code : "UNKNOWN", message: error instanceof Error ? error.message : String(error) });
}

async function perform(task: ChildTask): Promise<void> {
  switch (task.do) {
    case "append":
      return appendMany(task);
    case "visit":
      return visit(task);
    case "upgrade":
      return upgrade(task.place);
    case "create":
      return create(task);
    case "fill":
      return fill(task);
    case "lease":
      return lease(task);
    case "open":
      return open(task);
  }
}

await perform(JSON.parse(process.argv[2] ?? "{}") as ChildTask).catch(complain);

import { execFileSync, spawn, type ChildProcess } from "node:child_process";
import { once } from "node:events";
import { chmodSync, mkdirSync, mkdtempSync, readdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { afterEach, beforeAll, beforeEach, expect, test } from "vitest";
import { bundleChild } from "../../../test/crash/bundle-child.ts";
import type { ChildLine, ChildTask } from "../../../test/crash/store-child.ts";
import type { Store } from "../../ports/index.ts";
import { pins, startRun } from "../contract/sample.contract.ts";
import { openSqliteStore } from "./open-sqlite-store.ts";
import { migrations } from "./schema.ts";
import { SqliteConnection } from "./sqlite-connection.ts";

const newest = migrations.at(-1)?.to ?? 0;
let program = "";
let base = "";
let folder = "";
const children: ChildProcess[] = [];

beforeAll(async () => {
  program = await bundleChild("store-child.ts");
});
beforeEach(() => {
  base = mkdtempSync(join(tmpdir(), "waymark-process-"));
  folder = join(base, "store");
});
afterEach(() => {
  for (const child of children.splice(0)) child.kill("SIGKILL");
  rmSync(base, { recursive: true, force: true });
});

interface Started {
  readonly child: ChildProcess;
  /** What it said so far. */
  readonly lines: ChildLine[];
  readonly ended: Promise<ChildLine[]>;
}

function start(task: ChildTask, shell?: string): Started {
  const args = [program, JSON.stringify(task)];
  const command = shell === undefined ? [process.execPath, ...args] : ["bash", "-c", `${shell}; exec "$0" "$@"`, process.execPath, ...args];
  const child = spawn(command[0] ?? "", command.slice(1), { stdio: ["pipe", "pipe", "inherit"] });
  children.push(child);
  const lines: ChildLine[] = [];
  let rest = "";
  child.stdout.on("data", (chunk: Buffer) => {
    const parts = `${rest}${chunk.toString()}`.split("\n");
    rest = parts.pop() ?? "";
    lines.push(...parts.map((part) => JSON.parse(part) as ChildLine));
  });
  return { child, lines, ended: once(child, "close").then(() => lines) };
}

async function withStore<T>(work: (store: Store) => Promise<T>): Promise<T> {
  const store = await openSqliteStore({ folder });
  try {
    return await work(store);
  } finally {
    await store.close();
  }
}

/** Every promise is kept: the record is where it was said to be, and its blob can be read. */
async function expectKept(store: Store, run: string, lines: readonly ChildLine[]): Promise<void> {
  const records = new Map((await store.readRecords(run, 0, 1_000_000)).map(({ key, position }) => [key, position]));
  for (const { key, head } of lines) expect(records.get(key)).toBe(head);
  for (const blob of lines.flatMap((line) => line.blob ?? [])) expect(await store.readBlob(blob)).toBeDefined();
  expect(await store.verify()).toEqual([]);
}

test("four processes append to one run at once while others come and go: no gap, no duplicate, no error", async () => {
  const run = await withStore(startRun);
  const writers = [0, 1, 2, 3].map((n) => start({ do: "append", folder, run, name: `w${n}`, count: 60 }));
  const visitors = [0, 1].map((n) => start({ do: "visit", folder, run, name: `v${n}`, count: 15 }));
  const said = (await Promise.all([...writers, ...visitors].map(({ ended }) => ended))).flat();
  expect(said.filter(({ code }) => code !== undefined)).toEqual([]);
  expect(said).toHaveLength(4 * 60 + 2 * 15);
  await withStore(async (store) => {
    expect(await store.readRun(run)).toMatchObject({ head: 1 + said.length });
    await expectKept(store, run, said);
  });
});

test("a decider that is much slower than the others is not starved", async () => {
  const run = await withStore(startRun);
  const fast = [0, 1].map((n) => start({ do: "append", folder, run, name: `fast${n}`, count: 1_000_000 }));
  while (!fast.every(({ lines }) => lines.length > 5)) await sleep(10);
  const slow = start({ do: "append", folder, run, name: "slow", count: 4, thinkMs: 25 });
  const said = await slow.ended;
  for (const { child } of fast) child.kill("SIGKILL");
  await Promise.all(fast.map(({ ended }) => ended));
  expect(said.map(({ code, key }) => code ?? key)).toEqual(["slow-0", "slow-1", "slow-2", "slow-3"]);
  // It did lose races, or the test shows nothing.
  expect(said.at(-1)?.lost).toBeGreaterThan(0);
  await withStore((store) => expectKept(store, run, said));
});

test("whatever was acknowledged survives kill -9", async () => {
  const names = ["a", "b", "c"];
  await withStore(async (store) => {
    for (const id of names) await startRun(store, { id });
  });
  const promised = new Map<string, ChildLine[]>(names.map((name) => [name, []]));
  for (let round = 0; round < 6; round += 1) {
    const writers = names.map((run) => ({
      run,
      ...start({ do: "append", folder, run, name: `round${round}`, count: 1_000_000, blobs: true }),
    }));
    while (!writers.every(({ lines }) => lines.length > 3)) await sleep(5);
    await sleep(Math.random() * 60);
    for (const { child } of writers) child.kill("SIGKILL");
    for (const { run, ended } of writers) promised.get(run)?.push(...(await ended));
    await withStore(async (store) => {
      for (const name of names) await expectKept(store, name, promised.get(name) ?? []);
    });
  }
  expect([...promised.values()].flat().filter(({ code }) => code !== undefined)).toEqual([]);
});

test.each(["a new store", "an older store"])(
  "of processes that open %s with a newer schema at once exactly one upgrades it",
  async (which) => {
    if (which === "an older store") await withStore(startRun);
    const openers = [0, 1, 2].map(() => start({ do: "upgrade", folder }));
    while (!openers.every(({ lines }) => lines.length > 0)) await sleep(5);
    for (const { child } of openers) child.stdin?.write("go\n");
    for (const said of await Promise.all(openers.map(({ ended }) => ended))) expect(said.at(-1)).toEqual({ schema: newest + 1 });
    const file = join(folder, "waymark.db");
    const db = new SqliteConnection({ file, readonly: true, patienceMs: 1_000 });
    const upgraded = db.all<{ to_schema: number }>("select to_schema from upgraded order by to_schema").map(({ to_schema: to }) => to);
    expect(upgraded).toEqual(which === "an older store" ? [newest + 1] : [...migrations.map(({ to }) => to), newest + 1]);
    db.close();
    expect(readdirSync(folder).filter((name) => name.includes(".bak"))).toEqual(
      which === "an older store" ? [`waymark.db.v${newest}.bak`] : [],
    );
  },
);

async function expectRefusedWhenFull(said: readonly ChildLine[], run: string): Promise<void> {
  const refused = said.filter(({ code }) => code !== undefined);
  expect(refused.map(({ code }) => code)).toEqual(["STORE_FULL", "STORE_FULL"]);
  expect(refused[0]?.message).toMatch(/waymark\.db.*Nothing was recorded/);
  const kept = said.filter(({ key }) => key !== undefined);
  expect(kept.length).toBeGreaterThan(0);
  await withStore(async (store) => {
    expect(await store.readRun(run)).toMatchObject({ head: 1 + kept.length });
    await expectKept(store, run, kept);
    expect(readdirSync(join(folder, "blobs"), { recursive: true, encoding: "utf8" }).filter((name) => name.endsWith(".tmp"))).toEqual([]);
  });
}

test.skipIf(process.platform === "win32")("a limit on file sizes refuses the commit that passes it, and keeps all before", async () => {
  const run = await withStore(startRun);
  await expectRefusedWhenFull(await start({ do: "fill", folder, run }, "ulimit -f 2500").ended, run);
});

test("a full disk refuses the commit that does not fit, and keeps all before", async (context) => {
  mkdirSync(folder);
  try {
    execFileSync("/bin/sh", ["-c", `mount -t tmpfs -o size=4m tmpfs "$0"`, folder], { stdio: "pipe" });
  } catch (error) {
    return context.skip(`no small disk can be mounted here: ${(error as Error).message.split("\n")[1] ?? ""}`);
  }
  try {
    const run = await withStore(startRun);
    await expectRefusedWhenFull(await start({ do: "fill", folder, run }).ended, run);
  } finally {
    execFileSync("/bin/sh", ["-c", `umount -l "$0"`, folder]);
  }
});

test.skipIf(process.platform === "win32")("a folder that this user may not write to is refused", async () => {
  await withStore(async (store) => {
    await store.createRun({ id: "r", workflow: "w", ...(await pins(store)) }, { records: [], items: [] });
  });
  chmodSync(base, 0o755);
  chmodSync(folder, 0o555);
  const asUser = process.getuid?.() === 0 ? { asUser: 65_534 } : {};
  const [refused] = await start({ do: "open", folder, ...asUser }).ended;
  expect(refused).toMatchObject({ code: "STORE_READ_ONLY", message: expect.stringContaining(folder) });
  const [nowhere] = await start({ do: "open", folder: join(folder, "below"), ...asUser }).ended;
  expect(nowhere).toMatchObject({ code: "STORE_READ_ONLY" });
  chmodSync(folder, 0o755);
});

test("processes that open the same new store at the same moment all get it", async () => {
  const task = { do: "create", folder, from: Date.now() + 1_000, everyMs: 50, count: 60 } as const;
  const said = await Promise.all([start(task), start(task), start(task)].map((one) => one.ended));
  expect(said.flat().filter((line) => line.code !== undefined)).toEqual([]);
  expect(said.map((lines) => lines.length)).toEqual([60, 60, 60]);
});

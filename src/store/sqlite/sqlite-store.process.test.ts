import { execFileSync, type ChildProcess } from "node:child_process";
import { chmodSync, mkdirSync, mkdtempSync, readdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeAll, beforeEach, expect, test } from "vitest";
import { bundleChild } from "../../../test/crash/bundle-child.ts";
import type { ChildLine, ChildTask } from "../../../test/crash/store-child.ts";
import { startChild, type StartedChild } from "../../../test/support/start-child.ts";
import type { Store } from "../../ports/index.ts";
import { expectKept, processContract } from "../contract/processes.contract.ts";
import { pins, startRun } from "../contract/sample.contract.ts";
import { openSqliteStore } from "./open-sqlite-store.ts";
import { migrations } from "./schema.ts";
import { SqliteConnection } from "./sqlite-connection.ts";

processContract("SQLite", {
  schema: migrations.length,
  rounds: 6,
  creations: 60,
  open: async () => {
    const base = mkdtempSync(join(tmpdir(), "waymark-process-"));
    const folder = join(base, "store");
    return {
      place: { folder },
      open: () => openSqliteStore({ folder }),
      upgraded: async () => {
        const file = join(folder, "waymark.db");
        const db = new SqliteConnection({ file, readonly: true, patienceMs: 1_000 });
        const upgraded = db.all<{ to_schema: number }>("select to_schema from upgraded order by to_schema").map(({ to_schema: to }) => to);
        db.close();
        const copies = readdirSync(folder).filter((name) => name.includes(".bak"));
        const needed = upgraded.length === 1 ? [`waymark.db.v${migrations.length}.bak`] : [];
        if (copies.join() !== needed.join()) throw new Error(`The copies are ${copies.join()}, not ${needed.join()}.`);
        return upgraded;
      },
      more: async (count) => Array.from({ length: count }, (_, n) => ({ folder: join(base, String(n)) })),
      clean: async () => rmSync(base, { recursive: true, force: true }),
    };
  },
});

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

function start(task: ChildTask, shell?: string): StartedChild {
  const started = startChild(program, task, shell);
  children.push(started.child);
  return started;
}

async function withStore<T>(work: (store: Store) => Promise<T>): Promise<T> {
  const store = await openSqliteStore({ folder });
  try {
    return await work(store);
  } finally {
    await store.close();
  }
}

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
  await expectRefusedWhenFull(await start({ do: "fill", place: { folder }, run }, "ulimit -f 2500").ended, run);
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
    await expectRefusedWhenFull(await start({ do: "fill", place: { folder }, run }).ended, run);
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
  const [refused] = await start({ do: "open", place: { folder }, ...asUser }).ended;
  expect(refused).toMatchObject({ code: "STORE_READ_ONLY", message: expect.stringContaining(folder) });
  const [nowhere] = await start({ do: "open", place: { folder: join(folder, "below") }, ...asUser }).ended;
  expect(nowhere).toMatchObject({ code: "STORE_READ_ONLY" });
  chmodSync(folder, 0o755);
});

import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, expect, test } from "vitest";
import type { Commit, Store } from "../../ports/index.ts";
import { openSqliteStore } from "./open-sqlite-store.ts";

const opened: Store[] = [];
let folder = "";
afterEach(async () => {
  for (const store of opened.splice(0)) await store.close();
  await rm(folder, { recursive: true, force: true });
});

async function open(): Promise<Store> {
  folder ||= await mkdtemp(join(tmpdir(), "waymark-known-"));
  const store = await openSqliteStore({ folder });
  opened.push(store);
  return store;
}

const by = { kind: "engine", name: "test", session: "s", surface: "test" } as const;
function step(line: string): Commit {
  return {
    records: [{ at: 1, actor: by, cause: "test", events: "[]", version: 1 }],
    items: [],
    summary: { status: "running", line },
  };
}

async function start(store: Store): Promise<void> {
  const { hash } = await store.putBlob(new TextEncoder().encode("{}"));
  await store.createRun({ id: "run", workflow: "w", program: hash, sources: hash }, step('"0"'));
}

test("a run that was read is read as it is after one's own commits and after those of others", async () => {
  const mine = await open();
  const other = await open();
  await start(mine);
  let head = 1;
  for (let round = 0; round < 12; round += 1) {
    const writer = round % 3 === 2 ? other : mine;
    expect(await writer.commit("run", head, step(`"${round}"`))).toEqual({ ok: true, head: head + 1 });
    head += 1;
    for (const reader of [mine, other]) expect(await reader.readRun("run")).toMatchObject({ head, line: `"${round}"` });
    expect(await mine.readRun("run")).toEqual(await other.readRun("run"));
  }
});

test("a lost commit, commits at once and a removal leave nothing old behind", async () => {
  const mine = await open();
  const other = await open();
  await start(mine);
  await mine.readRun("run");
  const both = await Promise.all([
    mine.commit("run", 1, step('"a"')),
    mine.commit("run", 1, step('"b"')),
    other.commit("run", 1, step('"c"')),
  ]);
  expect(both.filter(({ ok }) => ok)).toHaveLength(1);
  expect(await mine.readRun("run")).toEqual(await other.readRun("run"));
  expect(await mine.readRun("run")).toMatchObject({ head: 2 });
  await other.removeRun("run");
  expect(await mine.readRun("run")).toBeUndefined();
  await start(other);
  expect(await mine.readRun("run")).toMatchObject({ head: 1, line: '"0"' });
  await mine.removeRun("run");
  expect(await mine.readRun("run")).toBeUndefined();
});

test("items are found after another process has replaced the run that had their list", async () => {
  const mine = await open();
  const other = await open();
  const item = (id: string) => ({
    list: "l",
    id,
    order: id,
    status: "pending" as const,
    data: id,
    facets: {},
    root: id,
    attempts: 0,
    waitsFor: 0,
  });
  const ids = async () =>
    (await mine.selectItems("run", { list: "l", query: { status: "pending", ready: true }, limit: 5 })).map(({ id }) => id);
  await start(mine);
  await mine.commit("run", 1, { ...step('"1"'), items: [{ type: "items_added", list: "l", items: [item("a")] }] });
  expect(await ids()).toEqual(["a"]);
  await other.removeRun("run");
  await start(other);
  expect(await ids()).toEqual([]);
  await other.commit("run", 1, { ...step('"1"'), items: [{ type: "items_added", list: "l", items: [item("b")] }] });
  expect(await ids()).toEqual(["b"]);
});

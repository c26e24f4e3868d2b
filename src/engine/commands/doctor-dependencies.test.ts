import { afterAll, beforeAll, expect, test } from "vitest";
import { openTestEngine, type TestEngine } from "../../../test/support/test-engine.ts";
import { apply, emptyState } from "../../kernel/index.ts";
import type { ItemChange } from "../../ports/index.ts";
import type { Item } from "../../program/index.ts";
import { countedAgain } from "./doctor.ts";

let engine: TestEngine;
beforeAll(async () => {
  engine = await openTestEngine();
});
afterAll(() => engine.close());

const list = "l";
const item = (id: string, dependsOn?: readonly string[]): Item => ({
  list,
  id,
  order: id,
  status: "pending",
  data: id,
  facets: {},
  root: id,
  attempts: 0,
  waitsFor: dependsOn?.length ?? 0,
  ...(dependsOn === undefined ? {} : { dependsOn }),
});
const move = (id: string, from: Item["status"], to: Item["status"]): ItemChange => ({
  type: "item_moved",
  move: { list, id, from, to, facets: {}, root: id },
});

/** Rows and state of a journal that was written before reopened dependencies were recorded. */
const old: ItemChange[] = [
  { type: "items_added", list, items: [item("a"), item("b"), item("c", ["a", "b"]), item("d", ["a", "a"])] },
  move("a", "pending", "completed"),
  { type: "dependency_settled", list, of: "a", ids: ["c", "d"] },
  move("a", "completed", "pending"),
  move("a", "pending", "completed"),
  { type: "dependency_settled", list, of: "a", ids: ["c", "d"] },
];

async function runOf(id: string, changes: readonly ItemChange[]): Promise<void> {
  const { store } = engine.context;
  const { hash } = await store.putBlob(new TextEncoder().encode("{}"));
  const actor = { kind: "engine" as const, name: "t", session: "t", surface: "t" };
  const records = [{ at: 1, actor, cause: "t", events: "[]", version: 1 }];
  await store.createRun({ id, workflow: "w", program: hash, sources: hash }, { records, items: changes });
}

test("rows that wait for too few are counted again over the statuses as they are, and then agree", async () => {
  const { store } = engine.context;
  await runOf("one", old);
  const state = old.reduce(apply, emptyState);
  expect(await store.readItem("one", list, "c")).toMatchObject({ waitsFor: 0 });
  const found = await countedAgain(store, "one", state);
  expect(found).toEqual([{ type: "dependency_reopened", list, of: "", ids: ["c"], waits: [1] }]);
  await store.applyItems("one", found);
  expect(await store.readItem("one", list, "c")).toMatchObject({ waitsFor: 1 });
  expect(await countedAgain(store, "one", state)).toEqual([]);
});

test("a list in which something is still to be told is left alone", async () => {
  const changes = old.slice(0, 2);
  await runOf("two", changes);
  expect(await countedAgain(engine.context.store, "two", changes.reduce(apply, emptyState))).toEqual([]);
});

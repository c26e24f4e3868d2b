import fc from "fast-check";
import { expect, test } from "vitest";
import type { Instance } from "../../../ports/index.ts";
import type { ChecklistDefinition } from "../definition/index.ts";
import type { Item, ItemStatus } from "../../../program/index.ts";
import { instanceRow } from "./file-rows.ts";
import { reconcile } from "./reconcile.ts";

const definition = { phases: [], patterns: { groupByGuide: false } } as unknown as ChecklistDefinition;
const place = { definition, list: "files", scan: { path: "a.al" }, order: "1" };
const id = (instance: Pick<Instance, "pattern" | "text">, ordinal: number): string => `${instance.pattern}/${instance.text}/${ordinal}`;

function instances(texts: readonly string[]): Instance[] {
  return texts.map((text, at) => ({
    pattern: "p",
    type: text.slice(0, 1),
    auto: false,
    line: at + 1,
    column: 1,
    endLine: at + 1,
    endColumn: 9,
    start: at * 10,
    end: at * 10 + 9,
    text,
    ordinal: texts.slice(0, at).filter((other) => other === text).length,
  }));
}

const rowsOf = (found: readonly Instance[]): Item[] =>
  found.map((instance) => instanceRow(place, instance, id(instance, instance.ordinal)));
const run = (rows: readonly Item[], found: readonly Instance[], more: Partial<Parameters<typeof reconcile>[0]> = {}) =>
  reconcile({ ...place, scan: { path: "a.al", size: 1, instances: found, problems: [] }, rows, id, ...more });

test("of equal texts the converted one is settled, and the others keep their rows", () => {
  const rows = rowsOf(instances(["x1", "x1", "x1"]));
  const { change, present } = run(rows, instances(["x1", "x1"]), { inHand: rows[1]?.id ?? "" });
  expect(present).toBe(false);
  expect(change.moves.map(({ id: of, to }) => `${of} ${to}`)).toEqual(["p/x1/2 pending"]);
});

test("a changed text of the same type is the same place, another type is a new one", () => {
  const rows = rowsOf(instances(["x1"]));
  expect(run(rows, instances(["x2"]))).toMatchObject({ change: { moves: [{ to: "pending" }] }, added: 0, open: 1 });
  expect(run(rows, instances(["y1"]))).toMatchObject({ change: { moves: [{ to: "skipped" }] }, added: 1, open: 1 });
});

test("after it every instance has one open row and every open row one instance, whatever changed", () => {
  const texts = fc.array(fc.constantFrom("x1", "x2", "y1", "y2"), { maxLength: 8 });
  const statuses = fc.array(fc.constantFrom<ItemStatus>("pending", "completed", "skipped", "failed"), { minLength: 8, maxLength: 8 });
  fc.assert(
    fc.property(texts, texts, statuses, (before, after, as) => {
      const rows = rowsOf(instances(before)).map((row, at) => ({ ...row, status: as[at] ?? "pending" }));
      const { change, open } = run(rows, instances(after));
      const moved = new Map(change.moves.map((move) => [move.id, move.to]));
      const kept = rows.filter((row) => (moved.get(row.id) ?? row.status) === "pending").length;
      const added = change.add.flatMap(({ items }) => items);
      expect(kept + added.length).toBe(open);
      expect(new Set([...rows, ...added].map((row) => row.id)).size).toBe(rows.length + added.length);
      const settled = rows.filter((row) => row.status === "skipped" || row.status === "failed").length;
      expect(open).toBeLessThanOrEqual(after.length);
      expect(open + settled).toBeGreaterThanOrEqual(after.length);
      for (const move of change.moves) expect(rows.find((row) => row.id === move.id)?.status).toBe(move.from);
    }),
  );
});

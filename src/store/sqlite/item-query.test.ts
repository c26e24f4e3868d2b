import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, expect, test } from "vitest";
import type { ItemQuery } from "../../program/index.ts";
import { itemSource, type ItemScope } from "./item-rows.ts";
import { migrate } from "./migrate.ts";
import { migrations } from "./schema.ts";
import { SqliteConnection } from "./sqlite-connection.ts";

const folder = mkdtempSync(join(tmpdir(), "waymark-plans-"));
const file = join(folder, "plans.db");
const db = new SqliteConnection({ file, patienceMs: 1_000 });
await migrate(db, migrations);
afterAll(() => {
  db.close();
  rmSync(folder, { recursive: true });
});

function plan(query: ItemQuery, more: Partial<ItemScope> = {}): string {
  const rows = itemSource(query, { worklist: 1, now: 1, needsItem: true, ...more });
  const sql = `explain query plan select i.data from ${rows.from} where ${rows.where} order by ${rows.ord}, ${rows.no} limit ?`;
  return db
    .all<{ detail: string }>(sql, ...rows.params, 1)
    .map(({ detail }) => detail)
    .join("\n");
}

const pending = { status: "pending" } as const;
test.each<[string, ItemQuery, Partial<ItemScope>]>([
  ["item_ready", { ...pending, ready: true }, { notRoots: ["a"], after: "k" }],
  ["item_ready", { ...pending, ready: true, parent: null }, {}],
  ["item_status", pending, { after: "k" }],
  ["item_order", {}, { after: "k" }],
  ["item_below", { ...pending, parent: "p", ready: true }, {}],
  [
    "PRIMARY KEY \\(worklist=\\? AND facet=\\? AND value=\\? AND status=\\?",
    { ...pending, ready: true, facets: { a: "b" } },
    { notRoots: ["x"] },
  ],
  [
    "PRIMARY KEY \\(worklist=\\? AND facet=\\? AND value=\\? AND status=\\? AND ord>\\?",
    { status: "failed", facets: { a: "b", c: "d" } },
    { after: "k" },
  ],
])("rows come sorted out of %s", (index, query, scope) => {
  const found = plan(query, scope);
  expect(found).toMatch(new RegExp(index));
  expect(found).not.toMatch(/TEMP B-TREE|SCAN (i|f)\b/);
});

test("a status that does not exist never becomes SQL", () => {
  expect(() => itemSource({ status: "x' or 1" as "pending" }, { worklist: 1 })).toThrow(TypeError);
});

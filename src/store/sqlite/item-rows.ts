import { itemStatuses, type Item, type ItemQuery, type ItemStatus } from "../../program/index.ts";
import type { Json } from "../../base/index.ts";
import type { ItemCounts, ItemSelection } from "../../ports/index.ts";
import { emptyList, worklistOf } from "./item-changes.ts";
import { facetRows, itemSource } from "./item-query.ts";
import { requireRun } from "./run-rows.ts";
import type { SqliteConnection } from "./sqlite-connection.ts";
import { decodeText, encodeText } from "./stored-text.ts";

type StoredItem = Readonly<
  Record<"id" | "ord" | "root" | "facets" | "data", string> &
    Record<"parent" | "label" | "reason" | "depends_on" | "result", string | null> &
    Record<"attempts" | "waits_for", number>
> & { readonly status: ItemStatus; readonly blocked_until: number | null };

const columns =
  "i.id, i.ord, i.status, i.attempts, i.waits_for, i.blocked_until, i.root, i.parent, i.label, i.reason, i.facets, i.depends_on, i.data, i.result";

/** In code-unit order of the order key; items with the same key in the order they were added. */
export function selectItems(db: SqliteConnection, worklist: number | undefined, selection: ItemSelection, now: number): readonly Item[] {
  const { list, query, limit, ...rest } = selection;
  if (worklist === undefined) return [];
  const rows = itemSource(query, { ...rest, worklist, now, needsItem: true });
  const sql = `select ${columns} from ${rows.from} where ${rows.where} order by ${rows.ord}, ${rows.no} limit ?`;
  return db.all<StoredItem>(sql, ...rows.params, limit).map((row) => itemFrom(list, row));
}

export function findItem(db: SqliteConnection, run: string, list: string, id: string): Item | undefined {
  const sql = `select ${columns} from item i where i.worklist = ? and i.id = ?`;
  const row = db.get<StoredItem>(sql, worklistOfRun(db, run, list), encodeText(id));
  return row === undefined ? undefined : itemFrom(list, row);
}

export function countItems(
  db: SqliteConnection,
  run: string,
  list: string,
  { query, now }: { readonly query: ItemQuery; readonly now: number },
): ItemCounts {
  const byStatus: Record<ItemStatus, number> = { pending: 0, in_progress: 0, completed: 0, skipped: 0, failed: 0 };
  const facets: Record<string, number> = {};
  const worklist = worklistOfRun(db, run, list);
  let count = 0;
  // Each status is one range of an index; a group over all of them would read rows.
  for (const status of query.status === undefined ? itemStatuses : [query.status]) {
    const rows = itemSource({ ...query, status }, { worklist, now });
    byStatus[status] = db.get<{ n: number }>(`select count(*) as n from ${rows.from} where ${rows.where}`, ...rows.params)?.n ?? 0;
    count += byStatus[status];
  }
  if (count === 0) return { count, facets, byStatus };
  const rows = facetRows(query, { worklist, now });
  const sql = `select f.facet, f.value, count(*) as n from item_facet f where ${rows.where} group by f.facet, f.value`;
  for (const { facet, value, n } of db.all<{ facet: string; value: string; n: number }>(sql, ...rows.params))
    facets[`${decodeText(facet)}=${decodeText(value)}`] = n;
  return { count, facets, byStatus };
}

export function selectDependants(db: SqliteConnection, run: string, list: string, id: string): readonly string[] {
  const sql = "select i.id from item_dependency d join item i on i.no = d.item where d.worklist = ? and d.on_id = ? order by d.item";
  return db.all<{ id: string }>(sql, worklistOfRun(db, run, list), encodeText(id)).map((row) => decodeText(row.id));
}

/** The number of the list in the item tables; of one that never had an item, the number of none. */
function worklistOfRun(db: SqliteConnection, run: string, list: string): number {
  return worklistOf(db, requireRun(db, run).no, list) ?? emptyList;
}

export function selectLists(db: SqliteConnection, run: string): readonly string[] {
  const rows = db.all<{ name: string }>("select name from worklist where run = ? order by no", requireRun(db, run).no);
  return rows.map(({ name }) => decodeText(name));
}

function itemFrom(list: string, row: StoredItem): Item {
  const { parent, label, result, reason, blocked_until, depends_on } = row;
  return {
    list,
    id: decodeText(row.id),
    order: decodeText(row.ord),
    status: row.status,
    data: JSON.parse(row.data) as Json,
    facets: facetsFrom(row.facets),
    ...(parent === null ? {} : { parent: decodeText(parent) }),
    root: decodeText(row.root),
    ...(label === null ? {} : { label: decodeText(label) }),
    ...(result === null ? {} : { result: JSON.parse(result) as Json }),
    ...(reason === null ? {} : { reason: decodeText(reason) }),
    ...(blocked_until === null ? {} : { blockedUntil: blocked_until }),
    attempts: row.attempts,
    ...(depends_on === null ? {} : { dependsOn: JSON.parse(depends_on) as string[] }),
    waitsFor: row.waits_for,
  };
}

function facetsFrom(stored: string): Record<string, string> {
  if (stored === "{}") return {};
  const facets = JSON.parse(stored) as Record<string, string>;
  return Object.fromEntries(Object.entries(facets).map(([facet, value]) => [decodeText(facet), decodeText(value)]));
}

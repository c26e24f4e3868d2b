import type { Json } from "../../base/index.ts";
import type { ItemMove } from "../../kernel/index.ts";
import type { ItemChange, ItemCounts, ItemSelection } from "../../ports/index.ts";
import { type Item, type ItemQuery, type ItemStatus, itemStatuses } from "../../program/index.ts";
import { noItem } from "../store-errors.ts";
import { decodeText, encodeText } from "../stored-text.ts";
import { Conditions, type Param, type SqliteConnection } from "./sqlite-connection.ts";

type StoredItem = Readonly<
  Record<"id" | "ord" | "root" | "facets" | "data", string> &
    Record<"parent" | "label" | "reason" | "depends_on" | "result", string | null> &
    Record<"attempts" | "waits_for", number>
> & { readonly status: ItemStatus; readonly blocked_until: number | null };

const columns =
  "i.id, i.ord, i.status, i.attempts, i.waits_for, i.blocked_until, i.root, i.parent, i.label, i.reason, i.facets, i.depends_on, i.data, i.result";

/** In code-unit order of the order key; items with the same key in the order they were added. */
export function selectItems(db: SqliteConnection, worklist: number, selection: ItemSelection, now: number): readonly Item[] {
  const { list, query, limit, ...rest } = selection;
  const rows = itemSource(query, { ...rest, worklist, now, needsItem: true });
  const sql = `select ${columns} from ${rows.from} where ${rows.where} order by ${rows.ord}, ${rows.no} limit ?`;
  return db.all<StoredItem>(sql, ...rows.params, limit).map((row) => itemFrom(list, row));
}

export function findItem(db: SqliteConnection, run: number, list: string, id: string): Item | undefined {
  const sql = `select ${columns} from item i where i.worklist = ? and i.id = ?`;
  const row = db.get<StoredItem>(sql, worklistOf(db, run, list), encodeText(id));
  return row === undefined ? undefined : itemFrom(list, row);
}

export function countItems(
  db: SqliteConnection,
  run: number,
  list: string,
  { query, now }: { readonly query: ItemQuery; readonly now: number },
): ItemCounts {
  const byStatus: Record<ItemStatus, number> = { pending: 0, in_progress: 0, completed: 0, skipped: 0, failed: 0 };
  const facets: Record<string, number> = {};
  const worklist = worklistOf(db, run, list);
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

export function selectDependants(db: SqliteConnection, run: number, list: string, id: string): readonly string[] {
  const sql = "select i.id from item_dependency d join item i on i.no = d.item where d.worklist = ? and d.on_id = ? order by d.item";
  return db.all<{ id: string }>(sql, worklistOf(db, run, list), encodeText(id)).map((row) => decodeText(row.id));
}

export function selectLists(db: SqliteConnection, run: number): readonly string[] {
  const rows = db.all<{ name: string }>("select name from worklist where run = ? order by no", run);
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

/** Number of the list in the item tables; `emptyList` when it never had an item. */
export function worklistOf(db: SqliteConnection, run: number, list: string): number {
  return db.get<{ no: number }>("select no from worklist where run = ? and name = ?", run, encodeText(list))?.no ?? emptyList;
}

/** Numbers of lists count from 1: no item is in this one. */
export const emptyList = 0;

/** Rows that a query means, as parts of a statement. Values are parameters; only statuses are written out. */
interface ItemSource {
  readonly from: string;
  readonly where: string;
  readonly params: readonly Param[];
  /** Columns by which the rows are known and sorted. */
  readonly no: string;
  readonly ord: string;
}

export interface ItemScope {
  readonly worklist: number;
  /** Time that `blockedUntil` is compared with; without it only items that were never blocked are ready. */
  readonly now?: number;
  readonly after?: string;
  readonly notRoots?: readonly string[];
  /** The statement reads columns of `item i`. */
  readonly needsItem?: boolean;
}

/**
 * The index is named in the statement, so that rows come out in order from their first one whatever the planner guesses:
 * by facet from `item_facet`, below a parent, the ready ones, by status, or all.
 */
export function itemSource(query: ItemQuery, scope: ItemScope): ItemSource {
  const { worklist, now, after, notRoots = [], needsItem = false } = scope;
  const [first, ...others] = Object.entries(query.facets ?? {});
  const table = first === undefined ? "i" : "f";
  const parts = new Conditions(`${table}.worklist = ?`, worklist);
  if (first !== undefined) parts.add("f.facet = ? and f.value = ?", encodeText(first[0]), encodeText(first[1]));
  addState(parts, table, query, now);
  for (const [facet, value] of others) {
    const same = "g.worklist = f.worklist and g.facet = ? and g.value = ? and g.status = f.status and g.ord = f.ord and g.item = f.item";
    parts.add(`exists (select 1 from item_facet g where ${same})`, encodeText(facet), encodeText(value));
  }
  if (typeof query.parent === "string") parts.add("i.parent = ?", encodeText(query.parent));
  if (query.parent === null) parts.add("i.parent is null");
  if (after !== undefined) parts.add(`${table}.ord > ?`, encodeText(after));
  if (notRoots.length > 0) parts.add("i.root not in (select value from json_each(?))", JSON.stringify(notRoots.map(encodeText)));
  const rows = { where: parts.text(), params: parts.params, ord: `${table}.ord` };
  if (first === undefined) return { ...rows, from: `item i indexed by ${indexFor(query)}`, no: "i.no" };
  const hasItem = needsItem || query.parent !== undefined || notRoots.length > 0;
  return { ...rows, from: `item_facet f${hasItem ? " cross join item i on i.no = f.item" : ""}`, no: "f.item" };
}

function indexFor(query: ItemQuery): string {
  if (typeof query.parent === "string") return "item_below";
  if (query.status === undefined) return "item_order";
  return query.status === "pending" && query.ready === true ? "item_ready" : "item_status";
}

/** Condition for the rows of `item_facet f` that belong to what the query means. */
function facetRows(query: ItemQuery, scope: Pick<ItemScope, "worklist" | "now">): Pick<ItemSource, "where" | "params"> {
  const parts = new Conditions("f.worklist = ?", scope.worklist);
  if (query.parent === undefined && Object.keys(query.facets ?? {}).length === 0) addState(parts, "f", query, scope.now);
  else {
    const rows = itemSource(query, scope);
    parts.add(`f.item in (select ${rows.no} from ${rows.from} where ${rows.where})`, ...rows.params);
  }
  return { where: parts.text(), params: parts.params };
}

/** Status and readiness, by the columns that `item i` and `item_facet f` both have. */
function addState(parts: Conditions, table: "i" | "f", { status, ready }: ItemQuery, now: number | undefined): void {
  if (status !== undefined) parts.add(`${table}.status = ${literal(status)}`);
  if (ready !== true) return;
  parts.add(`${table}.waits_for = 0`);
  if (now === undefined) parts.add(`${table}.blocked_until is null`);
  else parts.add(`(${table}.blocked_until is null or ${table}.blocked_until <= ?)`, now);
}

/** A status as a literal: partial indexes are used only when their condition can be read off the statement. */
export function literal(status: ItemStatus): string {
  if (!itemStatuses.includes(status)) throw new TypeError(`\`${String(status)}\` is not the status of an item.`);
  return `'${status}'`;
}

/**
 * Brings item rows up to date with events. What it does depends on the rows and the events alone, never on the clock, so
 * that a replay gives the same rows.
 */
export function applyItemChanges(db: SqliteConnection, run: number, changes: readonly ItemChange[]): void {
  for (const change of changes) {
    switch (change.type) {
      case "items_added":
        addItems(db, run, change.list, change.items);
        break;
      case "item_moved":
        moveItem(db, run, change.move);
        break;
      case "items_swept":
        sweepItems(db, run, change);
        break;
      case "dependency_settled":
      case "dependency_reopened":
        countDependencies(db, run, change);
        break;
    }
  }
}

function addItems(db: SqliteConnection, run: number, list: string, items: readonly Item[]): void {
  if (items.length === 0) return;
  const worklist = worklistOf(db, run, list) || db.insert("insert into worklist (run, name) values (?, ?)", run, encodeText(list));
  if (worklist === undefined) throw noItem(list, "");
  for (const item of items) addItem(db, worklist, item);
}

/** An item whose id is already there stays as it is. */
function addItem(db: SqliteConnection, worklist: number, item: Item): void {
  const { id, order, status, attempts, waitsFor, blockedUntil, root, parent, label, reason, facets, dependsOn, data, result } = item;
  const no = db.insert(
    `insert into item (worklist, id, ord, status, attempts, waits_for, blocked_until, root, parent, label, reason, facets, depends_on, data, result)
    values (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?) on conflict (worklist, id) do nothing`,
    worklist,
    encodeText(id),
    encodeText(order),
    status,
    attempts,
    waitsFor,
    blockedUntil ?? null,
    encodeText(root),
    optional(parent),
    optional(label),
    optional(reason),
    encodeFacets(facets),
    dependsOn === undefined ? null : JSON.stringify(dependsOn),
    JSON.stringify(data),
    json(result),
  );
  if (no === undefined || dependsOn === undefined) return;
  for (const other of dependsOn)
    db.run("insert or ignore into item_dependency (worklist, on_id, item) values (?, ?, ?)", worklist, encodeText(other), no);
}

/** Fields that the move does not name stay; null clears the reason and the block. */
function moveItem(db: SqliteConnection, run: number, move: ItemMove): void {
  const worklist = worklistOf(db, run, move.list);
  const id = encodeText(move.id);
  const set = [`status = ${literal(move.to)}`];
  const params: Param[] = [];
  const assign = (column: string, value: Param): void => {
    set.push(`${column} = ?`);
    params.push(value);
  };
  if (move.reason !== undefined) assign("reason", optional(move.reason ?? undefined));
  if (move.label !== undefined) assign("label", encodeText(move.label));
  if (move.result !== undefined) assign("result", json(move.result));
  if (move.attempts !== undefined) assign("attempts", move.attempts);
  if (move.blockedUntil !== undefined) assign("blocked_until", move.blockedUntil);
  if (move.data !== undefined) assign("data", JSON.stringify(move.data));
  const moved = db.run(`update item set ${set.join(", ")} where worklist = ? and id = ?`, ...params, worklist, id);
  if (moved === 0) throw noItem(move.list, move.id);
  if (move.newFacets !== undefined) changeFacets(db, worklist, id, encodeFacets(move.newFacets));
}

/** Triggers keep `item_facet` for everything but this: the rows of the old facets go, those of the new ones come. */
function changeFacets(db: SqliteConnection, worklist: number, id: string, facets: string): void {
  const find = "select no, ord, status, facets from item where worklist = ? and id = ?";
  const row = db.get<{ no: number; ord: string; status: string; facets: string }>(find, worklist, id);
  if (row === undefined || row.facets === facets) return;
  const remove = `delete from item_facet where worklist = ? and status = ? and ord = ? and item = ?
    and (facet, value) in (select key, value from json_each(?))`;
  db.run(remove, worklist, row.status, row.ord, row.no, row.facets);
  db.run("update item set facets = ? where no = ?", facets, row.no);
  const add = `insert into item_facet (worklist, facet, value, status, ord, item, waits_for, blocked_until)
    select i.worklist, f.key, f.value, i.status, i.ord, i.no, i.waits_for, i.blocked_until from item i, json_each(i.facets) f where i.no = ?`;
  db.run(add, row.no);
}

/** One update for all rows. A query that asks for ready items means those that are not blocked at all. */
function sweepItems(db: SqliteConnection, run: number, sweep: Extract<ItemChange, { type: "items_swept" }>): void {
  const worklist = worklistOf(db, run, sweep.list);
  if (worklist === emptyList || (sweep.query.status ?? sweep.from) !== sweep.from) return;
  const rows = itemSource({ ...sweep.query, status: sweep.from }, { worklist });
  const chosen = `select ${rows.no} from ${rows.from} where ${rows.where}`;
  db.run(`update item set status = ${literal(sweep.to)}, reason = ? where no in (${chosen})`, encodeText(sweep.reason), ...rows.params);
}

/** How many items each of `ids` waits for now; a change that does not say so means one less than before. */
function countDependencies(db: SqliteConnection, run: number, change: Extract<ItemChange, { readonly of: string }>): void {
  const worklist = worklistOf(db, run, change.list);
  const sql = "update item set waits_for = coalesce(?, max(waits_for - 1, 0)) where worklist = ? and id = ?";
  for (const [index, id] of change.ids.entries())
    if (db.run(sql, change.waits?.[index] ?? null, worklist, encodeText(id)) === 0) throw noItem(change.list, id);
}

function encodeFacets(facets: Item["facets"]): string {
  return JSON.stringify(Object.fromEntries(Object.entries(facets).map(([facet, value]) => [encodeText(facet), encodeText(value)])));
}

function optional(text: string | undefined): string | null {
  return text === undefined ? null : encodeText(text);
}

function json(value: unknown): string | null {
  return value === undefined ? null : JSON.stringify(value);
}

import type { ItemMove } from "../../kernel/index.ts";
import type { ItemChange } from "../../ports/index.ts";
import type { Item } from "../../program/index.ts";
import { emptyList, itemSource, literal, worklistOf } from "./item-rows.ts";
import { encodeText, type Param, type SqliteConnection } from "./sqlite-connection.ts";
import { noItem } from "../store-errors.ts";

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
  const worklist = worklistOf(db, run, list) ?? db.insert("insert into worklist (run, name) values (?, ?)", run, encodeText(list));
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
  const worklist = worklistOf(db, run, move.list) ?? emptyList;
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
  if (worklist === undefined || (sweep.query.status ?? sweep.from) !== sweep.from) return;
  const rows = itemSource({ ...sweep.query, status: sweep.from }, { worklist });
  const chosen = `select ${rows.no} from ${rows.from} where ${rows.where}`;
  db.run(`update item set status = ${literal(sweep.to)}, reason = ? where no in (${chosen})`, encodeText(sweep.reason), ...rows.params);
}

/** How many items each of `ids` waits for now; a change that does not say so means one less than before. */
function countDependencies(db: SqliteConnection, run: number, change: Extract<ItemChange, { readonly of: string }>): void {
  const worklist = worklistOf(db, run, change.list) ?? emptyList;
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

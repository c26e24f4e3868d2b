import { itemStatuses, type ItemQuery, type ItemStatus } from "../../program/index.ts";
import type { Param } from "./sqlite-connection.ts";
import { encodeText } from "./stored-text.ts";

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
  const facets = Object.entries(query.facets ?? {});
  return facets.length > 0 ? facetSource(query, scope, facets) : plainSource(query, scope);
}

function plainSource(query: ItemQuery, scope: ItemScope): ItemSource {
  const parts = new Conditions("i.worklist = ?", scope.worklist);
  if (query.status !== undefined) parts.add(`i.status = ${literal(query.status)}`);
  if (typeof query.parent === "string") parts.add("i.parent = ?", encodeText(query.parent));
  if (query.parent === null) parts.add("i.parent is null");
  addReady(parts, "i", query, scope.now);
  addRest(parts, "i.ord", scope);
  return { from: `item i indexed by ${indexFor(query)}`, where: parts.text(), params: parts.params, no: "i.no", ord: "i.ord" };
}

function indexFor(query: ItemQuery): string {
  if (typeof query.parent === "string") return "item_below";
  if (query.status === undefined) return "item_order";
  return query.status === "pending" && query.ready === true ? "item_ready" : "item_status";
}

function facetSource(query: ItemQuery, scope: ItemScope, [first, ...others]: readonly (readonly [string, string])[]): ItemSource {
  const hasItem = scope.needsItem === true || query.parent !== undefined || (scope.notRoots?.length ?? 0) > 0;
  const parts = new Conditions("f.worklist = ?", scope.worklist);
  if (first !== undefined) parts.add("f.facet = ? and f.value = ?", encodeText(first[0]), encodeText(first[1]));
  if (query.status !== undefined) parts.add(`f.status = ${literal(query.status)}`);
  addReady(parts, "f", query, scope.now);
  for (const [facet, value] of others) {
    const same = "g.worklist = f.worklist and g.facet = ? and g.value = ? and g.status = f.status and g.ord = f.ord and g.item = f.item";
    parts.add(`exists (select 1 from item_facet g where ${same})`, encodeText(facet), encodeText(value));
  }
  if (typeof query.parent === "string") parts.add("i.parent = ?", encodeText(query.parent));
  if (query.parent === null) parts.add("i.parent is null");
  addRest(parts, "f.ord", scope);
  const from = hasItem ? "item_facet f cross join item i on i.no = f.item" : "item_facet f";
  return { from, where: parts.text(), params: parts.params, no: "f.item", ord: "f.ord" };
}

/** Condition for the rows of `item_facet f` that belong to what the query means. */
export function facetRows(query: ItemQuery, scope: Pick<ItemScope, "worklist" | "now">): Pick<ItemSource, "where" | "params"> {
  const parts = new Conditions("f.worklist = ?", scope.worklist);
  if (query.parent === undefined && Object.keys(query.facets ?? {}).length === 0) {
    if (query.status !== undefined) parts.add(`f.status = ${literal(query.status)}`);
    addReady(parts, "f", query, scope.now);
  } else {
    const rows = itemSource(query, scope);
    parts.add(`f.item in (select ${rows.no} from ${rows.from} where ${rows.where})`, ...rows.params);
  }
  return { where: parts.text(), params: parts.params };
}

function addReady(parts: Conditions, table: "i" | "f", query: ItemQuery, now: number | undefined): void {
  if (query.ready !== true) return;
  parts.add(`${table}.waits_for = 0`);
  if (now === undefined) parts.add(`${table}.blocked_until is null`);
  else parts.add(`(${table}.blocked_until is null or ${table}.blocked_until <= ?)`, now);
}

function addRest(parts: Conditions, ord: string, { after, notRoots }: ItemScope): void {
  if (after !== undefined) parts.add(`${ord} > ?`, encodeText(after));
  if (notRoots !== undefined && notRoots.length > 0)
    parts.add("i.root not in (select value from json_each(?))", JSON.stringify(notRoots.map(encodeText)));
}

/** A status as a literal: partial indexes are used only when their condition can be read off the statement. */
export function literal(status: ItemStatus): string {
  if (!itemStatuses.includes(status)) throw new TypeError(`\`${String(status)}\` is not the status of an item.`);
  return `'${status}'`;
}

/** Conditions of a statement that must all hold, with their parameters in order. */
export class Conditions {
  readonly params: Param[] = [];
  readonly #texts: string[] = [];

  constructor(text: string, ...params: readonly Param[]) {
    this.add(text, ...params);
  }

  add(text: string, ...params: readonly Param[]): void {
    this.#texts.push(text);
    this.params.push(...params);
  }

  text(): string {
    return this.#texts.join(" and ");
  }
}

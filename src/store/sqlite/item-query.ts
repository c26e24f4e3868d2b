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
export function facetRows(query: ItemQuery, scope: Pick<ItemScope, "worklist" | "now">): Pick<ItemSource, "where" | "params"> {
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

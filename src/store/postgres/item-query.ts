import { type ItemQuery, type ItemStatus, itemStatuses } from "../../program/index.ts";
import { encodeText } from "../stored-text.ts";
import type { Statement } from "./postgres-connection.ts";

/** Rows that a query means, as parts of a statement. Only statuses are written out. */
export interface ItemSource {
  readonly from: string;
  readonly where: string;
  /** Columns by which the rows are known and sorted. */
  readonly no: string;
  readonly ord: string;
}

export interface ItemScope {
  /** The number of the list, as a part of the statement. */
  readonly worklist: string;
  /** Time that `blockedUntil` is compared with, as a part of the statement; without it only items that were never blocked are ready. */
  readonly now?: string;
  readonly after?: string | undefined;
  readonly notRoots?: readonly string[] | undefined;
  /** The statement reads columns of `item i`. */
  readonly needsItem?: boolean;
}

/** Every combination reads rows in the order of an index: by facet from `item_facet`, below a parent, the ready ones, by status, or all. */
export function itemSource(sql: Statement, query: ItemQuery, scope: ItemScope): ItemSource {
  const { worklist, now, after, notRoots = [], needsItem = false } = scope;
  const [first, ...others] = Object.entries(query.facets ?? {});
  const table = first === undefined ? "i" : "f";
  const text = (value: string): string => sql.bind(encodeText(value), "text");
  const parts = [`${table}.worklist = ${worklist}`];
  if (first !== undefined) parts.push(`f.facet = ${text(first[0])} and f.value = ${text(first[1])}`);
  parts.push(...stateParts(table, query, now));
  for (const [facet, value] of others) {
    const same = `g.worklist = f.worklist and g.facet = ${text(facet)} and g.value = ${text(value)}
      and g.status = f.status and g.ord = f.ord and g.item = f.item`;
    parts.push(`exists (select 1 from waymark_store.item_facet g where ${same})`);
  }
  if (typeof query.parent === "string") parts.push(`i.parent = ${text(query.parent)}`);
  if (query.parent === null) parts.push("i.parent is null");
  if (after !== undefined) parts.push(`${table}.ord > ${text(after)}`);
  if (notRoots.length > 0) parts.push(`i.root <> all(${sql.bind(notRoots.map(encodeText), "text[]")})`);
  const rows = { where: parts.join(" and "), ord: `${table}.ord` };
  if (first === undefined) return { ...rows, from: "waymark_store.item i", no: "i.no" };
  const hasItem = needsItem || query.parent !== undefined || notRoots.length > 0;
  return { ...rows, from: `waymark_store.item_facet f${hasItem ? " join waymark_store.item i on i.no = f.item" : ""}`, no: "f.item" };
}

/** Condition for the rows of `item_facet f` that belong to what the query means. */
export function facetRows(sql: Statement, query: ItemQuery, scope: Pick<ItemScope, "worklist" | "now">): string {
  const parts = [`f.worklist = ${scope.worklist}`];
  if (query.parent === undefined && Object.keys(query.facets ?? {}).length === 0) parts.push(...stateParts("f", query, scope.now));
  else {
    const rows = itemSource(sql, query, scope);
    parts.push(`f.item in (select ${rows.no} from ${rows.from} where ${rows.where})`);
  }
  return parts.join(" and ");
}

/** Status and readiness, by the columns that `item i` and `item_facet f` both have. */
function stateParts(table: "i" | "f", { status, ready }: ItemQuery, now: string | undefined): string[] {
  const parts: string[] = [];
  if (status !== undefined) parts.push(`${table}.status = ${literal(status)}`);
  if (ready !== true) return parts;
  parts.push(`${table}.waits_for = 0`);
  const free = `${table}.blocked_until is null`;
  parts.push(now === undefined ? free : `(${free} or ${table}.blocked_until <= ${now})`);
  return parts;
}

/** A status as a literal: partial indexes are used only when their condition can be read off the statement. */
export function literal(status: ItemStatus): string {
  if (!itemStatuses.includes(status)) throw new TypeError(`\`${String(status)}\` is not the status of an item.`);
  return `'${status}'`;
}

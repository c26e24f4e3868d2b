import { fieldOf, isObject, type Json } from "../../../base/index.ts";
import type { ItemMove } from "../../../kernel/index.ts";
import type { Instance } from "../../../ports/index.ts";
import type { Item } from "../../../program/index.ts";
import { moveTo } from "./run-rows.ts";

/** How often an agent may report an instance as fixed that the tool still reports, before it fails. */
export const mostLies = 3;

/** The id of the tool that reported an instance; undefined for what a pattern found. */
export function toolOfRow({ data }: Pick<Item, "data">): string | undefined {
  return fieldOf(data, "tool") || undefined;
}

/** It was reported as fixed, and its tool has not looked since: it counts neither as open nor as done. */
export function isWaiting({ status, facets }: Pick<Item, "status" | "facets">): boolean {
  return status === "completed" && facets["verify"] === "waiting";
}

/** What a tool reported, as an instance of the content that the tool saw: only there its places and its edits are right. */
export function reportedInstance({ data }: Pick<Item, "data">, hash: string | undefined): Instance | undefined {
  if (!isObject(data) || hash === undefined || data["hash"] !== hash) return undefined;
  const { end_line: endLine, end_column: endColumn, ...same } = data;
  return { ...same, endLine, endColumn, ordinal: 0 } as unknown as Instance;
}

/** The row waits for its tool's next look; its step settles it meanwhile. `by`: who is said to have fixed it. */
export function awaitTool(row: Item, by: "auto" | "hand"): ItemMove {
  const data = isObject(row.data) ? row.data : {};
  return moveTo(row, row.status, { newFacets: { ...row.facets, verify: "waiting" }, data: { ...data, reported_by: by } });
}

/** Why an instance failed: its tool was not convinced by so many reports. */
export function stillAfter(data: Json | undefined, tries: number): string {
  return `${fieldOf(data, "tool")} still reports it after ${tries} reports that it was fixed: ${fieldOf(data, "message")}`;
}

/** The facets of a row that does not wait any more. */
export function withoutWaiting({ facets }: Pick<Item, "facets">): Item["facets"] {
  const { verify: _verify, ...others } = facets;
  return others;
}

/**
 * The tool still reports what was said to be fixed: it is open again, or has failed after so many such reports. `byFix`: not an agent said
 * so, but the tool's own fix was made.
 */
export function stillReported(
  row: Item,
  byFix: boolean,
): { readonly status: "pending" | "failed"; readonly tries: number; readonly reason: string } {
  const data = isObject(row.data) ? row.data : {};
  const before = typeof data["tries"] === "number" ? data["tries"] : 0;
  const tool = toolOfRow(row) ?? "the tool";
  if (byFix || data["reported_by"] === "auto")
    return { status: "pending", tries: before, reason: `The fix that ${tool} offers was made, and ${tool} still reports it.` };
  const tries = before + 1;
  if (tries < mostLies) return { status: "pending", tries, reason: `It was reported as fixed, but ${tool} still reports it.` };
  // A retry begins to count from the start.
  return {
    status: "failed",
    tries: 0,
    reason: stillAfter(data, tries),
  };
}

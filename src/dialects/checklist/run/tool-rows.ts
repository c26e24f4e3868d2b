import { fieldOf, isObject } from "../../../base/index.ts";
import type { ItemMove } from "../../../kernel/index.ts";
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

/** The row waits for its tool's next look; its step settles it meanwhile. `by`: who is said to have fixed it. */
export function awaitTool(row: Item, by: "auto" | "hand"): ItemMove {
  const data = isObject(row.data) ? row.data : {};
  return moveTo(row, row.status, { newFacets: { ...row.facets, verify: "waiting" }, data: { ...data, reported_by: by } });
}

/** The facets of a row that does not wait any more. */
export function withoutWaiting({ facets }: Pick<Item, "facets">): Item["facets"] {
  const { verify: _verify, ...others } = facets;
  return others;
}

/** The tool still reports what was said to be fixed: it is open again, or has failed after so many such reports. */
export function stillReported(row: Item): { readonly to: "pending" | "failed"; readonly tries: number; readonly reason: string } {
  const data = isObject(row.data) ? row.data : {};
  const tries = (typeof data["tries"] === "number" ? data["tries"] : 0) + 1;
  const tool = toolOfRow(row) ?? "the tool";
  if (tries < mostLies) return { to: "pending", tries, reason: `It was reported as fixed, but ${tool} still reports it.` };
  // A retry begins to count from the start.
  return {
    to: "failed",
    tries: 0,
    reason: `${tool} still reports it after ${tries} reports that it was fixed: ${fieldOf(data, "message")}`,
  };
}

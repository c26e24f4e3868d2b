import type { ItemMove } from "../../../kernel/index.ts";
import type { Item } from "../../../program/index.ts";
import type { BotPlace } from "./bot-run.ts";

/**
 * Moves of rows that make `to` the first open place. Open places before it are skipped with the decision as their reason; it and
 * the later ones of its behaviour are open again, and so is all that was passed over in later behaviours. What was done in other
 * behaviours stays done.
 */
export function jumpMoves(rows: readonly Item[], to: BotPlace, reason: string): readonly ItemMove[] {
  const target = rows.find((row) => row.id === `${to.behaviour}.${to.action}`);
  if (target === undefined) return [];
  const moves: ItemMove[] = [];
  const move = (row: Item, status: "skipped" | "pending"): void => {
    if (row.status !== status)
      moves.push({
        list: row.list,
        id: row.id,
        from: row.status,
        to: status,
        facets: row.facets,
        root: row.root,
        reason: status === "skipped" ? reason : null,
      });
  };
  const passed = (row: Item): boolean => row.order > target.order && row.status === "skipped" && row.reason !== "setting";
  const reopened = new Set([to.behaviour, ...rows.filter(passed).map((row) => row.parent)]);
  for (const row of rows) {
    const before = row.order < target.order;
    if (row.id === target.id || reopened.has(row.id) || passed(row)) move(row, "pending");
    else if (row.parent === to.behaviour && !before) {
      if (row.reason !== "setting") move(row, "pending");
    } else if (before && row.status === "pending") move(row, "skipped");
  }
  return moves;
}

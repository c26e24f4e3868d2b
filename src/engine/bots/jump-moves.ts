import type { ItemMove } from "../../kernel/index.ts";
import type { Item } from "../../program/index.ts";
import type { BotPlace } from "./bot-run.ts";

/**
 * Moves of rows that make `to` the first open place. Open places before it are skipped with the decision as their reason; it and
 * the later ones of its behaviour are open again. Other behaviours keep what was done in them.
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
  for (const row of rows) {
    const own = row.id === to.behaviour;
    const before = row.order < target.order;
    if (own || (row.parent === to.behaviour && !before)) {
      if (row.reason !== "setting" || row.id === target.id) move(row, "pending");
    } else if (before && row.status === "pending") move(row, "skipped");
  }
  return moves;
}

import { defined, isObject } from "../../../base/index.ts";
import { idOf, type BotPlace } from "../views/index.ts";
import type { ItemMove } from "../../../kernel/index.ts";
import type { Item } from "../../../program/index.ts";
import type { BotRun } from "./bot-run.ts";

/** Behaviours and, below them, their actions, in order. What a setting skips is settled at once. */
export function botRows({ definition, lists }: BotRun): Item[] {
  return definition.behaviours.flatMap((behaviour, at) => {
    const order = String(at).padStart(4, "0");
    const row = (more: Pick<Item, "id" | "order" | "data" | "facets"> & Partial<Item>, skip: boolean): Item => ({
      list: lists.actions,
      status: skip ? "skipped" : "pending",
      root: behaviour.name,
      attempts: 0,
      waitsFor: 0,
      ...(skip && { reason: "setting" }),
      ...more,
    });
    const skipped = behaviour.setting === "skip";
    const actions = behaviour.actions.map((action, place) => {
      const own = { behaviour: behaviour.name, action: action.name };
      const id = idOf(own);
      const auto = action.autoProgress || action.setting === "combine";
      const data = { id, kind: "action", ...own, next: action.next, auto, ...defined({ calls: action.calls }) };
      const facets = { kind: "action", behaviour: behaviour.name };
      const below = `${order}.${String(place).padStart(4, "0")}`;
      return row({ id, order: below, parent: behaviour.name, data, facets }, skipped || action.setting === "skip");
    });
    const data = { id: behaviour.name, kind: "behaviour", behaviour: behaviour.name };
    return [row({ id: behaviour.name, order, data, facets: { kind: "behaviour" } }, skipped), ...actions];
  });
}

/** Where a project is that brings its state from elsewhere. */
export interface ImportedPlace {
  /** Ids of completed actions, and when they were completed, if that is known. */
  readonly completed: Readonly<Record<string, string | null>>;
  /** The action to continue with; null: the first one that is open. */
  readonly target: string | null;
  /** That action was started and not completed. */
  readonly interrupted: boolean;
}

/**
 * Rows as an imported state settles them. What is before the place it names is passed over, with the reason; what is being done or
 * was settled here before stays as it is.
 */
export function placeImported(rows: readonly Item[], { completed, target, interrupted }: ImportedPlace): Item[] {
  const order = rows.find((row) => row.id === target)?.order;
  const placed = rows.map((row): Item => {
    if (row.parent === undefined || row.status !== "pending") return row;
    const data = isObject(row.data) ? row.data : {};
    if (row.id === target) return interrupted ? { ...row, data: { ...data, interrupted: true } } : row;
    if (Object.hasOwn(completed, row.id))
      return { ...row, status: "completed", reason: "brought along", data: { ...data, completed_at: completed[row.id] ?? null } };
    return order !== undefined && row.order < order
      ? { ...row, status: "skipped", reason: "passed before the state was brought along" }
      : row;
  });
  return placed.map((row) => {
    const below = placed.filter((other) => other.parent === row.id);
    const closed = row.parent === undefined && row.status === "pending" && below.length > 0;
    return closed && below.every((other) => other.status !== "pending") ? { ...row, status: "completed", reason: "brought along" } : row;
  });
}

/** Moves that turn rows into what they are to be. */
export function movesBetween(before: readonly Item[], after: readonly Item[]): readonly ItemMove[] {
  return after.flatMap((row, at): ItemMove[] => {
    const held = before[at];
    if (held === undefined || (held.status === row.status && held.data === row.data)) return [];
    const { list, id, facets, root, data } = row;
    return [{ list, id, from: held.status, to: row.status, facets, root, ...defined({ data }), reason: row.reason ?? null }];
  });
}

/**
 * Moves of rows that make `to` the first open place. Open places before it are skipped with the decision as their reason; it and
 * the later ones of its behaviour are open again, and so is all that was passed over in later behaviours. What was done in other
 * behaviours stays done.
 */
export function jumpMoves(rows: readonly Item[], to: BotPlace, reason: string): readonly ItemMove[] {
  const target = rows.find((row) => row.id === idOf(to));
  if (target === undefined) return [];
  const moves: ItemMove[] = [];
  const move = ({ list, id, status: from, facets, root }: Item, status: "skipped" | "pending"): void => {
    if (from !== status) moves.push({ list, id, from, to: status, facets, root, reason: status === "skipped" ? reason : null });
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

import type { Json } from "../base/index.ts";

export type ItemStatus = "pending" | "in_progress" | "completed" | "skipped" | "failed";
export const itemStatuses: readonly ItemStatus[] = ["pending", "in_progress", "completed", "skipped", "failed"];

/** A worklist that lives as long as the run; counts are kept for every declared facet. */
export interface WorklistSpec {
  readonly id: string;
  readonly facets: readonly string[];
}

/** One thing to do. Rows behind a port: the kernel sees counts, and the items it selected. */
export interface Item {
  readonly list: string;
  readonly id: string;
  /** Fractional text key; items are taken in its code-unit order. */
  readonly order: string;
  readonly status: ItemStatus;
  readonly data: Json;
  readonly facets: Readonly<Record<string, string>>;
  /** The item above, and the item at the top of its tree (itself when it has no parent): holding an item holds its tree. */
  readonly parent?: string;
  readonly root: string;
  readonly label?: string;
  readonly result?: Json;
  /** Why it is skipped, failed, or pending and blocked. */
  readonly reason?: string;
  readonly blockedUntil?: number;
  readonly attempts: number;
  /** Items of the same list that must settle first, and how many of them have not. */
  readonly dependsOn?: readonly string[];
  readonly waitsFor: number;
}

/** Indexed selection; never an expression per item. */
export interface ItemQuery {
  readonly status?: ItemStatus;
  readonly parent?: string | null;
  readonly facets?: Readonly<Record<string, string>>;
  /** Only items all of whose dependencies are settled and that are not blocked. */
  readonly ready?: boolean;
}

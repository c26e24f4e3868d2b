import type { Expr, Part } from "../program/index.ts";

/**
 * What this room needs to know about expressions. It is handed in, because analysis of expressions lives in the `state` room
 * and no dialect may look in there. Without one, files are checked for everything else.
 */
export interface ExpressionChecker {
  /** Syntax errors; `offset` counts in the text of the expression. A `value` is handed in leaf by leaf. */
  check(expr: Expr): readonly { readonly message: string; readonly offset: number }[];
  /** Free names the expression reads, without those of the language itself. Asked only when `check` found nothing. */
  names(expr: Expr): readonly string[];
  /** Circles among computed fields, each as the names along it. */
  cycles(part: Part): readonly (readonly string[])[];
  /** Names that are in more than one tier. */
  collisions(part: Part): readonly string[];
}

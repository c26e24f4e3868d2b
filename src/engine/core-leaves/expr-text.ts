import type { Expr } from "../../program/index.ts";

/** An argument as its author wrote it. */
export function textOfExpr(expr: Expr | undefined): string {
  if (expr === undefined) return "";
  return typeof expr.of === "string" ? expr.of : JSON.stringify(expr.of);
}

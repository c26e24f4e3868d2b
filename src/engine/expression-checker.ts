import { checkExpr, collisions, dependencyGraph, namesOf } from "../state/index.ts";
import type { ExpressionChecker } from "../source/index.ts";

/** What dialects need to know of expressions, from the room that understands them. */
export const expressionChecker: ExpressionChecker = {
  check: checkExpr,
  names: namesOf,
  cycles: (part) => dependencyGraph(part).cycles,
  collisions,
};

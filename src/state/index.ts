/**
 * Reactive values: templates, expressions, computed fields and their dependency graph. Pure but for the runner it is given;
 * it never writes state and never looks at a clock. Begin with `evaluator.ts`, then `computed-fields.ts`.
 */
export { analyse } from "./analyse.ts";
export { checkExpr, namesOf } from "./check-expr.ts";
export { stateCodes } from "./codes.ts";
export { collisions, dependencyGraph } from "./dependency-graph.ts";
export { type Evaluator, createEvaluator } from "./evaluator.ts";
export { type ValueOf, resolveScript, resolveTree } from "./resolve-except.ts";
export { testPattern } from "./runner.ts";

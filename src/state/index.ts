/**
 * Reactive values: templates, expressions, computed fields and their dependency graph. Pure but for the runner it is given;
 * it never writes state and never looks at a clock. Begin with `evaluator.ts`, then `computed-fields.ts`.
 */
export { analyse, type Analysis, type AnalysisError } from "./analyse.ts";
export { checkExpr, namesOf } from "./check-expr.ts";
export { stateCodes } from "./codes.ts";
export { collisions, dependencyGraph, type DependencyGraph } from "./dependency-graph.ts";
export type { Functions } from "./computed-fields.ts";
export { createEvaluator, type Evaluated, type EvaluateRequest, type Evaluator } from "./evaluator.ts";
export { resolveScript, resolveTree, type ValueOf } from "./resolve-except.ts";
export type { FieldTrace, Runner, RunnerResult } from "./runner.ts";
export { testPattern, type PatternResult } from "./test-pattern.ts";

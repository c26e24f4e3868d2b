/**
 * Reactive values: templates, expressions, computed fields and their dependency graph. It never writes
 * state and never looks at a clock; what it needs of the outside, a runner and the store of large values, it is given. Also how states and
 * events become text. Begin with `evaluator.ts`, then `computed-fields.ts`.
 */
export { isModule } from "./analyse.ts";
export { type Evaluation, answerDefaults, answerExpressions, verifyUpdates } from "./answer-expressions.ts";
export { checkExpr, namesOf } from "./check-expr.ts";
export { checkInputs } from "./check-inputs.ts";
export { stateCodes } from "./codes.ts";
export { collisions, dependencyGraph } from "./dependency-graph.ts";
export { couldBe } from "./could-be.ts";
export { type Evaluator, createEvaluator } from "./evaluator.ts";
export { type KeptParts, decodeJournal, encodeJournal, encodeSnapshot, readEvents } from "./journal-codec.ts";
export { leftWrites, storedResult } from "./left-writes.ts";
export { testPattern, testTransformation } from "./runner.ts";
export { Traces } from "./traces.ts";

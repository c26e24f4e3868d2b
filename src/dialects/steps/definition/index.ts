/**
 * Steps: YAML files in, a program out. `load-steps.ts` resolves imports and includes, checks and lowers; `plan/` says what a program does.
 * Never evaluates an expression. Begin with `load-steps.ts`; the words are in `vocabulary.ts`, the keys in `shape/`.
 */
export { callsOf, importsOf, loadSteps } from "./load-steps.ts";
export { explainPlan } from "./plan/explain-plan.ts";
export { renderPlanMermaid, renderPlanText } from "./plan/render-plan.ts";
export { stepsDialect, stepsJsonSchema } from "./steps-dialect.ts";

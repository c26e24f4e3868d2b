/**
 * Definitions in, programs out: `parse` → `check` → `lower` for each dialect. Files come in as a resolved set with their text;
 * nothing is read, run or evaluated here, and analysis of expressions is handed in as an `ExpressionChecker`.
 * Begin with `steps/load-steps.ts`; the words of the dialect are in `steps/vocabulary.ts`, its keys in `steps/shape/`.
 */
export { stepsCodes } from "./steps/codes.ts";
export type { ExpressionChecker } from "./steps/expression-checker.ts";
export { stepsFeatures, type StepsFeatures } from "./steps/features.ts";
export { stepsJsonSchema } from "./steps/json-schema.ts";
export { loadSteps, type LoadedSteps, type WorkflowInfo } from "./steps/load-steps.ts";
export { explainPlan, type Plan, type PlanStep } from "./steps/plan/explain-plan.ts";
export { renderPlanMermaid, renderPlanText } from "./steps/plan/render-plan.ts";
export { recognise, type Recognised } from "./steps/recognise.ts";
export { callsOf, importsOf } from "./steps/references.ts";
export { renderDiagnostic, type RenderOptions } from "./steps/render-diagnostic.ts";
export { importKey, type ImportNode, type StepsSet } from "./steps/resolve.ts";
export type { SourceFile } from "./steps/source-node.ts";
export { standardTaskPrompt, type StepType } from "./steps/vocabulary.ts";

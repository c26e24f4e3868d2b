/**
 * Definitions in, programs out: `parse` → `check` → `lower` for each dialect. Files come in as a resolved set with their text;
 * nothing is read, run or evaluated here, and analysis of expressions is handed in as an `ExpressionChecker`.
 * Begin with `steps/load-steps.ts` and `checklist/parse-checklist.ts`; the words of a dialect are in its `vocabulary.ts`,
 * its keys in its `shape/`.
 */
export type {
  BatchFacts,
  BehaviourFacts,
  ChecklistFacts,
  ChecklistRows,
  FileCounts,
  InstanceCounts,
  PhaseFacts,
  Severity,
  TypeCounts,
  UpgradeFacts,
  VerificationFacts,
} from "./checklist/checklist-facts.ts";
export { botToolNames, type BotTool, type BotTools } from "./bots/bot-tool-names.ts";
export { botsCodes } from "./bots/codes.ts";
export { botsFeatures, type BotsFeatures, type KeyFeature } from "./bots/features.ts";
export { fillPlaceholders } from "./bots/fill-placeholders.ts";
export {
  logFiles,
  stateFiles,
  type ActionState,
  type ActivityEntry,
  type CompletedAction,
  type Confirmation,
  type ReadLog,
  type ReadState,
  type ViewOptions,
  type WorkflowState,
} from "./bots/formats/bot-views.ts";
export { readActivityLog } from "./bots/formats/read-activity-log.ts";
export type { Zone } from "./bots/formats/read-time.ts";
export { readWorkflowState } from "./bots/formats/read-workflow-state.ts";
export { writeActivityLog, writeWorkflowState } from "./bots/formats/write-views.ts";
export { parseBot, type BotFiles, type ParsedBot } from "./bots/parse-bot.ts";
export { recogniseBot } from "./bots/recognise-bot.ts";
export type { Lists } from "./checklist/lists-of.ts";
export { lowerChecklist, type ChecklistSet } from "./checklist/lower.ts";
export type { ApproachId, ChecklistDefinition, EntryDefinition, PhaseDefinition } from "./checklist/definition.ts";
export { checklistCodes } from "./checklist/codes.ts";
export { checklistFeatures, type ChecklistFeatures } from "./checklist/features.ts";
export { checklistJsonSchema } from "./checklist/json-schema.ts";
export { parseChecklist, type ChecklistInfo, type ChecklistOptions, type ParsedChecklist } from "./checklist/parse-checklist.ts";
export { recogniseChecklist } from "./checklist/recognise-checklist.ts";
export { subWorkflowsOf } from "./checklist/sub-workflows-of.ts";
export type { ActionDefinition, BehaviourDefinition, BotDefinition, TriggerDefinition } from "./bots/definition.ts";
export { botLists, lowerBot } from "./bots/lower.ts";
export { mergeProgram, withoutPart } from "./merge-programs.ts";
export { dialectOf, filesImportedBy, loadWorkflow, workflowsCalledBy, type Dialect } from "./load-workflow.ts";
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

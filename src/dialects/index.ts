/**
 * Definitions in, programs out: `parse` → `check` → `lower` for each dialect. Files come in as a resolved set with their text;
 * nothing is read, run or evaluated here, and analysis of expressions is handed in as an `ExpressionChecker`.
 * Begin with `steps/load-steps.ts` and `checklist/parse-checklist.ts`; the words of a dialect are in its `vocabulary.ts`,
 * its keys in its `shape/`.
 */
export type {
  BatchFacts,
  BehaviourFacts,
  CalledFacts,
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
export type { CheckDescription } from "./checklist/check-description.ts";
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
export { subWorkflowsOf } from "./checklist/references.ts";
export type { ActionDefinition, BehaviourDefinition, BotDefinition, TriggerDefinition } from "./bots/definition.ts";
export { botLists, lowerBot } from "./bots/lower.ts";
export { machineCodes } from "./machine/codes.ts";
export {
  readAcceptance,
  writeAcceptance,
  type AcceptanceFile,
  type Criterion,
  type ReadAcceptance,
} from "./machine/formats/acceptance-json.ts";
export { appendHistory, readHistory, type HistoryEntry, type ReadHistory } from "./machine/formats/approve-design-history.ts";
export type { ChangedFile } from "./machine/formats/changed-files.ts";
export { formatCheck, parseCheck, type Check } from "./machine/formats/check-entry.ts";
export { conform, conformityKindCount, type Defect } from "./machine/formats/conformity.ts";
export { conformityKinds } from "./machine/formats/conformity/kinds.ts";
export type { SessionFolder } from "./machine/formats/conformity/session-view.ts";
export {
  contentGate,
  documentSections,
  requiredSections,
  type ArtifactKind,
  type RequiredSection,
} from "./machine/formats/content-gate.ts";
export {
  contextFilesFor,
  contextMatrix,
  sessionsFolder,
  type ContextArtifact,
  type ContextNeed,
} from "./machine/formats/context-matrix.ts";
export {
  decisionFaults,
  designDecision,
  gateAnswer,
  gateDecisions,
  mintDecisionId,
  passesGate,
  strategyDecision,
  type DecisionRecord,
  type GateAnswer,
} from "./machine/formats/decision-record.ts";
export { choiceOf } from "./machine/gate-choice.ts";
export { findSection, sectionsOf, type HeadingNames, type MarkdownSection } from "./machine/formats/markdown-sections.ts";
export { reportForm, showsReportForm } from "./machine/formats/report-form.ts";
export type { ReviewComment, SecurityFinding } from "./machine/formats/role-artifacts.ts";
export { buildRoleInput, checkRoleInput, type DispatchView, type RoleInput, type RoleInputFacts } from "./machine/formats/role-input.ts";
export { checkRoleOutput, statusesOf, type CheckedOutput, type OutputStatus, type RoleOutput } from "./machine/formats/role-output.ts";
export { isSessionName, sessionName, slugOf } from "./machine/formats/session-name.ts";
export {
  repairBudget,
  repairLoops,
  sessionFiles,
  sessionRoles,
  sessionStates,
  taskStatuses,
  type CiResult,
  type CorrectionRole,
  type CorrectionStatus,
  type DecisionStatus,
  type ProjectType,
  type RepairLoop,
  type ReviewStrategy,
  type RiskFlag,
  type SessionMode,
  type SessionRole,
  type SessionState,
  type TaskStatus,
  type TaskType,
} from "./machine/formats/session-vocabulary.ts";
export { criteriaIn, type SpecCriteria, type SpecCriterion } from "./machine/formats/spec-criteria.ts";
export {
  isCompleteStatus,
  readStatus,
  writeStatus,
  type Blocker,
  type CompleteStatus,
  type GateTracking,
  type ReadStatus,
  type RepairCounts,
  type RuntimeFlags,
  type SessionStatus,
} from "./machine/formats/status-json.ts";
export { dependencyProblems, readyTasks, type DependencyProblem, type OrderedTask } from "./machine/formats/task-dependencies.ts";
export { mayChange } from "./machine/formats/task-status.ts";
export { readTasks, writeTasks, type ReadTasks, type SessionTask, type TaskFile } from "./machine/formats/tasks-yaml.ts";
export { reviewVerdicts, verdictOf, type ReviewVerdict } from "./machine/formats/verdict.ts";
export { machineEdges, shownEdges, type MachineEdge } from "./machine/explain/machine-edges.ts";
export { machineOfProgram, renderMachineMermaid, renderMachineText } from "./machine/explain/render-machine.ts";
export { machineFeatures, type MachineFeatures } from "./machine/features.ts";
export { machineJsonSchema } from "./machine/json-schema.ts";
export { machineLists } from "./machine/lower/build.ts";
export { parseMachine, type MachineOptions, type ParsedMachine } from "./machine/parse-machine.ts";
export { recogniseMachine } from "./machine/recognise-machine.ts";
export { dialectOf, dialects, loadWorkflow, referencesOf } from "./load-workflow.ts";
export { stepsCodes } from "./steps/codes.ts";
export { stepsFeatures, type StepsFeatures } from "./steps/features.ts";
export { stepsJsonSchema } from "./steps/json-schema.ts";
export { loadSteps } from "./steps/load-steps.ts";
export { explainPlan, type Plan, type PlanStep } from "./steps/plan/explain-plan.ts";
export { renderPlanMermaid, renderPlanText } from "./steps/plan/render-plan.ts";
export { recognise, type Recognised } from "./steps/recognise.ts";
export { callsOf, importsOf } from "./steps/references.ts";
export type { StepType } from "./steps/vocabulary.ts";
export type {
  ArtifactDefinition,
  AskDefinition,
  GateDefinition,
  MachineDefinition,
  ModeDefinition,
  RoleDefinition,
  StateDefinition as MachineStateDefinition,
} from "./machine/definition.ts";
export { lowerMachine, machineRoot } from "./machine/lower.ts";
export {
  importKey,
  renderDiagnostic,
  sourceCodes as dialectsCodes,
  type ExpressionChecker,
  type ImportNode,
  type LoweredWorkflow as LoadedSteps,
  type References,
  type RenderOptions,
  type SourceFile,
  type SourceSet as StepsSet,
  type WorkflowInfo,
  type WorkflowReference,
  type Zone,
} from "../source/index.ts";

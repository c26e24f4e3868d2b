/**
 * Machines: a YAML file in, a definition and a program out. `parse-machine.ts` reads and checks, `lower.ts` lowers, `formats/` reads and
 * writes the files of a session, `explain/` draws the states. Never reads a file itself. Begin with `parse-machine.ts`; the keys are in `shape/`.
 */
export { machineEdges, type MachineEdge } from "./explain/machine-edges.ts";
export { explainMachine, machineOfProgram, renderMachineMermaid, renderMachineText } from "./explain/render-machine.ts";
export { machineJsonSchema, machineReference } from "./machine-reference.ts";
export { readAcceptance, writeAcceptance, type AcceptanceFile, type Criterion, type ReadAcceptance } from "./formats/acceptance-json.ts";
export { appendHistory, readHistory, type HistoryEntry, type ReadHistory } from "./formats/approve-design-history.ts";
export type { ChangedFile } from "./formats/changed-files.ts";
export { formatCheck, parseCheck, type Check } from "./formats/check-entry.ts";
export { conform, type Defect } from "./formats/conformity.ts";
export type { SessionFolder } from "./formats/conformity/session-view.ts";
export { contentGate, documentSections, requiredSections, type ArtifactKind, type RequiredSection } from "./formats/content-gate.ts";
export { contextFilesFor, contextMatrix, sessionsFolder, type ContextArtifact, type ContextNeed } from "./formats/context-matrix.ts";
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
} from "./formats/decision-record.ts";
export { findSection, sectionsOf, type HeadingNames, type MarkdownSection } from "./formats/markdown-sections.ts";
export { reportForm, showsReportForm } from "./formats/report-form.ts";
export type { ReviewComment, SecurityFinding } from "./formats/role-artifacts.ts";
export { checkRoleInput, type DispatchView } from "./formats/role-input.ts";
export { checkRoleOutput, statusesOf, type CheckedOutput, type OutputStatus, type RoleOutput } from "./formats/role-output.ts";
export { isSessionName, sessionName, slugOf } from "./formats/session-name.ts";
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
} from "./formats/session-vocabulary.ts";
export { criteriaIn, type SpecCriteria, type SpecCriterion } from "./formats/spec-criteria.ts";
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
} from "./formats/status-json.ts";
export { dependencyProblems, type DependencyProblem, type OrderedTask } from "./formats/task-dependencies.ts";
export { mayChange } from "./formats/task-status.ts";
export { readTasks, writeTasks, type ReadTasks, type SessionTask, type TaskFile } from "./formats/tasks-yaml.ts";
export { reviewVerdicts, verdictOf, type ReviewVerdict } from "./formats/verdict.ts";
export { choiceOf } from "./gate-choice.ts";
export { loadMachine } from "./load-machine.ts";
export { lowerMachine, machineRoot } from "./lower.ts";
export { machineLists } from "./lower/build.ts";
export type {
  ArtifactDefinition,
  AskDefinition,
  GateDefinition,
  MachineDefinition,
  ModeDefinition,
  RoleDefinition,
  StateDefinition,
} from "./machine-definition.ts";
export { parseMachine, type MachineOptions, type ParsedMachine } from "./parse-machine.ts";
export { recogniseMachine } from "./recognise-machine.ts";
export { calledByMachine, instructionsOf } from "./references.ts";

/**
 * Machines: a YAML file in, a definition and a program out. `parse-machine.ts` reads and checks, `lower.ts` lowers, `formats/` reads and
 * writes the files of a session, `explain-machine.ts` draws the states. Never reads a file itself. Begin with `parse-machine.ts`; the keys are in `shape/`.
 */
export { machineEdges, machineOfProgram, modeLines } from "./explain-machine.ts";
export { type Criterion, readAcceptance } from "./formats/acceptance-json.ts";
export { appendHistory, readHistory } from "./formats/approve-design-history.ts";
export { type Check, formatCheck } from "./formats/check-entry.ts";
export { type Defect, conform } from "./formats/conformity.ts";
export { contentGate, documentSections } from "./formats/content-gate.ts";
export { type DecisionRecord, decisionFaults, designDecision, gateAnswer, mintDecisionId } from "./formats/decisions.ts";
export { sectionsOf } from "./formats/markdown-sections.ts";
export { reportForm, showsReportForm } from "./formats/role-artifacts.ts";
export { type ChangedFile, checkRoleInput, sessionsFolder } from "./formats/role-input.ts";
export { type RoleOutput, checkRoleOutput } from "./formats/role-output.ts";
export type { SessionFolder } from "./formats/session-defects.ts";
export { isSessionName, sessionName } from "./formats/session-name.ts";
export {
  type SessionRole,
  type SessionState,
  type TaskStatus,
  repairLoops,
  sessionFiles,
  sessionRoles,
  sessionStates,
} from "./formats/session-vocabulary.ts";
export { type CompleteStatus, type RepairCounts, type SessionStatus, readStatus, writeStatus } from "./formats/status-json.ts";
export { type SessionTask, type TaskFile, readTasks, writeTasks } from "./formats/tasks-yaml.ts";
export { machineRoot } from "./lower.ts";
export { taskFailed } from "./lower/lower-step.ts";
export {
  type ArtifactDefinition,
  type AskDefinition,
  type GateDefinition,
  type MachineDefinition,
  type RoleDefinition,
  everyState,
  targetsOf,
} from "./machine-definition.ts";
export { machineDialect } from "./machine-dialect.ts";
export { choiceOf } from "./vocabulary.ts";

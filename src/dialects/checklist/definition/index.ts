/**
 * Checklists: a YAML file in, a definition and a program out. `parse-checklist.ts` reads and checks, `lower.ts` lowers;
 * `checklist-facts.ts` is what can be counted of a run. Never scans a file. Begin with `parse-checklist.ts`; the keys are in `shape/`.
 */
export type { ChecklistDefinition, EntryDefinition, ToolDefinition } from "./checklist-definition.ts";
export { checklistDialect } from "./checklist-dialect.ts";
export type {
  BatchFacts,
  BehaviourFacts,
  CalledFacts,
  ChangedSince,
  CheckDescription,
  ChecklistFacts,
  ChecklistRows,
  FileCounts,
  InstanceCounts,
  PhaseFacts,
  Severity,
  TypeCounts,
  UpgradeFacts,
  TaskFacts,
  ToolFacts,
  VerificationFacts,
  Workload,
} from "./checklist-facts.ts";
export { checklistJsonSchema } from "./checklist-reference.ts";
export { recogniseChecklist } from "./load-checklist.ts";
export type { Lists } from "./lower/build.ts";
export { type ParsedChecklist, parseChecklist } from "./parse-checklist.ts";
export { topicTools } from "./vocabulary.ts";

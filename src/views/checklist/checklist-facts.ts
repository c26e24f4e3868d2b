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
} from "../../dialects/index.ts";

/** The words that session files may hold. Their spelling is that of the files. */
export const sessionStates = [
  "INTAKE",
  "INTAKE_LEAN",
  "DESIGN",
  "APPROVE_DESIGN",
  "PLAN",
  "REVIEW_STRATEGY",
  "IMPLEMENT_LOOP",
  "INTEGRATE",
  "RELEASE",
  "DONE",
  "ASK_USER",
  "FIX_REVIEW",
  "FIX_TESTS",
  "FIX_SECURITY",
  "FIX_BUILD",
  "BLOCKED",
] as const;
export type SessionState = (typeof sessionStates)[number];

export const sessionRoles = [
  "SpecAgent",
  "Architect",
  "Planner",
  "Designer",
  "Researcher",
  "Coder",
  "Reviewer",
  "QA",
  "Security",
  "Integrator",
  "Docs",
  "Orchestrator",
] as const;
export type SessionRole = (typeof sessionRoles)[number];

export type SessionMode = "full" | "lean";

export const repairLoops = ["FIX_REVIEW", "FIX_TESTS", "FIX_SECURITY", "FIX_BUILD"] as const;
export type RepairLoop = (typeof repairLoops)[number];
/** Rounds of one repair loop for one task. */
export const repairBudget = 3;

export const decisionStatuses = ["pending", "answered", "cancelled", "skipped"] as const;
export type DecisionStatus = (typeof decisionStatuses)[number];

export const correctionStatuses = ["none", "queued", "dispatched", "completed"] as const;
export type CorrectionStatus = (typeof correctionStatuses)[number];
export const correctionRoles = ["SpecAgent", "Architect", "Designer"] as const;
export type CorrectionRole = (typeof correctionRoles)[number];

export const ciResults = ["unknown", "green", "red"] as const;
export type CiResult = (typeof ciResults)[number];

export const taskStatuses = ["not-started", "in-progress", "implemented", "completed", "blocked"] as const;
export type TaskStatus = (typeof taskStatuses)[number];
export const taskTypes = ["feat", "fix", "refactor", "chore", "test", "docs"] as const;
export type TaskType = (typeof taskTypes)[number];
export const riskFlags = ["security", "perf", "breaking-change", "none"] as const;
export type RiskFlag = (typeof riskFlags)[number];

export const reviewStrategies = ["per-batch", "single-final"] as const;

export const projectTypes = ["web", "api", "cli", "lib", "mixed"] as const;

/** The files of a session folder that have a form of their own. */
export const sessionFiles = {
  spec: "spec.md",
  acceptance: "acceptance.json",
  architecture: "architecture.md",
  tasks: "tasks.yaml",
  status: "status.json",
  report: "report.md",
  history: "approve-design-history.jsonl",
} as const;

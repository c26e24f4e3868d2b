import type { SessionRole, TaskStatus } from "./session-vocabulary.ts";

type Steps = Partial<Record<TaskStatus | "new", readonly TaskStatus[]>>;

/**
 * Which changes of a task's status a role may make besides blocking it. `new` is a task that was not there before. A Coder's file is
 * looked at when the Coder reports, so the step over `in-progress` is not always seen.
 */
const steps: Partial<Record<SessionRole, Steps>> = {
  SpecAgent: { new: ["not-started"] },
  Planner: { new: ["not-started"], blocked: ["not-started"] },
  Coder: {
    "not-started": ["in-progress", "implemented"],
    "in-progress": ["implemented"],
    implemented: ["in-progress"],
    blocked: ["in-progress"],
  },
  Orchestrator: {
    new: ["not-started"],
    implemented: ["completed", "in-progress"],
    completed: ["in-progress"],
    blocked: ["not-started", "in-progress"],
  },
};

/** Whether a role may turn one status into another; null is a task that was not there before. Leaving it as it is is allowed to all. */
export function mayChange(role: SessionRole, from: TaskStatus | null, to: TaskStatus): boolean {
  if (from === to) return true;
  if (to === "blocked") return from !== null && (from !== "completed" || role === "Orchestrator");
  return steps[role]?.[from ?? "new"]?.includes(to) ?? false;
}

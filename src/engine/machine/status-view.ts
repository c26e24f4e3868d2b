import type { JsonObject } from "../../base/index.ts";
import { sessionStates } from "../../dialects/index.ts";
import type { CompleteStatus, DecisionRecord, SessionState, SessionTask, TaskFile, TaskStatus } from "../../dialects/index.ts";
import type { MachineMemory } from "./machine-memory.ts";
import type { MachineRun } from "./machine-run.ts";

export interface StatusFacts {
  readonly run: MachineRun;
  readonly memory: MachineMemory;
  /** The state that is shown unless a question is open. */
  readonly state: string;
  readonly at: string;
}

/** `status.json` as a view of the run: an open question shows as the state it is asked in. */
export function statusOf({ run, memory, state, at }: StatusFacts): CompleteStatus {
  const { flags, tracking } = memory;
  return {
    current_state: shownState(memory, state) as SessionState,
    session: run.session,
    assumptions: memory.assumptions,
    known_issues: memory.known_issues,
    user_decisions: memory.decisions,
    gate_tracking:
      tracking === null
        ? null
        : {
            correction_status: tracking.correction_status,
            last_correction_dispatch: {
              agent: tracking.agent as "Architect" | null,
              task_id: tracking.agent === null ? null : "meta",
              at: tracking.at,
            },
            kept: {},
          },
    runtime_flags: flags === null ? null : { ...flags, kept: {} },
    retry_counts: memory.retry_counts,
    last_ci_result: memory.ci,
    last_update: at,
    blocker: memory.blocker,
    notes: memory.notes,
    kept: { ...memory.kept, ...ownMachine(run) },
  };
}

/** A machine with states of its own says whose they are, so that nobody takes them for the documented ones. */
function ownMachine({ definition }: MachineRun): JsonObject {
  const states = Object.entries(definition.states).map(([name, { shownAs }]) => shownAs ?? name);
  return states.every((name) => (sessionStates as readonly string[]).includes(name)) ? {} : { machine: definition.name };
}

/** BLOCKED while nothing goes on without a person; the gate's own name, or ASK_USER, while a question is open. */
export function shownState({ blocker, decisions }: MachineMemory, state: string): string {
  if (blocker !== null) return "BLOCKED";
  const open = decisions.findLast((record) => record.status === "pending");
  if (open === undefined) return state;
  return /^UD-\d+$/.test(open.decision_id) ? "ASK_USER" : open.state_context;
}

interface PlanRow {
  readonly task: SessionTask;
  readonly label: string;
  readonly status: string;
}

/** `tasks.yaml` with the statuses of the worklist; what was cut is no part of it. */
export function planOf(memory: MachineMemory, rows: readonly PlanRow[]): TaskFile {
  const plan = (memory.plan ?? {}) as unknown as Partial<Pick<TaskFile, "project" | "kept">>;
  return {
    project: plan.project ?? { name: "", definition_of_done: [], kept: {} },
    tasks: rows.flatMap(({ task, label, status }) => (status === "skipped" ? [] : [{ ...task, status: label as TaskStatus }])),
    kept: plan.kept ?? {},
  };
}

/** Records with one added, or the one of its id replaced in place. */
export function withRecord(records: readonly DecisionRecord[], record: DecisionRecord): readonly DecisionRecord[] {
  const at = records.findIndex(({ decision_id }) => decision_id === record.decision_id);
  return at < 0 ? [...records, record] : records.with(at, record);
}

import { isList, isObject, own, type Diagnostic, type Json } from "../../../../../base/index.ts";
import { gateDecisions } from "../decision-record.ts";
import { repairBudget, repairLoops, sessionFiles, type SessionState } from "../session-vocabulary.ts";
import type { SessionStatus } from "../status-json.ts";
import type { SessionView } from "./session-view.ts";

const mostAssumptions = 25;
const asking: readonly SessionState[] = ["ASK_USER", "APPROVE_DESIGN", "REVIEW_STRATEGY", "BLOCKED"];

/** What a status says that cannot be, although each of its values is as documented. */
export function withinStatus(view: SessionView, status: SessionStatus): readonly (Diagnostic | undefined)[] {
  return [...decisions(status), ...ends(status), ...budgets(status), assumptions(status), contradictions(view, status)];
}

function defect(severity: Diagnostic["severity"], code: string, message: string, fix: string): Diagnostic {
  return { code, severity, message, fix, place: { file: sessionFiles.status, line: 1, column: 1 } };
}

function decisions({ current_state: state, user_decisions, notes }: SessionStatus): readonly (Diagnostic | undefined)[] {
  const pending = user_decisions.filter(({ status }) => status === "pending");
  const ids = pending.map(({ decision_id }) => `\`${decision_id}\``).join(", ");
  const openNotes = notes.filter((note) => isObject(note) && note["status"] === "pending").length;
  if (state === "DONE")
    return pending.length + openNotes === 0
      ? []
      : [
          defect(
            "error",
            "MACHINE_DONE_PENDING",
            `The session is DONE, but decisions are pending: ${ids === "" ? "in notes" : ids}.`,
            "Ask them, or close them with a reason.",
          ),
        ];
  if (state === null) return [];
  if (pending.length > 0 && !asking.includes(state))
    return [
      defect(
        "error",
        "MACHINE_LEFT_PENDING",
        `The session continued to ${state} while decisions are pending: ${ids}.`,
        "Ask them before anything else.",
      ),
    ];
  const gate = Object.entries(gateDecisions).find(([, own]) => own === state)?.[0];
  const recorded = gate === undefined ? pending.length > 0 : user_decisions.some(({ decision_id }) => decision_id === gate);
  if (recorded || !asking.includes(state) || state === "BLOCKED") return [];
  return [
    defect(
      "error",
      "MACHINE_QUESTION_UNRECORDED",
      `The session waits in ${state}, but no record says for which answer.`,
      "Write the pending record before asking.",
    ),
  ];
}

function ends({ current_state, last_ci_result, blocker, known_issues }: SessionStatus): readonly (Diagnostic | undefined)[] {
  if (current_state === "DONE" && last_ci_result === "red")
    return [defect("error", "MACHINE_DONE_RED", "The session is DONE, but the last build was red.", "Go back to INTEGRATE.")];
  const explained = blocker !== null ? `${blocker.code}${blocker.detail}`.trim() !== "" : known_issues.length > 0;
  if (current_state === "BLOCKED" && !explained)
    return [
      defect(
        "error",
        "MACHINE_BLOCKED_UNEXPLAINED",
        "The session is BLOCKED without a reason.",
        "Add `blocker` with `code`, `detail` and `recovery`.",
      ),
    ];
  return [];
}

function budgets({ retry_counts }: SessionStatus): readonly Diagnostic[] {
  return Object.entries(retry_counts).flatMap(([task, counts]) =>
    repairLoops
      .filter((loop) => counts[loop] > repairBudget)
      .map((loop) =>
        defect(
          "error",
          "MACHINE_BUDGET_EXCEEDED",
          `\`${task}\` went through ${loop} ${counts[loop]} times; ${repairBudget} are allowed before a person is asked.`,
          "Ask a person how to continue.",
        ),
      ),
  );
}

const logEntry =
  /^\W*\d{4}-\d\d-\d\d|^\W*\d{1,2}:\d\d\b|\b[A-Z]{4,}(?:_[A-Z]+)? ?(?:->|→)|\bT-\w+ (?:is |was )?(?:completed|implemented|started|done)\b/;

function assumptions({ assumptions: list }: SessionStatus): Diagnostic | undefined {
  const entries = list.filter((text) => logEntry.test(text)).length;
  if (list.length <= mostAssumptions && entries < 3) return undefined;
  const message = `\`assumptions\` has ${list.length} entries and is used as a log.`;
  return defect("warning", "MACHINE_ASSUMPTIONS_LOG", message, "Keep only what is assumed; what happened is in the journal.");
}

/** Task statuses of other keys that say something else than `tasks.yaml`, which alone counts. */
function contradictions({ tasks }: SessionView, { kept }: SessionStatus): Diagnostic | undefined {
  const real = new Map(tasks?.file?.tasks.map(({ id, status }) => [id, status]));
  if (real.size === 0) return undefined;
  const listed = own(kept, "completed_tasks");
  const claims: [string, Json][] = isList(listed)
    ? listed.flatMap((id): [string, Json][] => (typeof id === "string" ? [[id, "completed"]] : []))
    : [];
  for (const key of ["tasks", "task_status", "task_statuses"]) {
    const map = own(kept, key);
    if (isObject(map)) claims.push(...Object.entries(map));
  }
  const wrong = claims.filter(([id, said]) => real.has(id) && typeof said === "string" && said !== real.get(id)).map(([id]) => `\`${id}\``);
  if (wrong.length === 0) return undefined;
  const message = `\`status.json\` says something else than \`tasks.yaml\` about ${[...new Set(wrong)].slice(0, 8).join(", ")}.`;
  return defect("warning", "MACHINE_STATUS_CONTRADICTS", message, "Remove it; task statuses are in `tasks.yaml` only.");
}

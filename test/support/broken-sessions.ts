/** Sessions that break the documented form, one for each kind of defect, and a whole one that keeps it. */
import type { Json, JsonObject } from "../../src/base/index.ts";
import type { SessionFolder } from "../../src/dialects/machine/definition/index.ts";

export const folder = "2026-03-02_fix-login";
export const at = "2026-03-02T10:15:00.000Z";
export const gate = (decision_id: string, answer: string, state_context: string): JsonObject => ({
  decision_id,
  question: "q",
  status: "answered",
  answer,
  asked_at: at,
  resolved_at: at,
  resolution_reason: null,
  state_context,
});
export const approved = gate("UD-APPROVE-DESIGN", "approved", "APPROVE_DESIGN");
export const strategy = gate("UD-REVIEW-STRATEGY", "per-batch", "REVIEW_STRATEGY");
export const pending = (id = "UD-1", state = "IMPLEMENT_LOOP"): JsonObject => ({
  ...gate(id, "", state),
  status: "pending",
  answer: null,
  resolved_at: null,
});
const statusJson: JsonObject = {
  current_state: "IMPLEMENT_LOOP",
  session: folder,
  assumptions: ["One database."],
  known_issues: [],
  user_decisions: [approved, strategy],
  retry_counts: { "T-001": { FIX_REVIEW: 1, FIX_TESTS: 0, FIX_SECURITY: 0, FIX_BUILD: 0 } },
  last_ci_result: "green",
  last_update: at,
};
export const tasksYaml = `project:
  name: shop
  definition_of_done: [green]
tasks:
  - id: T-001
    status: completed
    type: feat
    title: Log in
    depends_on: []
    goal: People log in.
    acceptance_checks: ["cmd: npm test"]
    risk_flags: [security]
    done_when: [tests pass]
  - id: T-002
    status: completed
    type: test
    title: More
    depends_on: [T-001]
    goal: Test it.
    acceptance_checks: ["manual: look"]
    risk_flags: [none]
    done_when: [looked at]
`;
const acceptanceJson: JsonObject = { acceptance_criteria: [{ id: "AC-001", description: "d", verify: ["cmd: npm test"] }] };
export const good: Readonly<Record<string, string>> = {
  "status.json": JSON.stringify(statusJson, null, 2),
  "tasks.yaml": tasksYaml,
  "acceptance.json": JSON.stringify(acceptanceJson),
  "spec.md": "# Login\n\n## Goals\nx\n\n## Acceptance Criteria\n- AC-001: x is y.\n\n## Definition of Done\nz\n",
  "architecture.md": "# Overview\nx\n\n# Modules\ny\n",
  "report.md": "# What was done\na\n# How to run\nb\n# How to test\nc\n# Known issues\nNone.\n",
};

type Change = Partial<Record<keyof typeof good, string | undefined>>;
export const session = (change: Change = {}, more: Partial<SessionFolder> = {}): SessionFolder => {
  const files = Object.entries({ ...good, ...change }).filter((pair): pair is [string, string] => pair[1] !== undefined);
  return { folder, files: Object.fromEntries(files), ...more };
};
export const status = (fields: Readonly<Record<string, Json | undefined>>, change: Change = {}): SessionFolder =>
  session({ "status.json": JSON.stringify({ ...statusJson, ...fields }), ...change });
export const tasks = (from: string, to: string): SessionFolder => session({ "tasks.yaml": tasksYaml.replace(from, to) });
const criterion = (fields: JsonObject): SessionFolder => session({ "acceptance.json": JSON.stringify({ acceptance_criteria: [fields] }) });
export const spec = (from: string | RegExp, to: string): SessionFolder => session({ "spec.md": good["spec.md"]?.replace(from, to) });
const decisions = (...list: Json[]): SessionFolder => status({ user_decisions: [approved, strategy, ...list] });
const sentBack = {
  current_state: "APPROVE_DESIGN",
  user_decisions: [gate("UD-APPROVE-DESIGN", "changes-requested: smaller", "APPROVE_DESIGN")],
};

/** One sample of each kind: the session, the file it is told for, and whether it can be repaired. */
export const samples: Readonly<Record<string, [sample: SessionFolder, file: string, repair: boolean]>> = {
  MACHINE_BYTE_MARK: [session({ "spec.md": `\uFEFF${good["spec.md"]}` }), "spec.md", true],
  MACHINE_LINE_ENDINGS: [session({ "tasks.yaml": tasksYaml.replaceAll("\n", "\r\n") }), "tasks.yaml", true],
  MACHINE_SYNTAX: [session({ "status.json": "{ nope" }), "status.json", false],
  MACHINE_UNQUOTED: [tasks('["cmd: npm test"]', "\n      - cmd: curl -H 'Accept: text' x"), "tasks.yaml", true],
  MACHINE_DUPLICATE_KEY: [tasks("    type: feat\n", "    type: feat\n    type: fix\n"), "tasks.yaml", false],
  MACHINE_FORBIDDEN_KEY: [
    session({ "acceptance.json": JSON.stringify(acceptanceJson).replace("{", '{"__proto__":1,') }),
    "acceptance.json",
    false,
  ],
  MACHINE_TOO_DEEP: [session({ "acceptance.json": "[".repeat(200) }), "acceptance.json", false],
  MACHINE_TIME_FORM: [status({ last_update: "2026-03-02T10:15:00.1234567+02:00" }), "status.json", true],
  MACHINE_MISSING_KEY: [status({ known_issues: undefined }), "status.json", true],
  MACHINE_WRONG_TYPE: [status({ assumptions: 4 }), "status.json", false],
  MACHINE_UNKNOWN_WORD: [tasks("status: completed", "status: finished"), "tasks.yaml", false],
  MACHINE_WORD_FORM: [tasks("status: completed", "status: Completed"), "tasks.yaml", true],
  MACHINE_LIST_FORM: [tasks("[looked at]", "looked at"), "tasks.yaml", true],
  MACHINE_FOREIGN_KEY: [status({ previous_session: "x" }), "status.json", false],
  MACHINE_ID_FORM: [tasks("T-002", "T-012r"), "tasks.yaml", false],
  MACHINE_DUPLICATE_ID: [tasks("T-002", "T-001"), "tasks.yaml", true],
  MACHINE_DECISION_ALIAS: [
    decisions({ ...gate("", "a", "PLAN"), decision_id: undefined, id: "UD-3" } as unknown as Json),
    "status.json",
    true,
  ],
  MACHINE_DECISION_NOTE: [decisions("approved by chat"), "status.json", true],
  MACHINE_DECISION_INVALID: [
    status({ current_state: "ASK_USER", user_decisions: [approved, strategy, { ...pending(), answer: "x" }] }),
    "status.json",
    true,
  ],
  MACHINE_TRACKING_FORM: [status({ gate_tracking: { APPROVE_DESIGN: "completed" } }), "status.json", true],
  MACHINE_RETRY_COUNTS: [status({ retry_counts: { "T-001": { FIX_REVIEW: 1 } } }), "status.json", true],
  MACHINE_CHECK_MAP: [tasks('["cmd: npm test"]', "\n      - cmd: npm test"), "tasks.yaml", true],
  MACHINE_CHECK_PREFIX: [tasks('"manual: look"', '"unit: look"'), "tasks.yaml", true],
  MACHINE_CHECK_EMPTY: [tasks('"manual: look"', '"manual: look", "cmd:"'), "tasks.yaml", true],
  MACHINE_TASK_ALIAS: [tasks("depends_on: [T-001]", "deps: [T-001]"), "tasks.yaml", true],
  MACHINE_TASK_IGNORED: [tasks("type: feat", "type: feat\n    owner: me"), "tasks.yaml", false],
  MACHINE_TASK_STATUS: [tasks("    status: completed\n", ""), "tasks.yaml", true],
  MACHINE_TASK_INCOMPLETE: [tasks("    goal: Test it.\n", ""), "tasks.yaml", false],
  MACHINE_PROJECT_FORM: [tasks("project:\n  name: shop\n  definition_of_done: [green]", "project: shop"), "tasks.yaml", true],
  MACHINE_DEPENDENCY_UNKNOWN: [tasks("[T-001]", "[T-009]"), "tasks.yaml", false],
  MACHINE_DEPENDENCY_CYCLE: [tasks("depends_on: []", "depends_on: [T-002]"), "tasks.yaml", false],
  MACHINE_NOTHING_LISTED: [session({ "acceptance.json": '{"acceptance_criteria":[]}' }), "acceptance.json", false],
  MACHINE_LEAN_TASKS: [status({ mode: "lean" }), "tasks.yaml", false],
  MACHINE_CRITERION_ALIAS: [criterion({ id: "AC-001", description: "d", commands: ["npm test"], area: "web" }), "acceptance.json", true],
  MACHINE_CRITERION_INCOMPLETE: [criterion({ id: "AC-001", verify: ["x"] }), "acceptance.json", false],
  MACHINE_FILE_MISSING: [session({ "architecture.md": undefined }), "architecture.md", false],
  MACHINE_SECTION_MISSING: [spec("## Goals\nx\n", ""), "spec.md", false],
  MACHINE_SECTION_EMPTY: [spec("## Goals\nx\n", "## Goals\nTODO\n"), "spec.md", false],
  MACHINE_HEADING_FORM: [spec("## Goals", "## 1. Goals"), "spec.md", true],
  MACHINE_HEADINGS_UNKNOWN: [session({ "architecture.md": "# Aperçu\nx\n# Pièces\ny\n" }), "architecture.md", false],
  MACHINE_CRITERION_UNTESTABLE: [spec("AC-001: ", ""), "spec.md", false],
  MACHINE_HISTORY_LINE: [session({ "approve-design-history.jsonl": '{"at":' }), "approve-design-history.jsonl", false],
  MACHINE_HISTORY_MISSING: [status(sentBack), "approve-design-history.jsonl", true],
  MACHINE_CORRECTION_UNTRACKED: [status(sentBack), "status.json", true],
  MACHINE_DONE_OPEN_TASKS: [
    status({ current_state: "DONE" }, { "tasks.yaml": tasksYaml.replace("completed", "implemented") }),
    "tasks.yaml",
    false,
  ],
  MACHINE_DONE_PENDING: [status({ current_state: "DONE", user_decisions: [approved, strategy, pending()] }), "status.json", false],
  MACHINE_DONE_RED: [status({ current_state: "DONE", last_ci_result: "red" }), "status.json", false],
  MACHINE_STATE_AHEAD: [
    status({ current_state: "FIX_BUILD" }, { "tasks.yaml": tasksYaml.replace("completed", "not-started") }),
    "tasks.yaml",
    false,
  ],
  MACHINE_GATE_UNRECORDED: [
    status({ user_decisions: [strategy, { id: "UD-APPROVE-DESIGN", decision: "approved" }] }),
    "status.json",
    false,
  ],
  MACHINE_GATE_NOT_PASSED: [
    status({ user_decisions: [gate("UD-APPROVE-DESIGN", "approved? no, stop", "APPROVE_DESIGN"), strategy] }),
    "status.json",
    false,
  ],
  MACHINE_LEFT_PENDING: [decisions(pending()), "status.json", false],
  MACHINE_QUESTION_UNRECORDED: [status({ current_state: "ASK_USER" }), "status.json", false],
  MACHINE_BUDGET_EXCEEDED: [
    status({ retry_counts: { meta: { FIX_REVIEW: 4, FIX_TESTS: 0, FIX_SECURITY: 0, FIX_BUILD: 0 } } }),
    "status.json",
    false,
  ],
  MACHINE_ASSUMPTIONS_LOG: [
    status({ assumptions: ["2026-03-02 10:00 began", "T-001 completed", "PLAN -> REVIEW_STRATEGY", "One database"] }),
    "status.json",
    false,
  ],
  MACHINE_STATUS_CONTRADICTS: [
    status({ completed_tasks: ["T-001"] }, { "tasks.yaml": tasksYaml.replace("completed", "in-progress") }),
    "status.json",
    false,
  ],
  MACHINE_BLOCKED_UNEXPLAINED: [status({ current_state: "BLOCKED" }), "status.json", false],
  MACHINE_SESSION_NAME: [session({}, { folder: "My Session" }), "", false],
  MACHINE_SESSION_DIFFERS: [status({ session: "2025-01-01_old-one" }), "status.json", true],
};

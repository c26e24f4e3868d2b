import { defined, isList, isObject, own, textOf, type Diagnostic, type Json } from "../../../../base/index.ts";
import { readAcceptance, type ReadAcceptance } from "./acceptance-json.ts";
import { readHistory, type ReadHistory } from "./approve-design-history.ts";
import { designDecision, gateAnswer, gateDecisions, passesGate } from "./decisions.ts";
import type { HeadingNames } from "./markdown-sections.ts";
import { isSessionName } from "./session-name.ts";
import { repairBudget, repairLoops, sessionFiles, sessionStates, type SessionMode, type SessionState } from "./session-vocabulary.ts";
import { readStatus, type ReadStatus, type SessionStatus } from "./status-json.ts";
import { readTasks, type ReadTasks } from "./tasks-yaml.ts";

/** The files of one session, as they were read from disk. */
export interface SessionFolder {
  /** The name of the folder, if it is known. */
  readonly folder?: string;
  /** Text by path, relative to the folder. */
  readonly files: Readonly<Record<string, string>>;
  /** What required sections are called in this session. */
  readonly headings?: HeadingNames;
  /** The time to put where a file must have one and has none; without it such a file is not repaired. */
  readonly now?: string;
}

/** A session folder with the files that have a form, read. */
export interface SessionView {
  readonly folder: SessionFolder;
  readonly status?: ReadStatus;
  readonly tasks?: ReadTasks;
  readonly acceptance?: ReadAcceptance;
  readonly history?: ReadHistory;
}

export function viewOf(folder: SessionFolder): SessionView {
  const read = <T>(path: string, reader: (text: string) => T): T | undefined => {
    const text = own(folder.files, path);
    return text === undefined ? undefined : reader(text);
  };
  const status = read(sessionFiles.status, readStatus);
  const tasks = read(sessionFiles.tasks, readTasks);
  const acceptance = read(sessionFiles.acceptance, readAcceptance);
  return { folder, ...defined({ status, tasks, acceptance, history: read(sessionFiles.history, readHistory) }) };
}

/** What the status says; where it does not, a session with one task and no architecture is a lean one. */
export function modeOf({ folder, status, tasks }: SessionView): SessionMode {
  const said = status?.status === undefined ? undefined : own(status.status.kept, "mode");
  if (said === "lean" || said === "full") return said;
  if (status?.status?.current_state === "INTAKE_LEAN") return "lean";
  const single = tasks?.file?.tasks.length === 1;
  return single && !Object.hasOwn(folder.files, sessionFiles.architecture) ? "lean" : "full";
}

/** The states of the full mode, in the order that sessions take. */
const order = sessionStates.slice(0, sessionStates.indexOf("ASK_USER")).filter((state) => state !== "INTAKE_LEAN");

/** The state of the full order that a session has come to; a question counts as the state that asked it. Undefined when nothing says so. */
function reachedState({ status }: SessionView): SessionState | undefined {
  const said = status?.status?.current_state ?? undefined;
  const asked = status?.status?.user_decisions.findLast((each) => each.status === "pending");
  const state = said === "ASK_USER" ? asked?.state_context : said;
  if (state === "INTAKE_LEAN") return "INTAKE";
  if (state === "FIX_BUILD") return "INTEGRATE";
  if (state?.startsWith("FIX_") === true) return "IMPLEMENT_LOOP";
  return order.find((each) => each === state);
}

function isPast(state: SessionState | undefined, other: SessionState): boolean {
  const places: readonly string[] = order;
  return state !== undefined && places.indexOf(state) > places.indexOf(other);
}

/** Takes what is wrong with a file of the session as a whole. */
interface Findings {
  readonly error: (file: string, code: string, message: string, fix: string) => void;
  readonly warn: (file: string, code: string, message: string, fix: string) => void;
}

/** What no file shows alone: states that were left too early, gates that were never asked, files that are not there. */
export function acrossFiles(view: SessionView): readonly Diagnostic[] {
  const found: Diagnostic[] = [];
  const add =
    (severity: Diagnostic["severity"]): Findings["error"] =>
    (file, code, message, fix) =>
      found.push({ code, severity, message, fix, place: { file, line: 1, column: 1 } });
  const findings = { error: add("error"), warn: add("warning") };
  checkNames(findings, view);
  checkFiles(findings, view);
  const status = view.status?.status;
  if (status === undefined) return found;
  checkTasks(findings, view, status);
  checkGates(findings, view, status);
  checkCorrections(findings, view, status);
  checkDecisions(findings, status);
  checkEnds(findings, status);
  checkBudgets(findings, status);
  checkAssumptions(findings, status);
  checkContradictions(findings, view, status);
  return found;
}

function checkNames({ warn }: Findings, { folder: { folder: name }, status }: SessionView): void {
  if (name === undefined) return;
  const said = status?.status?.session ?? name;
  if (!isSessionName(name)) {
    const message = `The folder \`${name}\` is not named like \`2026-03-02_fix-login\`.`;
    warn("", "MACHINE_SESSION_NAME", message, "Leave it as it is; new sessions get such a name.");
  }
  const message = `\`session\` is \`${said}\`, but the folder is \`${name}\`.`;
  if (said !== name) warn(sessionFiles.status, "MACHINE_SESSION_DIFFERS", message, "Write the name of the folder.");
}

/** Which files a state must have left behind. */
function checkFiles({ error }: Findings, view: SessionView): void {
  const { files } = view.folder;
  const lean = modeOf(view) === "lean";
  const state = reachedState(view);
  const due: readonly [string, SessionState | undefined][] = [
    [sessionFiles.spec, "INTAKE"],
    [sessionFiles.acceptance, "INTAKE"],
    [sessionFiles.architecture, lean ? undefined : "DESIGN"],
    [sessionFiles.tasks, lean ? "INTAKE" : "PLAN"],
    [sessionFiles.report, "RELEASE"],
  ];
  const code = "MACHINE_FILE_MISSING";
  for (const [file, from] of due) {
    if (from === undefined || !isPast(state, from) || Object.hasOwn(files, file)) continue;
    error(file, code, `\`${file}\` is missing, although the session has come to ${state}.`, `Let the role of ${from} write it.`);
  }
  const { status } = sessionFiles;
  if (!Object.hasOwn(files, status))
    error(status, code, `\`${status}\` is missing: nothing says where the session is.`, "Start the session again, or write the file.");
}

function checkTasks({ error }: Findings, view: SessionView, status: SessionStatus): void {
  const tasks = view.tasks?.file?.tasks ?? [];
  const open = tasks.filter(({ status: each }) => each !== "completed").map(({ id }) => `\`${id}\``);
  const state = reachedState(view);
  if (open.length === 0 || !isPast(state, "IMPLEMENT_LOOP")) return;
  const list = `${open.slice(0, 8).join(", ")}${open.length > 8 ? ` and ${open.length - 8} more` : ""}`;
  const done = status.current_state === "DONE";
  const message = `The session ${done ? "is DONE" : `has come to ${state}`}, but these tasks are not completed: ${list}.`;
  const fix = "Go back to IMPLEMENT_LOOP; only there tasks are completed.";
  error(sessionFiles.tasks, done ? "MACHINE_DONE_OPEN_TASKS" : "MACHINE_STATE_AHEAD", message, fix);
}

function checkGates({ error }: Findings, view: SessionView, status: SessionStatus): void {
  if (modeOf(view) === "lean") return;
  const state = reachedState(view);
  for (const [id, gate] of Object.entries(gateDecisions)) {
    const record = status.user_decisions.find(({ decision_id }) => decision_id === id);
    if (!isPast(state, gate) || passesGate(record)) continue;
    const said = record?.answer ?? null;
    const answer = said === null ? "has no answer" : `was answered \`${said.slice(0, 60)}\``;
    const what = record === undefined ? "was never recorded" : `is ${record.status} and ${answer}`;
    const message = `The session has come to ${state}, but \`${id}\` ${what}.`;
    const code = record === undefined ? "MACHINE_GATE_UNRECORDED" : "MACHINE_GATE_NOT_PASSED";
    error(sessionFiles.status, code, message, `Ask ${gate} again; a person answers it.`);
  }
}

/** A design that was sent back keeps the reason, and says how far its correction is. */
function checkCorrections({ error, warn }: Findings, { history }: SessionView, status: SessionStatus): void {
  const record = status.user_decisions.find(({ decision_id }) => decision_id === designDecision);
  if (record?.status !== "answered" || gateAnswer(designDecision, record.answer) !== "changes") return;
  const kept = history?.entries.some(({ decision_id, answer }) => decision_id === designDecision && answer === record.answer) === true;
  if (!kept) {
    const message = "The design was sent back, but the history does not hold this round.";
    error(sessionFiles.history, "MACHINE_HISTORY_MISSING", message, "Add the line of this round.");
  }
  if ((status.gate_tracking?.correction_status ?? "none") !== "none") return;
  const message = "The design was sent back, but nothing says whether the correction was given to a role.";
  warn(sessionFiles.status, "MACHINE_CORRECTION_UNTRACKED", message, "Set `correction_status` to `queued`.");
}

const asking: readonly SessionState[] = ["ASK_USER", "APPROVE_DESIGN", "REVIEW_STRATEGY", "BLOCKED"];

function checkDecisions({ error }: Findings, { current_state: state, user_decisions, notes }: SessionStatus): void {
  if (state === null) return;
  const pending = user_decisions.filter(({ status }) => status === "pending");
  const ids = pending.map(({ decision_id }) => `\`${decision_id}\``).join(", ");
  const openNotes = notes.some((note) => isObject(note) && note["status"] === "pending");
  const say = (code: string, message: string, fix: string): void => error(sessionFiles.status, code, message, fix);
  if (state === "DONE") {
    const message = `The session is DONE, but decisions are pending: ${ids === "" ? "in notes" : ids}.`;
    if (pending.length > 0 || openNotes) say("MACHINE_DONE_PENDING", message, "Ask them, or close them with a reason.");
  } else if (pending.length > 0 && !asking.includes(state)) {
    const message = `The session continued to ${state} while decisions are pending: ${ids}.`;
    say("MACHINE_LEFT_PENDING", message, "Ask them before anything else.");
  } else {
    const gate = Object.entries(gateDecisions).find(([, own]) => own === state)?.[0];
    const recorded = gate === undefined ? pending.length > 0 : user_decisions.some(({ decision_id }) => decision_id === gate);
    if (recorded || !asking.includes(state) || state === "BLOCKED") return;
    const message = `The session waits in ${state}, but no record says for which answer.`;
    say("MACHINE_QUESTION_UNRECORDED", message, "Write the pending record before asking.");
  }
}

function checkEnds({ error }: Findings, { current_state, last_ci_result, blocker, known_issues }: SessionStatus): void {
  if (current_state === "DONE" && last_ci_result === "red")
    error(sessionFiles.status, "MACHINE_DONE_RED", "The session is DONE, but the last build was red.", "Go back to INTEGRATE.");
  const explained = blocker !== null ? `${blocker.code}${blocker.detail}`.trim() !== "" : known_issues.length > 0;
  if (current_state !== "BLOCKED" || explained) return;
  const fix = "Add `blocker` with `code`, `detail` and `recovery`.";
  error(sessionFiles.status, "MACHINE_BLOCKED_UNEXPLAINED", "The session is BLOCKED without a reason.", fix);
}

function checkBudgets({ error }: Findings, { retry_counts }: SessionStatus): void {
  for (const [task, counts] of Object.entries(retry_counts))
    for (const loop of repairLoops.filter((each) => counts[each] > repairBudget)) {
      const message = `\`${task}\` went through ${loop} ${counts[loop]} times; ${repairBudget} are allowed before a person is asked.`;
      error(sessionFiles.status, "MACHINE_BUDGET_EXCEEDED", message, "Ask a person how to continue.");
    }
}

const mostAssumptions = 25;
const logEntry =
  /^\W*\d{4}-\d\d-\d\d|^\W*\d{1,2}:\d\d\b|\b[A-Z]{4,}(?:_[A-Z]+)? ?(?:->|→)|\bT-\w+ (?:is |was )?(?:completed|implemented|started|done)\b/;

function checkAssumptions({ warn }: Findings, { assumptions: list }: SessionStatus): void {
  const entries = list.filter((text) => logEntry.test(text)).length;
  if (list.length <= mostAssumptions && entries < 3) return;
  const message = `\`assumptions\` has ${list.length} entries and is used as a log.`;
  warn(sessionFiles.status, "MACHINE_ASSUMPTIONS_LOG", message, "Keep only what is assumed; what happened is in the journal.");
}

/** Task statuses of other keys that say something else than `tasks.yaml`, which alone counts. */
function checkContradictions({ warn }: Findings, { tasks }: SessionView, { kept }: SessionStatus): void {
  const real = new Map(tasks?.file?.tasks.map(({ id, status }) => [id, status]));
  const listed = own(kept, "completed_tasks");
  const claims: [string, Json][] = (isList(listed) ? listed : []).map((id) => [textOf(id), "completed"]);
  for (const key of ["tasks", "task_status", "task_statuses"]) {
    const map = own(kept, key);
    if (isObject(map)) claims.push(...Object.entries(map));
  }
  const wrong = claims.filter(([id, said]) => real.has(id) && typeof said === "string" && said !== real.get(id)).map(([id]) => `\`${id}\``);
  if (wrong.length === 0) return;
  const message = `\`status.json\` says something else than \`tasks.yaml\` about ${[...new Set(wrong)].slice(0, 8).join(", ")}.`;
  warn(sessionFiles.status, "MACHINE_STATUS_CONTRADICTS", message, "Remove it; task statuses are in `tasks.yaml` only.");
}

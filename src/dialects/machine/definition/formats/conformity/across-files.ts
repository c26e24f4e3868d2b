import type { Diagnostic } from "../../../../../base/index.ts";
import { gateAnswer, designDecision, passesGate, strategyDecision } from "../decision-record.ts";
import { isSessionName } from "../session-name.ts";
import { sessionFiles, type SessionState } from "../session-vocabulary.ts";
import type { SessionStatus } from "../status-json.ts";
import { isPast, modeOf, reachedState, type SessionView } from "./session-view.ts";
import { withinStatus } from "./within-status.ts";

/** What no file shows alone: states that were left too early, gates that were never asked, files that are not there. */
export function acrossFiles(view: SessionView): readonly Diagnostic[] {
  const status = view.status?.status;
  const found: (Diagnostic | undefined)[] = [...names(view), ...missingFiles(view)];
  if (status !== undefined)
    found.push(...openTasks(view, status), ...gates(view, status), ...corrections(view, status), ...withinStatus(view, status));
  return found.filter((each) => each !== undefined);
}

function defect(file: string, severity: Diagnostic["severity"], words: readonly [code: string, message: string, fix: string]): Diagnostic {
  const [code, message, fix] = words;
  return { code, severity, message, fix, place: { file, line: 1, column: 1 } };
}

const { status: statusFile, tasks: tasksFile, history: historyFile } = sessionFiles;

function names({ folder, status }: SessionView): readonly (Diagnostic | undefined)[] {
  const { folder: name } = folder;
  const said = status?.status?.session ?? undefined;
  if (name === undefined) return [];
  return [
    isSessionName(name)
      ? undefined
      : defect("", "warning", [
          "MACHINE_SESSION_NAME",
          `The folder \`${name}\` is not named like \`2026-03-02_fix-login\`.`,
          "Leave it as it is; new sessions get such a name.",
        ]),
    said === undefined || said === name
      ? undefined
      : defect(statusFile, "warning", [
          "MACHINE_SESSION_DIFFERS",
          `\`session\` is \`${said}\`, but the folder is \`${name}\`.`,
          "Write the name of the folder.",
        ]),
  ];
}

/** Which files a state must have left behind. */
function missingFiles(view: SessionView): readonly (Diagnostic | undefined)[] {
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
  const found = due.map(([file, from]) =>
    from === undefined || !isPast(state, from) || Object.hasOwn(files, file)
      ? undefined
      : defect(file, "error", [
          "MACHINE_FILE_MISSING",
          `\`${file}\` is missing, although the session has come to ${state}.`,
          `Let the role of ${from} write it.`,
        ]),
  );
  if (!Object.hasOwn(files, statusFile))
    found.push(
      defect(statusFile, "error", [
        "MACHINE_FILE_MISSING",
        `\`${statusFile}\` is missing: nothing says where the session is.`,
        "Start the session again, or write the file.",
      ]),
    );
  return found;
}

function openTasks(view: SessionView, status: SessionStatus): readonly (Diagnostic | undefined)[] {
  const tasks = view.tasks?.file?.tasks ?? [];
  const open = tasks.filter(({ status: each }) => each !== "completed").map(({ id }) => `\`${id}\``);
  const state = reachedState(view);
  if (open.length === 0 || !isPast(state, "IMPLEMENT_LOOP")) return [];
  const list = `${open.slice(0, 8).join(", ")}${open.length > 8 ? ` and ${open.length - 8} more` : ""}`;
  const fix = "Go back to IMPLEMENT_LOOP; only there tasks are completed.";
  return status.current_state === "DONE"
    ? [defect(tasksFile, "error", ["MACHINE_DONE_OPEN_TASKS", `The session is DONE, but these tasks are not completed: ${list}.`, fix])]
    : [
        defect(tasksFile, "error", [
          "MACHINE_STATE_AHEAD",
          `The session has come to ${state}, but these tasks are not completed: ${list}.`,
          fix,
        ]),
      ];
}

function gates(view: SessionView, status: SessionStatus): readonly (Diagnostic | undefined)[] {
  if (modeOf(view) === "lean") return [];
  const state = reachedState(view);
  const gate = (id: string, own: SessionState): Diagnostic | undefined => {
    const record = status.user_decisions.find(({ decision_id }) => decision_id === id);
    if (!isPast(state, own) || passesGate(record)) return undefined;
    const fix = `Ask ${own} again; a person answers it.`;
    if (record === undefined)
      return defect(statusFile, "error", [
        "MACHINE_GATE_UNRECORDED",
        `The session has come to ${state}, but \`${id}\` was never recorded.`,
        fix,
      ]);
    const answer = record.answer === null ? "has no answer" : `was answered \`${record.answer.slice(0, 60)}\``;
    return defect(statusFile, "error", [
      "MACHINE_GATE_NOT_PASSED",
      `The session has come to ${state}, but \`${id}\` is ${record.status} and ${answer}.`,
      fix,
    ]);
  };
  return [gate(designDecision, "APPROVE_DESIGN"), gate(strategyDecision, "REVIEW_STRATEGY")];
}

/** A design that was sent back keeps the reason, and says how far its correction is. */
function corrections({ history }: SessionView, status: SessionStatus): readonly (Diagnostic | undefined)[] {
  const record = status.user_decisions.find(({ decision_id }) => decision_id === designDecision);
  if (record?.status !== "answered" || gateAnswer(designDecision, record.answer) !== "changes") return [];
  const kept = history?.entries.some(({ decision_id, answer }) => decision_id === designDecision && answer === record.answer) === true;
  const tracked = (status.gate_tracking?.correction_status ?? "none") !== "none";
  return [
    kept
      ? undefined
      : defect(historyFile, "error", [
          "MACHINE_HISTORY_MISSING",
          "The design was sent back, but the history does not hold this round.",
          "Add the line of this round.",
        ]),
    tracked
      ? undefined
      : defect(statusFile, "warning", [
          "MACHINE_CORRECTION_UNTRACKED",
          "The design was sent back, but nothing says whether the correction was given to a role.",
          "Set `correction_status` to `queued`.",
        ]),
  ];
}

import { defined, own } from "../../../../../base/index.ts";
import { readAcceptance, type ReadAcceptance } from "../acceptance-json.ts";
import { readHistory, type ReadHistory } from "../approve-design-history.ts";
import type { HeadingNames } from "../markdown-sections.ts";
import { sessionFiles, type SessionMode, type SessionState } from "../session-vocabulary.ts";
import { readStatus, type ReadStatus } from "../status-json.ts";
import { readTasks, type ReadTasks } from "../tasks-yaml.ts";

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
  const { files } = folder;
  const read = <T>(path: string, reader: (text: string) => T): T | undefined => {
    const text = own(files, path);
    return text === undefined ? undefined : reader(text);
  };
  const status = read(sessionFiles.status, readStatus);
  const tasks = read(sessionFiles.tasks, readTasks);
  const acceptance = read(sessionFiles.acceptance, readAcceptance);
  const history = read(sessionFiles.history, readHistory);
  return {
    folder,
    ...defined({ status, tasks, acceptance, history }),
  };
}

/** What the status says; where it does not, a session with one task and no architecture is a lean one. */
export function modeOf({ folder, status, tasks }: SessionView): SessionMode {
  const said = status?.status === undefined ? undefined : own(status.status.kept, "mode");
  if (said === "lean" || said === "full") return said;
  if (status?.status?.current_state === "INTAKE_LEAN") return "lean";
  const single = tasks?.file?.tasks.length === 1;
  return single && !Object.hasOwn(folder.files, sessionFiles.architecture) ? "lean" : "full";
}

const order: readonly SessionState[] = [
  "INTAKE",
  "DESIGN",
  "APPROVE_DESIGN",
  "PLAN",
  "REVIEW_STRATEGY",
  "IMPLEMENT_LOOP",
  "INTEGRATE",
  "RELEASE",
  "DONE",
];

/** The state of the full order that a session has come to; a question counts as the state that asked it. Undefined when nothing says so. */
export function reachedState({ status }: SessionView): SessionState | undefined {
  const state = status?.status?.current_state ?? undefined;
  if (state !== "ASK_USER") return state === undefined ? undefined : inOrder(state);
  const asked = status?.status?.user_decisions.findLast((each) => each.status === "pending");
  return asked === undefined ? undefined : inOrder(asked.state_context);
}

function inOrder(state: SessionState): SessionState | undefined {
  if (state === "INTAKE_LEAN") return "INTAKE";
  if (state === "FIX_BUILD") return "INTEGRATE";
  if (state.startsWith("FIX_")) return "IMPLEMENT_LOOP";
  return order.includes(state) ? state : undefined;
}

export function isPast(state: SessionState | undefined, other: SessionState): boolean {
  return state !== undefined && order.indexOf(state) > order.indexOf(other);
}

import { nearest, WaymarkError, type Catalogue, type Diagnostic, type JsonObject } from "../base/index.ts";
import type { Rejected } from "../kernel/index.ts";

/** Codes of the engine and of the kernel's refusals. */
export const engineCodes: Catalogue = {
  ENGINE_NO_RUN: {
    what: "There is no run with this id in the store.",
    why: "The id is mistyped, the run was removed, or it lies in another workspace's store.",
    fix: "List the runs with `waymark runs` and use an id from there.",
  },
  ENGINE_NO_WORKFLOW: {
    what: "No workflow has this name.",
    why: "The name is mistyped, or its file lies in a folder that is not searched.",
    fix: "List the workflows with `waymark list`; the message names the nearest ones and the folders searched.",
  },
  ENGINE_INVALID_WORKFLOW: {
    what: "The workflow's definition has errors, so it cannot run.",
    why: "The file breaks the rules of its dialect.",
    fix: "Run `waymark validate <name>` and mend every problem it lists.",
  },
  ENGINE_AMBIGUOUS_WORKFLOW: {
    what: "Two files of one place define the same workflow name.",
    why: "Only one file per place may carry a name.",
    fix: "Rename or remove one of the files named in the message.",
  },
  ENGINE_WRONG_INPUTS: {
    what: "The inputs do not fit what the workflow declares.",
    why: "An input is missing, unknown or of the wrong type.",
    fix: "Give the inputs as listed by `waymark info <name>`.",
  },
  ENGINE_NOT_ALLOWED: {
    what: "This project's workflow may not run commands or tools yet.",
    why: "A person has not allowed exactly this content.",
    fix: "A person runs `waymark allow <name>` after reading what it would run.",
  },
  ENGINE_UNKNOWN_LEAF: {
    what: "A program asks for something that this version cannot do.",
    why: "It was made by another version, or its dialect lacks the effect or the action it names.",
    fix: "Use the version that the workflow was written for, or a newer one.",
  },
  ENGINE_NOT_A_CHECKLIST: {
    what: "The run has no files, items or batches.",
    why: "It is a run of another kind of workflow.",
    fix: "Use the run of a checklist workflow; `waymark runs` lists them.",
  },
  ENGINE_NOT_A_BOT: {
    what: "The run is not a bot's.",
    why: "It is a run of another kind of workflow.",
    fix: "Use the run of a bot; `waymark bot tools` lists the bots.",
  },
  ENGINE_NO_BOT_PLACE: {
    what: "The bot has no such behaviour or action.",
    why: "The name is mistyped, or its folder is not there.",
    fix: "Use one of the names in the message.",
  },
  ENGINE_NO_AREA: {
    what: "No project area is chosen.",
    why: "State and log are kept there, so nothing is written before.",
    fix: "Answer the question for the project area.",
  },
  ENGINE_NEEDS_ANSWER: {
    what: "A question must be answered before the action can be closed.",
    why: "The action was interrupted, or a person has to decide something else first.",
    fix: "Answer the question that the message shows.",
  },
  ENGINE_BOT_FILE: {
    what: "The state or the log of a bot could not be written.",
    why: "The project area is read-only, full, or a link leads out of the workspace.",
    fix: "Make the project area writable and retry the run.",
  },
  ENGINE_OFF_COURSE: {
    what: "A report does not fit what is open.",
    why: "It names another file, item or action, a file outside the run or an unknown topic, or it lacks a reason.",
    fix: "Do what the message calls open, and report that.",
  },
  ENGINE_TOKEN_UNKNOWN: {
    what: "The run never gave out this confirmation token.",
    why: "It is mistyped, or belongs to another run.",
    fix: "Make a dry run of the batch and confirm with its token.",
  },
  ENGINE_TOKEN_USED: {
    what: "The confirmation token has been used.",
    why: "A token stands for one batch, which is done once.",
    fix: "Look at the run's status; make a new dry run for more.",
  },
  ENGINE_TOKEN_DEAD: {
    what: "The confirmation token no longer stands for what was shown.",
    why: "A file, the rules, the filter or the operation changed, or a day has passed.",
    fix: "Make a new dry run, show it to the person, and confirm with its token.",
  },
  ENGINE_NO_BATCH: {
    what: "The run has no such batch.",
    why: "The id is mistyped, or nothing was changed by a batch.",
    fix: "The run's status lists its batches.",
  },
  ENGINE_NO_TASK: {
    what: "The run has no task with this id.",
    why: "The task id is mistyped, or belongs to another step.",
    fix: "Use a task id from the open `parallel_tasks` step.",
  },
  ENGINE_NO_DECISION: {
    what: "The run has no question with this id.",
    why: "It was answered, cancelled, or belongs to another run.",
    fix: "Ask for the run's status to see the open questions.",
  },
  ENGINE_NO_ACTION: {
    what: "There is nothing to report on.",
    why: "The strand has no open step at the moment.",
    fix: "Ask for the next step.",
  },
  ENGINE_NO_RESULT: {
    what: "The step returns something, and the report has no result.",
    why: "It was reported without a `result`, and nothing was written to its path since it was handed out.",
    fix: "Report it again with its `result`, or as failed with the reason.",
  },
  ENGINE_WRONG_STEP: {
    what: "The reported step is not the open one.",
    why: "Reports must name the step that is open.",
    fix: "Ask for the next step and report that one.",
  },
  ENGINE_BAD_PATH: {
    what: "A state path cannot be written or read.",
    why: "Paths start with `raw.` or `state.` and name a field.",
    fix: "Correct the path as the message says.",
  },
  ENGINE_BAD_VALUE: { what: "An argument has a value that is not possible here.", why: "See the message.", fix: "Correct the argument." },
  RUN_ENDED: {
    what: "The run has ended.",
    why: "It was completed, failed or cancelled before.",
    fix: "Retry a failed run, or start a new one.",
  },
  RUN_EXISTS: { what: "The run has already been started.", why: "A run is started once.", fix: "Go on with it by its id." },
  RUN_NOT_DONE: { what: "The run cannot be completed yet.", why: "Steps or questions are still open.", fix: "Go on with the next step." },
  RUN_FAILED_BY_REQUEST: {
    what: "The run was ended as failed on request.",
    why: "Whoever drives it said so.",
    fix: "Retry it, or start a new run.",
  },
  RUN_CANCELLED: { what: "The run was cancelled.", why: "Somebody ended it.", fix: "Start a new run." },
  ACTION_NOT_OPEN: {
    what: "The reported action is not open.",
    why: "It was reported before, or taken over by another holder.",
    fix: "Ask for the next step.",
  },
  HOLDER_LOST: {
    what: "The report came from a holder that lost the strand.",
    why: "Its process ended or somebody took over.",
    fix: "Resume the run, or leave it to the new holder.",
  },
  STRAND_HELD: {
    what: "Somebody else drives this part of the run.",
    why: "Its lease is still valid.",
    fix: "Wait, or resume the run to take it over.",
  },
  NOTHING_TO_REWIND: {
    what: "This part of the run does not go through a list, so no other place in it can be chosen.",
    why: "It has not begun, has ended, or is at a step outside of the list.",
    fix: "Ask for the next step.",
  },
  NOTHING_TO_PULL: {
    what: "There is no further part of the run to hand out.",
    why: "Everything that is left is in somebody's hands, or the run is not at a place where parts are handed out.",
    fix: "Ask for the next step again later.",
  },
  STRAND_ENDED: {
    what: "This part of the run has ended.",
    why: "All its steps are done, or it was cancelled.",
    fix: "Ask for the run's status.",
  },
  STRAND_NOT_HELD: {
    what: "The strand is not held with this number.",
    why: "It was taken over or given back in between, or nobody has taken it yet.",
    fix: "Ask for the next step again.",
  },
  TASKS_OPEN: {
    what: "A step with sub-agent tasks was reported before they ended.",
    why: "It ends by itself when all tasks are done.",
    fix: "Let each task go on until it has no step left.",
  },
  EFFECT_NOT_OPEN: {
    what: "The effect is not open any more.",
    why: "It was settled or cancelled.",
    fix: "Nothing: the outcome was dropped.",
  },
  TIMER_GONE: { what: "The timer is not set any more.", why: "What it watched has ended.", fix: "Nothing." },
  TIMER_EARLY: { what: "The timer is not due yet.", why: "Clocks differ.", fix: "Nothing: it will be tried again." },
  DECISION_CLOSED: { what: "The question is not open any more.", why: "It was answered or cancelled.", fix: "Ask for the run's status." },
  DECISION_REVISED: {
    what: "The question has changed since it was shown.",
    why: "What it is about was revised.",
    fix: "Look again and answer the current revision.",
  },
  DECISION_FOR_PERSON: {
    what: "Only a person can answer this question.",
    why: "The workflow marks it so, or it is a matter of authority.",
    fix: "The person answers by `waymark decide` on a terminal, or in the client's own dialog.",
  },
  ANSWER_REFUSED: {
    what: "No valid answer was given.",
    why: "Every allowed attempt broke the question's rule.",
    fix: "Retry the run and answer as the rule says.",
  },
  VERSION_CONFLICT: {
    what: "The state has another version than expected.",
    why: "Somebody wrote in between.",
    fix: "Read again and repeat with the current version.",
  },
  STATE_WRITE: {
    what: "A value could not be written to the state.",
    why: "The path or the operation does not fit what is there.",
    fix: "Correct the path or the operation as the message says.",
  },
  SCOPE_UNKNOWN: { what: "The run has no such scope.", why: "The call it belonged to has ended.", fix: "Read the state again." },
  ENTRY_UNKNOWN: { what: "The workflow has no such entry.", why: "The name is mistyped.", fix: "Use an entry the workflow declares." },
  ENTRY_BY_PERSON: {
    what: "Only a person may start this entry.",
    why: "The workflow says so.",
    fix: "A person starts it from the command line.",
  },
  LIMITS_BY_PERSON: {
    what: "Only a person may change a run's budget.",
    why: "A budget that whoever spends it can raise would be none.",
    fix: "A person raises it.",
  },
  NOTHING_TO_RETRY: { what: "Nothing has failed or is blocked.", why: "The run goes on, or is complete.", fix: "Ask for its status." },
  LOOP_LIMIT: {
    what: "A loop did all its rounds and its condition still holds.",
    why: "`max_iterations` is reached.",
    fix: "Raise the limit, or mend the condition.",
  },
  NO_LOOP: { what: "A break or continue outside of a loop.", why: "The definition is wrong.", fix: "Put it inside a loop." },
  NO_STATE: {
    what: "A jump to a state that no enclosing machine has.",
    why: "The definition is wrong.",
    fix: "Correct the name of the state.",
  },
  MACHINE_NOT_PERSISTED: {
    what: "A file of the session could not be written, or read differently afterwards.",
    why: "The folder is read-only or full, or another program writes the same file.",
    fix: "Make the session's folder writable, then retry the run.",
  },
  MACHINE_NO_MODE: {
    what: "The machine has no such mode.",
    why: "The input `mode` names none of them.",
    fix: "Use one of the modes that are listed.",
  },
  MACHINE_NO_SESSION: {
    what: "There is no such session to go on with.",
    why: "The folder does not exist, has another form of name, or has no status file.",
    fix: "Name the folder of a session, or leave `session` out.",
  },
  MACHINE_NO_PLAN: {
    what: "The plan cannot be read.",
    why: "The file is missing or is no valid list of tasks.",
    fix: "Mend the file, then retry the run.",
  },
  MACHINE_REPORT_REFUSED: {
    what: "A role's report does not count.",
    why: "Its form is wrong, an artifact does not pass its checks, or files were changed that are not the role's.",
    fix: "Mend all that is listed, ask for the next step and report again.",
  },
  MACHINE_REPAIR_STALE: {
    what: "A session file changed after its repair was shown.",
    why: "Somebody wrote it in between.",
    fix: "Look at the session again.",
  },
  MACHINE_STATE_FIXED: {
    what: "The state of a machine cannot be written.",
    why: "Its rules would be worth nothing if whoever drives it could write that they hold.",
    fix: "Report the open step instead.",
  },
  MACHINE_NO_OUTCOME: {
    what: "A state ended and none of its outcomes holds.",
    why: "The outcomes do not cover every case.",
    fix: "Add an outcome without a condition.",
  },
  ITEMS_NOT_A_LIST: {
    what: "A loop's `items` is not a list.",
    why: "The expression gave something else.",
    fix: "Make the expression give a list.",
  },
  ITEMS_EMPTY: { what: "A loop had no items and was passed over.", why: "The list was empty.", fix: "Nothing, if that is expected." },
  ITEMS_STUCK: { what: "Items can never become ready.", why: "Their dependencies were never settled.", fix: "Mend the dependencies." },
  TASKS_FAILED: {
    what: "Tasks failed after all their tries.",
    why: "See the error of each task.",
    fix: "Mend the cause and retry the run.",
  },
  STEP_FAILED: { what: "A step failed.", why: "Whoever did it said so.", fix: "Mend the cause and retry the run." },
  STEP_EXIT: { what: "The workflow ended itself as failed.", why: "An `exit` step says so.", fix: "See its message." },
  COMMAND_FAILED: {
    what: "A command ended with an exit code other than 0, or by a signal.",
    why: "See its error output in the message.",
    fix: "Mend the cause and retry, or give the step an `on_error`.",
  },
  COMMAND_OUTPUT: {
    what: "A command's output is not what its `output_format` says.",
    why: "It could not be parsed.",
    fix: "Correct the command or the format.",
  },
  COMMAND_NOT_STARTED: { what: "A command could not be started.", why: "The shell or the folder is missing.", fix: "See the message." },
  EFFECT_LOST: {
    what: "A command was interrupted by a crash.",
    why: "Its step says `on_lost: fail`.",
    fix: "Check what it did, then retry the run.",
  },
  TOOL_FAILED: { what: "A tool call by the engine failed.", why: "The tool's server said so.", fix: "See its message." },
  TIMEOUT: { what: "A step took longer than its limit.", why: "See its `timeout`.", fix: "Raise the limit, or mend the cause." },
  WAIT_TIME: {
    what: "A wait has no usable duration.",
    why: "Its expression gave something that is not a number.",
    fix: "Correct the duration.",
  },
  LIMIT_VALUE: {
    what: "A limit of a step is not a usable number.",
    why: "Its expression gave something else, or a number that is too small.",
    fix: "Correct the expression.",
  },
  BUDGET_SPENT: {
    what: "The run's budget was used up and not raised.",
    why: "A person answered `stop`.",
    fix: "Start a new run with a larger budget.",
  },
  BLOCKED_UNTIL: {
    what: "A step waits for a time that whoever does it named.",
    why: "A limit of theirs must pass first.",
    fix: "Nothing: it is handed out again then; `waymark retry` tries at once.",
  },
  RULES_UNMET: {
    what: "The run may not complete yet.",
    why: "A completion rule does not hold.",
    fix: "Do what the message says is missing, then retry.",
  },
  COMPUTED_REFUSED: {
    what: "A computed field refused a write.",
    why: "It has `on_error: propagate` and failed on the new values.",
    fix: "Write values it can work with.",
  },
};

export function noSuchRun(id: string, known: readonly string[]): WaymarkError {
  const near = nearest(id, known);
  const hint = near.length > 0 ? ` Did you mean ${near.map((name) => `\`${name}\``).join(" or ")}?` : "";
  return new WaymarkError({
    code: "ENGINE_NO_RUN",
    message: `There is no run \`${id}\` in this workspace.${hint}`,
    fix: "List the runs (workflow_status without an id, or `waymark runs`).",
    details: { nearest: near },
  });
}

export function noSuchWorkflow(name: string, known: readonly string[], folders: readonly string[]): WaymarkError {
  const near = nearest(name, known);
  const hint = near.length > 0 ? ` Did you mean ${near.map((entry) => `\`${entry}\``).join(" or ")}?` : "";
  return new WaymarkError({
    code: "ENGINE_NO_WORKFLOW",
    message: `There is no workflow \`${name}\`.${hint} Searched: ${folders.join(", ")}.`,
    fix: "Call workflow_list (or `waymark list`) and use a name from there.",
    details: { nearest: near, folders },
  });
}

export function invalidWorkflow(name: string, diagnostics: readonly Diagnostic[]): WaymarkError {
  const errors = diagnostics.filter((problem) => problem.severity === "error");
  const lines = errors.slice(0, 5).map((problem) => `${place(problem)}${problem.message}`);
  const more = errors.length > 5 ? ` And ${errors.length - 5} more.` : "";
  return new WaymarkError({
    code: "ENGINE_INVALID_WORKFLOW",
    message: `The workflow \`${name}\` has ${errors.length} ${errors.length === 1 ? "error" : "errors"}: ${lines.join(" ")}${more}`,
    fix: `Run \`waymark validate ${name}\` to see all of them with their places.`,
    details: { diagnostics },
  });
}

export function unknownLeaf(of: {
  readonly program: string;
  readonly dialect: string;
  readonly what: string;
  readonly block: string;
}): WaymarkError {
  return new WaymarkError({
    code: "ENGINE_UNKNOWN_LEAF",
    message: `The step \`${of.block}\` of \`${of.program}\` needs \`${of.what}\`, which neither the dialect \`${of.dialect}\` nor the engine can do.`,
    fix: "Use the version of Waymark that the workflow was written for, or a newer one.",
    details: of,
  });
}

function place(problem: Diagnostic): string {
  return problem.place === undefined ? "" : `${problem.place.file}:${problem.place.line}:${problem.place.column} `;
}

export function fromRejected(rejected: Rejected): WaymarkError {
  const { code, message, fix, details } = rejected;
  return new WaymarkError({ code, message, ...(fix === undefined ? {} : { fix }), ...(details === undefined ? {} : { details }) });
}

export function refused(code: string, message: string, fix?: string, details?: JsonObject): WaymarkError {
  return new WaymarkError({ code, message, ...(fix === undefined ? {} : { fix }), ...(details === undefined ? {} : { details }) });
}

import { defined, cutText, nearest, WaymarkError, type Catalogue, type Diagnostic, type JsonObject } from "../base/index.ts";
import { kernelCodes, type Rejected } from "../kernel/index.ts";

/** Codes of the engine, of the kernel's refusals and of failed steps. */
export const engineCodes: Catalogue = {
  ...kernelCodes,
  ENGINE_NO_RUN: {
    what: "There is no run with this id in the store.",
    why: "The id is mistyped, the run was removed, or it is in another workspace's store.",
    fix: "List the runs with `waymark runs` and use an id from there.",
    next: "runs",
  },
  ENGINE_FOLDER_ELSEWHERE: {
    what: "The folder that the run, or this part of it, works in is not on this computer.",
    why: "The run has a worktree, which is on the computer that made it, or the folder was removed there.",
    fix: "Continue the run on the computer that the message names. Only where the folder was removed on that computer, end the run with `waymark abort <run>` and start a new one.",
    next: "runs",
  },
  ENGINE_NO_WORKFLOW: {
    what: "No workflow has this name.",
    why: "The name is mistyped, or its file is in a folder that is not searched.",
    fix: "List the workflows with `waymark list`; the message names the nearest ones and the folders searched.",
    next: "list",
  },
  ENGINE_INVALID_WORKFLOW: {
    what: "The workflow's definition has errors, so it cannot run.",
    why: "The file breaks the rules of its dialect.",
    fix: "Run `waymark validate <name>` and fix every problem it lists.",
    next: "list",
  },
  ENGINE_AMBIGUOUS_WORKFLOW: {
    what: "Two files of one place define the same workflow name.",
    why: "Only one file per place may carry a name.",
    fix: "Rename or remove one of the files named in the message.",
    next: "list",
  },
  ENGINE_OTHER_FOLDER: {
    what: "The workflow is in a folder that is not used, because one before it holds workflows.",
    why: "Of some folders only the first one with a valid workflow counts.",
    fix: "Move the file to the folder that the message names.",
    next: "list",
  },
  ENGINE_WORKFLOW_REPLACED: {
    what: "Two files of one folder have the same name, and the later one is used.",
    why: "In this folder a later file replaces an earlier one with the same `name`.",
    fix: "Rename or remove one of the files.",
  },
  ENGINE_WRONG_INPUTS: {
    what: "The inputs do not fit what the workflow declares.",
    why: "An input is missing, unknown or of the wrong type.",
    fix: "Give the inputs as listed by `waymark info <name>`.",
    next: "info",
  },
  ENGINE_NOT_ALLOWED: {
    what: "This project's workflow may not run commands or tools yet.",
    why: "A person has not allowed exactly this content.",
    fix: "A person runs `waymark allow <name>` after reading what it would run; then the same call begins it.",
    next: "allowed",
  },
  ENGINE_NOT_AS_PINNED: {
    what: "What is recorded as the next step is not what the workflow of the run says.",
    why: "A program other than Waymark wrote into the store: a person allows what the workflow says, and nothing else.",
    fix: "Find out who writes into the store. A command is made from the workflow again with the next step; end a run in which the step of an agent was changed (`waymark abort`).",
    next: "nothing",
  },
  ENGINE_UNKNOWN_LEAF: {
    what: "A program asks for something that this version cannot do.",
    why: "It was made by another version, or its dialect lacks the effect or the action it names.",
    fix: "Use the version that the workflow was written for, or a newer one.",
  },
  ENGINE_NO_TASK: {
    what: "The run has no task with this id.",
    why: "The task id is mistyped, or belongs to another step.",
    fix: "Use a task id from the open `parallel_tasks` step.",
    next: "status",
  },
  ENGINE_NO_DECISION: {
    what: "The run has no question with this id.",
    why: "It was answered, cancelled, or belongs to another run.",
    fix: "Ask for the next step of the run: it shows what is open now.",
    next: "next",
  },
  ENGINE_UNSEALED_ANSWER: {
    what: "The run is stopped here: an answer that only a person may give has no seal of this user's key.",
    why: "It was given with the key (`seal.key`) of another user or computer, or it was put into the store by hand.",
    fix: "Copy `seal.key` from the data folder of the computer where the person answered into the folder that the message names (docs/scale.md); your own key stays where it is. If no person answered, leave the run as it is and find out who writes into the store.",
  },
  ENGINE_NO_ACTION: {
    what: "There is nothing to report on.",
    why: "The run or the task has no open step at the moment.",
    fix: "Ask for the next step.",
    next: "next",
  },
  ENGINE_PARALLEL_CALL: {
    what: "The workflow calls another one in parallel tasks that has to run alone.",
    why: "What it did is read from the files or kept in one list of the run: the work of two calls at once would be mixed up.",
    fix: "Start it with `serial: true`, or call it in a `foreach`.",
  },
  ENGINE_NO_RESULT: {
    what: "The step returns something, and the report has no result.",
    why: "It was reported without a `result`, and nothing was written to its path since it was handed out.",
    fix: "Report it again with its `result`, or as failed with the reason.",
  },
  ENGINE_TASK_FILES: {
    what: "A step is reported as done, and files that it must leave are missing or empty.",
    why: "The step names them under `artifacts`.",
    fix: "Write the files that the message names, then report the step again.",
    next: "next",
  },
  ENGINE_TASK_RESULT: {
    what: "The result of a step does not fit what the step returns.",
    why: "The step describes its result with a JSON Schema under `returns`.",
    fix: "Correct the result as the message says and report it again.",
  },
  ENGINE_WRONG_STEP: {
    what: "The reported step is not the open one.",
    why: "Reports must name the step that is open.",
    fix: "Ask for the next step and report that one.",
    next: "next",
  },
  ENGINE_BAD_PATH: {
    what: "A state path cannot be written or read.",
    why: "Paths start with `raw.` or `state.` and name a field.",
    fix: "Correct the path as the message says.",
  },
  ENGINE_BAD_VALUE: { what: "An argument has a value that is not possible here.", why: "See the message.", fix: "Correct the argument." },
};

/** `keys`: the folder for keys of other users. */
export function unsealedAnswer(
  run: string,
  { id, question }: { readonly id: string; readonly question: string },
  keys: string,
): WaymarkError {
  return refused(
    "ENGINE_UNSEALED_ANSWER",
    `Run \`${run}\` is stopped here: the answer to \`${id}\` is in the store without a seal of a key that this user has. The question: ${cutText(question, 600)}`,
    `If a person answered on another computer or as another user, copy \`seal.key\` from there to \`${keys}/\`, under any name that ends in \`.key\` (docs/scale.md). Keep your own \`seal.key\`: your answers need it. Until then the run stays as it is. If no person answered, another program wrote into the store.`,
    { run_id: run, decision: id, keys },
  );
}

export function noSuchRun(id: string, known: readonly string[]): WaymarkError {
  const near = nearest(id, known);
  return refused(
    "ENGINE_NO_RUN",
    `There is no run \`${id}\` in this workspace.${didYouMean(near)}`,
    "List the runs (workflow_status without an id, or `waymark runs`).",
    { nearest: near },
  );
}

export function otherFolder(name: string, path: string, folder: string): WaymarkError {
  return refused(
    "ENGINE_OTHER_FOLDER",
    `\`${name}\` is in ${path}, and ${folder} is used instead: of these folders only the first one with a valid workflow counts.`,
    `Move the file to ${folder}.`,
    {},
  );
}

export function replacedFile(name: string, earlier: string, later: string): Diagnostic {
  const message = `Two files define \`${name}\`: ${earlier} and ${later}. The later one is used.`;
  const place = { file: later, line: 1, column: 1 };
  return { code: "ENGINE_WORKFLOW_REPLACED", severity: "warning", message, fix: "Rename or remove one of them.", place };
}

export function noSuchWorkflow(name: string, known: readonly string[], folders: readonly string[]): WaymarkError {
  const near = nearest(name, known);
  return refused(
    "ENGINE_NO_WORKFLOW",
    `There is no workflow \`${name}\`.${didYouMean(near)} Searched: ${folders.join(", ")}.`,
    "Call workflow_list (or `waymark list`) and use one of its names.",
    { nearest: near, folders },
  );
}

function didYouMean(near: readonly string[]): string {
  return near.length > 0 ? ` Did you mean ${near.map((name) => `\`${name}\``).join(" or ")}?` : "";
}

/** How many errors a definition has, the first of them with their places and what to do, and why to validate it. */
export function errorsIn(diagnostics: readonly Diagnostic[]): Readonly<Record<"count" | "first" | "validate", string>> {
  const errors = diagnostics.filter((problem) => problem.severity === "error");
  const lines = errors
    .slice(0, 5)
    .map(({ message, fix, ...problem }) => `${place(problem)}${message}${fix === undefined ? "" : ` ${fix}`}`);
  const more = errors.length > 5 ? ` And ${errors.length - 5} more.` : "";
  const [word, validate] = errors.length === 1 ? ["error", "it with its place"] : ["errors", "all of them with their places"];
  return { count: `${errors.length} ${word}`, first: `${lines.join(" ")}${more}`, validate: `to see ${validate}` };
}

export function invalidWorkflow(name: string, diagnostics: readonly Diagnostic[]): WaymarkError {
  const { count, first, validate } = errorsIn(diagnostics);
  return new WaymarkError({
    code: "ENGINE_INVALID_WORKFLOW",
    message: `The workflow \`${name}\` has ${count}: ${first}`,
    fix: `Run \`waymark validate ${name}\` ${validate}.`,
    details: { diagnostics },
  });
}

export function unknownLeaf(of: Readonly<Record<"program" | "dialect" | "what" | "block", string>>): WaymarkError {
  return refused(
    "ENGINE_UNKNOWN_LEAF",
    `The step \`${of.block}\` of \`${of.program}\` needs \`${of.what}\`, which neither the dialect \`${of.dialect}\` nor the engine can do.`,
    "Use the version of Waymark that the workflow was written for, or a newer one.",
    of,
  );
}

function place(problem: Pick<Diagnostic, "place">): string {
  return problem.place === undefined ? "" : `${problem.place.file}:${problem.place.line}:${problem.place.column} `;
}

export function fromRejected(rejected: Rejected): WaymarkError {
  return new WaymarkError(rejected);
}

export function refused(code: string, message: string, fix?: string, details?: JsonObject): WaymarkError {
  return new WaymarkError({ code, message, ...defined({ fix, details }) });
}

/** `what` of an open step is not what its block can have opened it with. */
export function notAsPinned(run: string, step: string, what: string): WaymarkError {
  return refused(
    "ENGINE_NOT_AS_PINNED",
    `\`${step}\` of run \`${run}\` is not what its workflow says: ${what} was changed in the store. Nothing was started.`,
    `Find out who writes into the store. Then ask for the next step (\`waymark next ${run}\`): a command is made from the workflow again. If an agent's step was changed, end the run: waymark abort ${run}`,
    { run, step },
  );
}

/** A step that asks for something is not done without it. `wanted`: the fields that are missing, with what belongs there; `task`: the task of the step. */
export function noResult({ id, step }: { readonly id: string; readonly step: string }, wanted: JsonObject, task?: string): WaymarkError {
  const fields = Object.keys(wanted).map((name) => `\`${name}\``);
  return refused(
    "ENGINE_NO_RESULT",
    `\`${step}\`${task === undefined ? "" : ` of task \`${task}\``} is not done without its ${Object.keys(wanted).join(" and ")}. Nothing was changed.`,
    `Report \`${id}\` again with its ${fields.join(" and ")}, or with status failed and an error.${task === undefined ? "" : ` What you write to the state counts for this step only with task_id \`${task}\`.`}`,
    { action_id: id, fill_in: wanted, ...(task === undefined ? {} : { task_id: task }) },
  );
}

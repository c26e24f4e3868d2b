import { taskName, type Position, type RunHandle } from "../engine/index.ts";
import { fillIn } from "./fill-in.ts";

/** A hand-out as a printed line names it, so that the line means the same when it is run again. */
export interface Named {
  readonly run: string;
  readonly action: string;
  readonly task?: string;
}

type Asked = Pick<RunHandle["state"]["decisions"][string], "id" | "revision">;

/** A word of a shell command line. */
export function quoted(word: string): string {
  return /^[\w@%+=:,./-]+$/.test(word) ? word : `'${word.replaceAll("'", `'\\''`)}'`;
}

/** `wanted`: what its result is; without it nothing is asked for. */
export function doneLine(named: Named, wanted?: string): string {
  return `waymark done ${namedText(named)}${wanted === undefined ? "" : ` --result ${quoted(fillIn(wanted))}`}`;
}

export function failLine(named: Named): string {
  return `waymark fail ${namedText(named)} --error ${quoted(fillIn("why"))}`;
}

export function skipLine(named: Named): string {
  return `waymark skip ${namedText(named)} --reason ${quoted(fillIn("why"))}`;
}

export function decideLine(run: string, question: Asked): string {
  return `waymark decide ${quoted(run)} ${askedText(question)} ${quoted(fillIn("answer"))}`;
}

export function declineLine(run: string, question: Asked): string {
  return `waymark decide ${quoted(run)} ${askedText(question)} --decline ${quoted(fillIn("why"))}`;
}

export function nextLine(run: string, task?: string): string {
  return `waymark next ${quoted(run)}${taskText(task)}`;
}

/** What `--task` calls a strand; undefined for the main one. */
export function taskOf({ state, strand }: Pick<Position, "state" | "strand">): string | undefined {
  const held = state.strands[strand];
  return strand === "main" ? undefined : held === undefined ? strand : taskName(held);
}

/** A question that is asked again is named with its revision: the line of an earlier round does not answer it. */
function askedText({ id, revision }: Asked): string {
  return revision === 1 ? quoted(id) : `${quoted(id)} --revision ${revision}`;
}

function namedText({ run, action, task }: Named): string {
  return `${quoted(run)}${taskText(task)} --action ${quoted(action)}`;
}

function taskText(task: string | undefined): string {
  return task === undefined ? "" : ` --task ${quoted(task)}`;
}

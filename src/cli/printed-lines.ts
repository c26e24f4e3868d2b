import { isDatabaseAddress, shownDatabase, type JsonObject } from "../base/index.ts";
import type { RunHandle } from "../engine/index.ts";
import type { EngineFlags } from "./world.ts";

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

/** The words of a line that name where it works. An address with a password or options is left to be filled in. */
export function placeWords({ workspace, store, logFile }: Partial<EngineFlags>): string {
  const shown = store === undefined || !isDatabaseAddress(store) || shownDatabase(store) === store ? store : fillIn("address of the store");
  const words = { "-C": workspace, "--store": shown, "--log-file": logFile };
  return Object.entries(words)
    .flatMap(([flag, value]) => (value === undefined ? [] : [`${flag} ${quoted(value)}`]))
    .join(" ");
}

/** The place in a printed line that is left to be filled in; an object names the places in it itself. */
export function fillIn(what: string): string {
  return /^\{".*"\}$/.test(what) ? what : `<${what.replace(/[<>]/g, "")}>`;
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

export function decideLine(run: string, question: Asked, answer: string = fillIn("answer")): string {
  return `waymark decide ${quoted(run)} ${askedText(question)} ${quoted(answer)}`;
}

export function declineLine(run: string, question: Asked): string {
  return `waymark decide ${quoted(run)} ${askedText(question)} --decline ${quoted(fillIn("why"))}`;
}

export function nextLine(run: string, task?: string): string {
  return `waymark next ${quoted(run)}${taskText(task)}`;
}

export function watchLine(run: string): string {
  return `waymark watch ${quoted(run)}`;
}

export function allowLine(missing: { readonly workflow: string } | { readonly agent: string }): string {
  return `waymark allow ${"agent" in missing ? `--agent ${quoted(missing.agent)}` : quoted(missing.workflow)}`;
}

/** `flags`: further words, as they are typed. */
export function driveLine(run: string, flags: readonly string[] = []): string {
  return ["waymark drive", quoted(run), ...flags].join(" ");
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

/**
 * The line to run now, or one for later that would only repeat what failed, ask again and again, or lead an agent to work that is not its
 * own, if it were run now.
 */
export interface Following {
  readonly next?: string;
  readonly later?: { readonly when: string; readonly command: string };
  /** Who is alive and does what follows; any line that asks for it is refused. */
  readonly continues?: { readonly name: string; readonly words: string };
}

export function whenFixed(run: string): Following {
  return { later: { when: "when the cause is fixed", command: `waymark retry ${quoted(run)}` } };
}

/** Beside the retry of a run that failed. `start`: the line that begins a new one. */
export function whenChanged(start: string): string {
  return `This run keeps the file that it began with. When you changed the workflow, start a new one: ${start}`;
}

/** What was stopped for want of a permission. */
export function whenAllowed(command: string): Following {
  return { later: { when: "when you have allowed it", command } };
}

/** For scripts. */
export function followingData({ next, later, continues }: Following): JsonObject {
  return {
    ...(next === undefined ? {} : { next_command: next }),
    ...(later === undefined ? {} : { later_command: later.command }),
    ...(continues === undefined ? {} : { continues: continues.name }),
  };
}

/** For people; only what can be done now has an arrow. */
export function followingText({ next, later, continues }: Following): readonly string[] {
  return [
    ...(continues === undefined ? [] : [`${begun(continues.words)} continues: there is nothing for you to do.`]),
    ...(next === undefined ? [] : [`→ ${next}`]),
    ...(later === undefined ? [] : [`${begun(later.when)}: ${later.command}`]),
  ];
}

/** As the beginning of a sentence. */
function begun(words: string): string {
  return `${words.slice(0, 1).toUpperCase()}${words.slice(1)}`;
}

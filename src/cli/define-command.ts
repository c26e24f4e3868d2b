import { Option, type Command, type OptionValues } from "commander";
import type { Shares } from "./command-share.ts";
import type { Session } from "./session.ts";

/** What a command is given: arguments in order, a variadic one spread at the end, and its options by name. */
export interface Given {
  readonly session: Session;
  readonly args: readonly string[];
  readonly options: OptionValues;
  readonly shares: Shares;
  /** No run was named: the first argument is the only open one. */
  readonly leftOut?: true;
}

/** Answers the exit code where it is not that of a command which is done. */
export type CommandRun = (given: Given) => Promise<number | void>;

export interface OptionSpec {
  readonly flags: string;
  readonly description: string;
  readonly choices?: readonly string[];
  readonly default?: string;
  /** May be given several times; the values come as a list. */
  readonly repeatable?: boolean;
  /** Known only in order to be refused with what to do instead: in no help, reference page or completion. */
  readonly hidden?: boolean;
}

/** One command as data: help, reference page and completion are all made from it. Its code is loaded only when it runs. */
export interface CommandSpec {
  /** Name and arguments: `start <workflow>`. */
  readonly usage: string;
  readonly group: string;
  readonly summary: string;
  /** More than the summary says, for its own help. */
  readonly details?: string;
  readonly options?: readonly OptionSpec[];
  readonly examples: readonly string[];
  /** What the first argument is, for completion, where its name does not say so. */
  readonly completes?: "workflow" | "run";
  /** Whether the only open run is meant where none is named: `true`, without any argument; else where these arguments name none. */
  readonly onlyRun?: true | ((args: readonly string[], options: OptionValues) => boolean);
  /** With `onlyRun`: a failed run too, where none is open. */
  readonly alsoFailed?: true;
  /** What is asked for can be asked of runs that have ended. */
  readonly ofEnded?: true;
  /** Words follow the run, so that one of a few characters is not taken for a part of its id. */
  readonly beforeText?: true;
  readonly load: () => Promise<CommandRun>;
}

/** Commands that the help lists below one heading. */
export function inGroup(group: string, specs: readonly Omit<CommandSpec, "group">[]): readonly CommandSpec[] {
  return specs.map((spec) => ({ ...spec, group }));
}

export type Perform = (command: Command, spec: CommandSpec, args: readonly string[]) => Promise<void>;

export function defineCommand(parent: Command, spec: CommandSpec, perform: Perform): void {
  const command = parent.command(spec.usage).helpGroup(spec.group).summary(spec.summary);
  // Lines of a definition are one paragraph, which is as wide as the terminal; what is indented stays as it is.
  const details = spec.details?.replace(/^(\S.*)\n(?=\S)/gm, "$1 ");
  command.description(details === undefined ? spec.summary : `${spec.summary}\n\n${details}`);
  for (const option of spec.options ?? []) command.addOption(toOption(option));
  command.addHelpText("after", `\nExamples:\n${spec.examples.map((example) => `  $ ${example}`).join("\n")}`);
  command.action(async (...all: unknown[]) => {
    const given = all
      .slice(0, -2)
      .flat()
      .filter((value) => value !== undefined);
    await perform(command, spec, given.map(String));
  });
}

/** Whether the first word of a command names a run, or every word one; undefined when none does. */
export function takesRuns({ usage }: Pick<CommandSpec, "usage">): "one" | "several" | undefined {
  const takes = /^\S+ [<[](?:workflow-or-)?run(s?)/.exec(usage);
  return takes === null ? undefined : takes[1] === "s" ? "several" : "one";
}

export function commandName({ usage }: Pick<CommandSpec, "usage">): string {
  return usage.split(" ")[0] ?? "";
}

function toOption(spec: OptionSpec): Option {
  const option = new Option(spec.flags, spec.description);
  if (spec.hidden === true) option.hideHelp();
  if (spec.choices !== undefined) option.choices(spec.choices);
  if (spec.default !== undefined) option.default(spec.default);
  if (spec.repeatable === true) {
    option.argParser((value: string, before: unknown) => [...(Array.isArray(before) ? (before as string[]) : []), value]);
  }
  return option;
}

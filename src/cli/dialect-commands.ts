import type { OptionValues } from "commander";
import type { Catalogue } from "../base/index.ts";
import type { EngineContext } from "../engine/index.ts";
import type * as CommandKit from "./command-kit.ts";
import type { CommandShare, Shares } from "./command-share.ts";
import { commandName, type CommandRun, type CommandSpec, type OptionSpec } from "./define-command.ts";
import type { Session } from "./session.ts";

/** What a dialect adds to the command line. Data only: its code is loaded when a command needs it. */
export interface DialectCommands {
  readonly dialect: string;
  readonly commands?: readonly DialectCommand[];
  /** What it adds to general commands, by their names. */
  readonly additions?: Readonly<Record<string, CommandAddition>>;
  /** When commands of its own end with 1, for the help. */
  readonly failures?: readonly string[];
  /** Codes of its commands. */
  readonly codes?: Catalogue;
  /** `waymark schema` knows its workflow files; `preset`: it is the one that is meant when none is named. */
  readonly schema?: true | "preset";
  readonly tours?: readonly TourSpec[];
  readonly share?: () => Promise<CommandShare>;
  /** What status bars are shown of its runs. */
  readonly statusBar?: (engine: EngineContext) => Promise<StatusBarChanges>;
}

/** What a change of a run makes of the file that status bars watch; undefined for runs that it has nothing to say about. */
export type StatusBarChanges = (run: string) => Promise<StatusBarChange | undefined>;

interface StatusBarChange {
  merge(existing: string | undefined): { readonly text: string; readonly damaged?: string };
  /** When the run must be looked at again although nothing happens to it, in milliseconds from now. */
  readonly againInMs?: number;
}

export interface DialectCommand extends CommandSpec {
  /** The general command that it follows in the help; without it, it follows those that drive a run. */
  readonly after?: string;
}

export interface CommandAddition {
  /** Continues the summary, behind a comma. */
  readonly summary?: string;
  /** Further sentences of its own help. */
  readonly details?: string;
  readonly options?: readonly OptionSpec[];
  /** Further choices of a general option, by its flags. */
  readonly choices?: Readonly<Record<string, readonly string[]>>;
  readonly examples?: readonly string[];
  /** Calls that the dialect answers instead. */
  readonly answers?: { readonly when: (options: OptionValues) => boolean; readonly load: () => Promise<CommandRun> };
}

/** A tour of `waymark demo`. */
export interface TourSpec {
  readonly name: string;
  /** What it does, after its name. */
  readonly about: string;
  /** The one that is shown when none is named. */
  readonly preset?: boolean;
  readonly load: () => Promise<TourRun>;
}

/** Works in an empty folder, which stays with `keep`. Answers the exit code: 0 only if everything held. */
export type TourRun = (session: Session, folder: string, keep: boolean) => Promise<number>;

/** Loads what commands of dialects use of the general ones; a module of such a command awaits it at its top. */
export function loadCommandKit(): Promise<typeof CommandKit> {
  return import("./command-kit.ts");
}

export function sharesOf(dialects: readonly DialectCommands[]): Shares {
  const shareOf = async (entry: DialectCommands | undefined): Promise<CommandShare> => (await entry?.share?.()) ?? {};
  return {
    of: (dialect) => shareOf(dialects.find((entry) => entry.dialect === dialect)),
    all: () => Promise.all(dialects.map(shareOf)),
  };
}

/** A general command with everything that dialects add to it. */
export function withAdditions(spec: CommandSpec, dialects: readonly DialectCommands[]): CommandSpec {
  return dialects.flatMap(({ additions }) => additions?.[commandName(spec)] ?? []).reduce(withAddition, spec);
}

function withAddition(
  spec: CommandSpec,
  { summary, details, options = [], choices = {}, examples = [], answers }: CommandAddition,
): CommandSpec {
  const more = (option: OptionSpec): OptionSpec => {
    const added = choices[option.flags];
    return added === undefined ? option : { ...option, choices: [...(option.choices ?? []), ...added] };
  };
  return {
    ...spec,
    summary: summary === undefined ? spec.summary : `${spec.summary.replace(/\.$/, "")}, ${summary}.`,
    ...(details === undefined ? {} : { details: joinDetails(spec.details, details) }),
    options: [...(spec.options ?? []).map(more), ...options],
    examples: [...spec.examples, ...examples],
    load: async () => {
      const otherwise = await spec.load();
      return async (given) => (answers?.when(given.options) === true ? (await answers.load())(given) : otherwise(given));
    },
  };
}

/** Further sentences end the first paragraph. */
function joinDetails(details: string | undefined, more: string): string {
  const [first, ...others] = details?.split("\n\n") ?? [];
  if (first === undefined) return more;
  return [`${first} ${more}`, ...others].join("\n\n");
}

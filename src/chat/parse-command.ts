/** A slash command as it was typed. */
export interface ParsedCommand {
  /** Without the slash, as it was written. */
  readonly name: string;
  /** Words, and texts in quotes without them. */
  readonly args: readonly string[];
  /** What follows the name, as it was written. */
  readonly rest: string;
}

/** Words, or texts in single or double quotes; undefined for a text that does not begin with a slash. */
export function parseCommand(text: string): ParsedCommand | undefined {
  const [, name, rest = ""] = /^\s*\/(\S+)([^]*)$/.exec(text) ?? [];
  if (name === undefined) return undefined;
  return { name, args: wordsOf(rest), rest: rest.trim() };
}

export function wordsOf(text: string): readonly string[] {
  return [...text.matchAll(/"([^"]*)"|'([^']*)'|(\S+)/g)].map(([, double, single, plain]) => double ?? single ?? plain ?? "");
}

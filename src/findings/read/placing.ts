import { cutText, remembering, shorten, visibleText } from "../../base/index.ts";
import type { Finding } from "../../ports/index.ts";
import { pathIn } from "./path-in.ts";
import type { Reading, Unplaced } from "./reading.ts";

/** Name of a rule where the tool gives none. */
export const unnamedRule = "unnamed";
/** Rule of a file that the tool could not parse. */
export const parseErrorRule = "parse-error";

/** What a tool said, without where. */
export interface Said extends Pick<Finding, "rule" | "severity" | "message"> {
  readonly help?: string | undefined;
  readonly suppressed?: Finding["suppressed"] | undefined;
  readonly secret?: true | undefined;
}

export interface At {
  /** As the tool named the file; undefined for none. */
  readonly named: string | undefined;
  /** It named something else than a file: a page, say. */
  readonly isElsewhere?: boolean;
  readonly region: Finding["region"];
  readonly fix?: Finding["fix"] | undefined;
}

/** Puts what a tool said into a file of the workspace, where it is in one. Texts become whole: half a character is U+FFFD. */
export type Placing = (said: Said, at: At) => Finding | Unplaced;

export type Writable<T> = { -readonly [Key in keyof T]: T[Key] };

/** Characters of a name, which each row shows, and of a message. */
const longestRule = 200;
const longestMessage = 4000;

/** Files that are remembered: what a tool says of one comes together. */
const mostFiles = 1000;

export function placing(reading: Reading): Placing {
  const pathOf = remembering((named: string) => pathIn(reading.workspace, named), mostFiles);
  return (said, { named, isElsewhere = false, region, fix }) => {
    const path = named === undefined || named === "" || isElsewhere ? undefined : pathOf(named);
    const facts = {
      tool: reading.tool,
      rule: ruleName(said.rule),
      severity: said.severity,
      message: cutText(wellFormed(said.message), longestMessage),
    };
    if (path === undefined) return withMore(unplaced(facts, named), said);
    const found: Writable<Finding> = { ...facts, path, region };
    if (fix !== undefined) found.fix = fix;
    return withMore(found, said);
  };
}

/** On one line, and nothing in it that a terminal obeys. */
function ruleName(said: string): string {
  if (/^[!-~]{1,200}$/.test(said)) return said;
  return shorten(visibleText(wellFormed(said).replace(/\s+/g, " ").trim()), longestRule) || unnamedRule;
}

type Facts = Pick<Finding, "tool" | "rule" | "severity" | "message">;

function unplaced(facts: Facts, named: string | undefined): Writable<Unplaced> {
  return named === undefined || named === ""
    ? { ...facts, unplaced: "no_file" }
    : { ...facts, unplaced: "outside", named: wellFormed(named) };
}

function withMore<T extends Writable<Finding> | Writable<Unplaced>>(found: T, { help, suppressed, secret }: Said): T {
  if (help !== undefined && /^https?:\/\//i.test(help)) found.help = help;
  if (suppressed !== undefined) found.suppressed = suppressed;
  if (secret === true) found.secret = true;
  return found;
}

const half = /[\uD800-\uDBFF](?![\uDC00-\uDFFF])|(?<![\uD800-\uDBFF])[\uDC00-\uDFFF]/g;

export function wellFormed(text: string): string {
  return /[\uD800-\uDFFF]/.test(text) ? text.replace(half, "\uFFFD") : text;
}

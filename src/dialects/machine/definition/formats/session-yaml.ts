import type { Diagnostic } from "../../../../base/index.ts";
import { onePerLine, parseYaml, type TextProblem } from "../../../../source/index.ts";
import { machineFaults } from "../vocabulary.ts";
import { plainText, reportOnText, sessionReader, type OpenedFile } from "./session-reader.ts";

/**
 * Text to a value whose problems have places. Never throws. `repair`: for a file that is not YAML, the same text with quotes where they
 * are missing, if that makes it YAML.
 */
export function openYaml(text: string, path: string): OpenedFile & { readonly repair?: string } {
  const plain = plainText(text);
  const { value, file, broken, found } = parsed(plain, path);
  const reader = sessionReader(path, (at) => file.placeOf(at, "value"));
  reportOnText(reader, text);
  if (!broken) {
    reader.problems.push(...found.map(diagnosticOf));
    return { reader, value };
  }
  const deep = found.some(({ fault }) => fault === "too_deep");
  const repair = deep
    ? undefined
    : quoteValues(plain, firstLine(found), (candidate) => {
        const next = parsed(candidate, path);
        return next.broken ? firstLine(next.found) : undefined;
      });
  const lines = plain.split("\n");
  for (const each of onePerLine(found)) {
    const { line } = each.place;
    const quoted = repair?.lines.has(line) === true ? quoteLine(lines[line - 1] ?? "") : undefined;
    const own = diagnosticOf(each);
    const unquoted = `Line ${line} is not YAML: a value without quotes holds \`: \` or begins with a character that has a meaning of its own.`;
    const message = own.code === "MACHINE_SYNTAX" ? `\`${path}\` is not YAML. Line ${line}: ${each.message}` : each.message;
    reader.problems.push(
      quoted === undefined
        ? { ...own, message }
        : { ...own, code: "MACHINE_UNQUOTED", message: unquoted, fix: `Write it in quotes: ${quoted.trim()}` },
    );
  }
  return { reader, ...(repair === undefined ? {} : { repair: repair.text }) };
}

/** Of these files only what an agent can tell apart has a code of its own. */
function diagnosticOf({ fault, ...rest }: TextProblem): Diagnostic {
  const own = fault === "duplicate_key" || fault === "forbidden_key" || fault === "too_deep";
  return { ...rest, code: machineFaults[own ? fault : "syntax"] as string, severity: "error" };
}

function parsed(text: string, path: string) {
  const { value, file, broken, syntax, problems } = parseYaml({ path, text });
  if (broken) return { value: null, file, broken, found: syntax };
  // A star before a word is an alias that names nothing: the text cannot be read as it is meant.
  const lost = problems.some(({ fault }) => fault === "alias");
  return { value, file, broken: lost, found: [...syntax, ...problems] };
}

function firstLine(found: readonly TextProblem[]): number {
  return Math.min(...found.map(({ place }) => place.line));
}

/** A text in which values got the quotes they need, and the lines that were changed, counted from 1. */
interface QuotedText {
  readonly text: string;
  readonly lines: ReadonlySet<number>;
}

const mostLines = 200;
/** The text is read again after each line, so long ones get fewer tries. */
const mostCharacters = 4_000_000;
const ownKeys = new Set(
  "id status type title depends_on goal non_goals context_files files_expected acceptance_checks risk_flags done_when name".split(" "),
);

/**
 * Quotes the value on the line of the first fault, then of the next, until nothing is left; undefined when quotes do not help.
 * `faultIn` gives the line of the first fault, or undefined for a text without one. A fault is sometimes noticed one line late.
 */
function quoteValues(text: string, first: number, faultIn: (text: string) => number | undefined): QuotedText | undefined {
  const lines = text.split("\n");
  const changed = new Set<number>();
  const tries = Math.min(mostLines, Math.ceil(mostCharacters / (text.length + 1)));
  let fault: number | undefined = first;
  while (fault !== undefined) {
    const next: Quoted | undefined = changed.size < tries ? quoteAt(lines, fault, faultIn) : undefined;
    if (next === undefined) return undefined;
    changed.add(next.line);
    fault = next.fault;
  }
  return { text: lines.join("\n"), lines: changed };
}

/** The line that was quoted, and that of the next fault. */
interface Quoted {
  readonly line: number;
  readonly fault: number | undefined;
}

/** Changes one line in place, if the first fault of the text moves down or vanishes by it. */
function quoteAt(lines: string[], fault: number, faultIn: (text: string) => number | undefined): Quoted | undefined {
  for (const line of [fault, fault - 1]) {
    const old = lines[line - 1];
    const quoted = old === undefined ? undefined : quoteLine(old);
    if (old === undefined || quoted === undefined) continue;
    lines[line - 1] = quoted;
    const after = faultIn(lines.join("\n"));
    if (after === undefined || after > fault) return { line, fault: after };
    lines[line - 1] = old;
  }
  return undefined;
}

/**
 * One line with its value in quotes. An entry of a list is quoted as a whole, unless it begins with a key of a task;
 * a comment stays outside. Undefined for a line without a value.
 */
function quoteLine(line: string): string | undefined {
  const [, indent = "", dashes = "", rest = ""] = /^(\s*)((?:-\s+)*)(.*)$/.exec(line) ?? [];
  const [, key, gap = "", after] = /^([A-Za-z_][\w-]*):(\s+)(\S.*)$/.exec(rest) ?? [];
  const keyed = key !== undefined && after !== undefined && (dashes === "" || ownKeys.has(key));
  if (!keyed && dashes === "") return undefined;
  const [value, comment] = splitComment(keyed ? after : rest);
  const isQuoted = /^(?:"(?:[^"\\]|\\.)*"|'(?:[^']|'')*')$/.test(value);
  if (value === "" || isQuoted) return undefined;
  return `${indent}${dashes}${keyed ? `${key}:${gap}` : ""}${JSON.stringify(value)}${comment}`;
}

function splitComment(text: string): readonly [value: string, comment: string] {
  const at = text.search(/\s#/);
  const value = (at < 0 ? text : text.slice(0, at)).trimEnd();
  return [value, at < 0 ? "" : text.slice(value.length)];
}

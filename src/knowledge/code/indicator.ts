import { lex, type CodeToken, type LexedCode } from "./lex.ts";
import { isInLoop, routineAt, type Routine, type Structure } from "./structure.ts";

/** Places that show a sign which a topic declares, by their lines. */
export type Indicator = (code: LexedCode, structure: Structure) => Iterable<number>;

const regexForm = /^\/(.+)\/([imsu]*)$/s;
const inLoop = /^(.+?)\s+(?:inside|in|within)\s+(?:an?\s+|the\s+)?(?:repeat|loops?|for|while)$/i;
const inRoutine = /^(.+?)\s+(?:inside|in|within)\s+(?:an?\s+|the\s+)?(event subscriber|trigger|[A-Z]\w+)$/;
const relation = /^(.+?)\s+(without|after|followed by)\s+(\S+)$/i;
/** Something that only code looks like: a capital letter, a sign. */
const looksLikeCode = /[A-Z().:='"[\]*]/;

/**
 * A sign as something that can be looked for:
 * `/regex/i` on a line of code; `A inside repeat`; `A in a trigger`, `A in OnAfterGetRecord`; `A without B`; `A after B`;
 * `A followed by B`; `Object Name.Member`; anything else is a row of tokens. Prose simply matches nothing.
 * Undefined for a regular expression that may not be used.
 */
export function parseIndicator(text: string, language: string): Indicator | undefined {
  const regex = regexForm.exec(text);
  if (regex !== null) return regexIndicator(regex[1]!, regex[2]!);
  if (/^(?:todo|fixme|hack|xxx|@[\w-]+|#?pragma .+)$/i.test(text)) {
    const word = text.toLowerCase();
    return ({ comments }) => comments.filter((comment) => comment.text.toLowerCase().includes(word)).map(({ line }) => line);
  }
  const row = (part: string): readonly CodeToken[] => lex(part, language).tokens;
  const loop = inLoop.exec(text);
  if (loop !== null) return rowIndicator(row(loop[1]!), (at, _, structure) => isInLoop(structure, at));
  const routine = inRoutine.exec(text);
  if (routine !== null) {
    const where = routine[2]!.toLowerCase();
    return rowIndicator(row(routine[1]!), (at, _, structure) => isSuchRoutine(routineAt(structure, at), where));
  }
  const related = relation.exec(text);
  const kind = related?.[2]!.toLowerCase();
  if (related !== null && (kind === "followed by" || looksLikeCode.test(related[3]!))) {
    const other = row(related[3]!);
    return rowIndicator(row(related[1]!), (at, code, structure) => {
      const { from, to } = routineAt(structure, at) ?? { from: 0, to: code.tokens.length };
      const others = rows(other, code).filter((place) => from <= place && place < to);
      if (kind === "without") return others.length === 0;
      return others.some((place) => (kind === "after" ? place < at : place > at && place - at <= 8));
    });
  }
  const member = related === null ? /^([^.()'"]+ [^.()'"]*)\.([^.()'"]+)$/.exec(text) : null;
  if (member === null) return rowIndicator(row(text), () => true);
  return (code) => memberLines(member[1]!.trim().toLowerCase(), member[2]!.trim().toLowerCase(), code);
}

/** Lines on which a row of tokens begins, where a test holds. */
function rowIndicator(row: readonly CodeToken[], holds: (at: number, code: LexedCode, structure: Structure) => boolean): Indicator {
  return (code, structure) =>
    rows(row, code)
      .filter((at) => holds(at, code, structure))
      .map((at) => code.tokens[at]!.line);
}

/** Whether a sign can be looked for; only a regular expression can be refused. */
export function isUsableSign(text: string): boolean {
  const regex = regexForm.exec(text);
  return regex === null || regexIndicator(regex[1]!, regex[2]!) !== undefined;
}

/** A regex runs on lines of limited length and may not repeat groups, so that its time stays small. */
function regexIndicator(source: string, flags: string): Indicator | undefined {
  if (source.length > 300 || repeatedGroup.test(source)) return undefined;
  if ((source.match(/(?<!\\)[*+]|\{\d*,\d*\}/g) ?? []).length > 3 || /\\[1-9]|\(\?<?[=!]/.test(source)) return undefined;
  try {
    const regex = new RegExp(source, flags);
    return ({ uncommented }) => regexLines(regex, uncommented);
  } catch {
    return undefined;
  }
}

const repeatedGroup = /\)(?:[*+]|\{)/;
const longestLine = 500;
const mostPlaces = 20;

/** Lines that show the sign, at most 20. */
export function findIndicator(indicator: Indicator, code: LexedCode, structure: Structure): readonly number[] {
  const lines = new Set<number>();
  for (const line of indicator(code, structure)) {
    lines.add(line);
    if (lines.size === mostPlaces) break;
  }
  return [...lines];
}

function isSuchRoutine(routine: Routine | undefined, where: string): boolean {
  if (routine === undefined) return false;
  if (where === "trigger") return routine.kind === "trigger";
  if (where === "event subscriber") return routine.attributes.includes("eventsubscriber");
  return routine.name.toLowerCase() === where || routine.attributes.includes(where);
}

/** Places where the tokens follow one another; empty brackets of the sign may be missing in the code. */
function rows(row: readonly CodeToken[], code: LexedCode): number[] {
  const [first] = row;
  if (first === undefined) return [];
  const found: number[] = [];
  for (const [at, token] of code.tokens.entries()) if (same(first, token) && matchesFrom(row, code.tokens, at)) found.push(at);
  return found;
}

function matchesFrom(row: readonly CodeToken[], tokens: readonly CodeToken[], start: number): boolean {
  let at = start;
  for (let index = 0; index < row.length; index++) {
    const wanted = row[index]!;
    const token = tokens[at];
    if (token !== undefined && same(wanted, token)) at += 1;
    else if (wanted.text === "(" && row[index + 1]?.text === ")") index += 1;
    else return false;
  }
  return true;
}

function same(wanted: CodeToken, token: CodeToken): boolean {
  return wanted.kind === token.kind && wanted.key === token.key;
}

function* regexLines(regex: RegExp, text: string): Generator<number> {
  for (const [index, line] of text.split("\n").entries()) if (line.length <= longestLine && regex.test(line)) yield index + 1;
}

/** A member counts where the object is named in the same text, with or without its spaces. */
function memberLines(object: string, member: string, code: LexedCode): number[] {
  const squeezed = object.replaceAll(/[^\p{L}\p{N}]/gu, "");
  const isNamed = code.tokens.some(({ kind, text }) => kind === "name" && [object, squeezed].includes(text.toLowerCase()));
  if (!isNamed) return [];
  return code.tokens.filter(({ kind, text }) => kind === "name" && text.toLowerCase() === member).map(({ line }) => line);
}

import { shorten } from "../../base/index.ts";
import type { Found, SourceText } from "../finder.ts";
import { readCall, sourceOf, type AlExpression } from "./al-call.ts";
import { readErrorCall, type ErrorCall } from "./al-error-call.ts";
import { AlSymbols } from "./al-symbols.ts";
import { Kind, endAt, isClosedString, kindAt, startAt, textAt, tokenAt, type AlTokens } from "./al-tokens.ts";
import { readAlTokens } from "./lex-al.ts";

/** How a call reads with a Label: the label's name, the line that declares it unless it exists, and the new call. */
export interface LabelSuggestion {
  readonly name: string;
  readonly declaration?: string;
  readonly call: string;
}

const maxWords = 6;
const maxCommentValue = 60;
const maxValues = 10;

/** What a call that `alErrorCall` found becomes on the way over a Label; undefined where nothing sensible can be said. */
export function labelSuggestion(found: Found, source: Pick<SourceText, "text">): LabelSuggestion | undefined {
  const tokens = readAlTokens(source.text);
  const symbols = new AlSymbols(tokens);
  const at = tokenAt(tokens, found.start);
  const call = at < 0 ? undefined : readErrorCall(symbols, kindAt(tokens, at + 1) === Kind.DOT ? at + 2 : at);
  if (call === undefined || call.call.close < 0 || call.call.directives) return undefined;
  const [first = [], ...rest] = call.call.args;
  const values = rest.map((value) => sourceOf(tokens, value));
  switch (call.type) {
    case "literal":
    case "literal_args":
    case "literal_mismatch":
      return fromText(symbols, call, textAt(tokens, first[0] ?? -1), values);
    case "strsubstno_label":
    case "strsubstno_literal":
      return fromFormat(symbols, call, first);
    case "concat":
      return values.length > 0 ? undefined : fromParts(symbols, call, first);
    default:
      return undefined;
  }
}

function fromText(symbols: AlSymbols, call: ErrorCall, raw: string, values: readonly string[]): LabelSuggestion | undefined {
  if (!raw.startsWith("'") || !isClosedString(raw)) return undefined;
  const name = freeName(symbols, call, raw);
  const explained = values
    .map((value, at) => `%${at + 1} = ${shorten(value.replaceAll(/\s+/g, " "), maxCommentValue)}`)
    .filter((_, at) => new RegExp(`[%#]${at + 1}`).test(raw));
  const comment = explained.length === 0 ? "" : `, Comment = '${explained.join(", ").replaceAll("'", "''")}'`;
  return { name, declaration: `${name}: Label ${raw}${comment};`, call: newCall(symbols.tokens, call, [name, ...values]) };
}

function fromFormat(symbols: AlSymbols, call: ErrorCall, first: AlExpression): LabelSuggestion | undefined {
  const { tokens } = symbols;
  if (call.call.args.length > 1) return undefined;
  const [format = [], ...values] = readCall(tokens, first[1] ?? -1).args;
  const texts = values.map((value) => sourceOf(tokens, value));
  if (call.type === "strsubstno_literal") return fromText(symbols, call, textAt(tokens, format[0] ?? -1), texts);
  const name = sourceOf(tokens, format);
  return { name, call: newCall(tokens, call, [name, ...texts]) };
}

/** `'A ' + B + ' c'` gives `'A %1 c', B`; nothing where the seam of two pieces would read as another placeholder. */
function fromParts(symbols: AlSymbols, call: ErrorCall, first: AlExpression): LabelSuggestion | undefined {
  const { tokens } = symbols;
  const values: string[] = [];
  let text = "";
  let strings = 0;
  for (const part of splitAtPlus(tokens, first)) {
    const raw = sourceOf(tokens, part);
    if (part.length === 1 && kindAt(tokens, part[0] ?? -1) === Kind.STRING) {
      if (!raw.startsWith("'") || !isClosedString(raw) || /[%#]\d/.test(raw)) return undefined;
      text += raw.slice(1, -1);
      strings += 1;
    } else {
      values.push(raw);
      text += `%${values.length}`;
    }
  }
  const placeholders = text.match(/[%#]+\d+/g) ?? [];
  const kept = placeholders.length === values.length && placeholders.every((each, at) => each === `%${at + 1}`);
  if (!kept || strings === 0 || values.length > maxValues - 1 || values.includes("")) return undefined;
  return fromText(symbols, call, `'${text}'`, values);
}

function splitAtPlus(tokens: AlTokens, expression: AlExpression): readonly AlExpression[] {
  const parts: number[][] = [[]];
  let depth = 0;
  for (const at of expression) {
    const kind = kindAt(tokens, at);
    if (kind === Kind.PAREN_OPEN || kind === Kind.BRACKET_OPEN) depth += 1;
    else if (kind === Kind.PAREN_CLOSE || kind === Kind.BRACKET_CLOSE) depth -= 1;
    if (kind === Kind.PLUS && depth === 0) parts.push([]);
    else parts.at(-1)?.push(at);
  }
  return parts;
}

function newCall(tokens: AlTokens, { first, call }: ErrorCall, args: readonly string[]): string {
  return `${tokens.text.slice(startAt(tokens, first), endAt(tokens, call.open))}${args.join(", ")})`;
}

/** From the words of the text, ending in `Err`, and not yet taken at the place of the call. */
function freeName(symbols: AlSymbols, { place }: ErrorCall, raw: string): string {
  const plain = raw
    .slice(1, -1)
    .replaceAll("''", "")
    .replaceAll(/[%#]\d+#*/g, " ");
  const words = plain.match(/[\p{L}\p{Nd}]+/gu)?.slice(0, maxWords) ?? [];
  const joined = words.map((word) => word.charAt(0).toUpperCase() + word.slice(1)).join("");
  const stem = (/^\p{L}/u.test(joined) ? joined : `Text${joined}`).replace(/Err(?:or)?$/, "") || "Text";
  for (let number = 1; ; number += 1) {
    const name = `${stem}${number === 1 ? "" : number}Err`;
    if (!symbols.declares(place, name.toLowerCase())) return name;
  }
}

import type { Finder, Found } from "../finder.ts";
import type { CodeTokens } from "./code-tokens.ts";

const advice = "Use a parameterised query. Names of tables and columns come from a fixed list.";
/** The place of a value in a statement that is put together. */
const gap = "\u0000";

/** A statement of SQL that is joined with a value. */
export const sqlText: Finder = {
  id: "sql-text",
  needles: ["select", "insert", "update", "delete", "where"],
  find({ code, language, text }) {
    const found: Found[] = [];
    for (let at = 0; at < code.length; at += 1) {
      if (code.kind(at) !== "string") continue;
      const built = readText(code, at, language);
      if (built === undefined) continue;
      if (isStatement(built.text) && riskyGap(built, text))
        found.push({ type: "joined", auto: false, needs: "manual", start: code.start(at), end: code.end(built.shown), action: advice });
      at = Math.max(at, built.last);
    }
    return found;
  },
};

/** A text that is put together: what is fixed of it, and the words of each value. */
interface BuiltText {
  readonly text: string;
  readonly values: readonly (readonly string[])[];
  /** Index of its last token, and of the one up to which it is shown. */
  readonly last: number;
  readonly shown: number;
}

interface Draft {
  text: string;
  readonly values: string[][];
  last: number;
}

function readText(code: CodeTokens, at: number, language: string): BuiltText | undefined {
  const draft: Draft = { text: "", values: [], last: at };
  if (isTagged(code, at) || code.word(at - 1) === "+") return undefined;
  const behind = readLiteral(code, at, draft);
  let next = behind;
  while (code.word(next) === "+" && code.word(next + 1) !== "=" && code.word(next + 1) !== "+") {
    next = readOperand(code, next + 1, draft);
  }
  if (code.word(next) === "%" && language === "python" && next === behind) readValues(code, next + 1, draft, { percent: true });
  else if (code.sees(next, ".", "format", "(")) readValues(code, next + 2, draft, { percent: false });
  if (code.word(at - 1) === "(" && code.word(at - 2) === "Sprintf" && code.word(next) === ",")
    readValues(code, at - 1, draft, { percent: true, skip: 1 });
  if (draft.values.length === 0) return undefined;
  return { ...draft, shown: Math.min(draft.last, at + 400) };
}

/** A template with a tag before it is given its values apart. */
function isTagged(code: CodeTokens, at: number): boolean {
  return code.word(at).startsWith("`") && code.touches(at) && (code.kind(at - 1) === "name" || [")", ">"].includes(code.word(at - 1)));
}

/** Reads one literal with the values inside it; answers the index behind it. */
function readLiteral(code: CodeTokens, at: number, draft: Draft): number {
  let index = at;
  let word = code.word(index);
  const isOpen = /^`|^[rRbB]?[fF]|^\$/.test(word);
  draft.text += code.inside(index);
  draft.last = Math.max(draft.last, index);
  while (isOpen && word.endsWith("{") && index < code.length) {
    const end = partBehind(code, index + 1);
    draft.text += gap;
    draft.values.push(wordsOf(code, index + 1, end));
    if (end >= code.length) return end;
    index = end;
    word = code.word(index);
    draft.text += code.inside(index);
    draft.last = index;
  }
  return index + 1;
}

/** Index of the next part of the template that is open, past templates inside its values. */
function partBehind(code: CodeTokens, from: number): number {
  let depth = 0;
  for (let at = from; at < code.length; at += 1) {
    if (code.kind(at) !== "string") continue;
    const word = code.word(at);
    const begins = !word.startsWith("}");
    if (begins && word.endsWith("{") && /^`|^[rRbB]?[fF]/.test(word)) depth += 1;
    else if (!begins && depth === 0) return at;
    else if (!begins && !word.endsWith("{")) depth -= 1;
  }
  return code.length;
}

function readOperand(code: CodeTokens, at: number, draft: Draft): number {
  if (code.kind(at) === "string") return readLiteral(code, at, draft);
  let index = at;
  while (index < code.length) {
    const word = code.word(index);
    if (["(", "[", "{"].includes(word)) index = (code.closing(index) ?? code.length) + 1;
    else if (["+", ",", ";", ")", "]", "}", ":", "?"].includes(word) || (index > at && code.kind(index) === "string")) break;
    else if (index > at && code.kind(index) === "name" && code.kind(index - 1) === "name") break;
    else index += 1;
  }
  draft.text += gap;
  draft.values.push(wordsOf(code, at, index));
  draft.last = Math.max(at, index - 1);
  return Math.max(index, at + 1);
}

/** Values of a format; each takes the place of a sign in the text. */
function readValues(
  code: CodeTokens,
  at: number,
  draft: Draft,
  { percent, skip = 0 }: { readonly percent: boolean; readonly skip?: number },
): void {
  const close = code.word(at) === "(" ? (code.closing(at) ?? at) : at + 1;
  const given = code.word(at) === "(" ? argumentsOf(code, at, close).slice(skip) : [{ from: at, to: at + 1 }];
  let place = 0;
  draft.text = draft.text.replace(
    percent ? /%(?:\((\w+)\))?[-#0-9.]*[a-z]/g : /\{(\w*)(?:![rsa])?(?::[^{}]*)?\}/g,
    (_sign, name: string) => {
      const named = /^[A-Za-z_]/.test(name ?? "") ? given.find(({ from }) => code.sees(from, name, "=")) : undefined;
      const { from, to } = named ?? given[Math.min(place, given.length - 1)] ?? { from: at, to: at };
      place += 1;
      // A fixed text in the place of a value, as another sign for a parameter.
      if (to - from === 1 && code.kind(from) === "string") return code.inside(from);
      draft.values.push(wordsOf(code, named === undefined ? from : from + 2, to));
      return gap;
    },
  );
  draft.last = close;
}

/** What is between the commas of a call. */
function argumentsOf(code: CodeTokens, open: number, close: number): readonly { readonly from: number; readonly to: number }[] {
  const found: { from: number; to: number }[] = [];
  let [from, depth] = [open + 1, 0];
  for (let at = open + 1; at <= close; at += 1) {
    const word = code.word(at);
    if (at === close || (depth === 0 && word === ",")) {
      if (at > from) found.push({ from, to: at });
      from = at + 1;
    } else if (["(", "[", "{"].includes(word)) depth += 1;
    else if ([")", "]", "}"].includes(word)) depth -= 1;
  }
  return found;
}

function wordsOf(code: CodeTokens, from: number, to: number): string[] {
  const words: string[] = [];
  for (let at = from; at < Math.min(to, from + 60); at += 1) if (code.kind(at) === "name") words.push(code.word(at));
  return words;
}

const clause = /\b(?:where|values|set|limit|order\s+by|group\s+by|(?:inner|left|outer)?\s*join)\b|\*/i;

/** Before a gap where a value belongs: what takes the place of a name is chosen by the program as a rule. */
const beforeValue = /(?:[=<>]|\blike|\bbetween|\bvalues\s*\([^)]*|\bin\s*\([^)]*)\s*(?:\w{0,12}\()?['"%]{0,3}$/i;

function riskyGap({ text, values }: BuiltText, source: string): boolean {
  const parts = text.split(gap);
  return values.some((words, index) => {
    const before = parts.slice(0, index + 1).join("1");
    const inQuotes = (before.match(/'/g)?.length ?? 0) % 2 === 1;
    return (inQuotes || beforeValue.test(before)) && isRisky(words, source);
  });
}

/** A whole statement, or a condition; natural language that begins with the same words is none. */
function isStatement(text: string): boolean {
  const said = text.trimStart().replace(/^\(\s*/, "");
  const [, word = ""] = /^([A-Za-z]+)\b/.exec(said) ?? [];
  const upper = word === word.toUpperCase();
  if (!upper && (word !== word.toLowerCase() || !clause.test(said))) return false;
  switch (word.toLowerCase()) {
    case "select":
      return /^select\s[^]*?\sfrom\s/i.test(said) || /^select\s[^]*?\sfrom$/i.test(said.trimEnd());
    case "insert":
      return /^insert\s+(?:or\s+\w+\s+|ignore\s+)?into\s[^]*(?:\(|values|select)/i.test(said);
    case "update":
      return /^update\s+\S+\s+set\s/i.test(said);
    case "delete":
      return /^delete\s+from\s[^]*\swhere\s/i.test(said);
    case "with":
      return /^with\s+(?:recursive\s+)?\w+[^]*\bas\s*\(\s*select\s/i.test(said);
    default:
      return upper && /^(?:WHERE|AND)\s+[\w."`[\]]+\s*(?:=|<|>|LIKE)\s*'?%?\u0000/.test(said);
  }
}

/** Names of what is a part of the statement, not a value in it. */
const structure =
  /(?:^|_|(?<=[a-z]))(?:table|tbl|column|col|schema|database|placeholder|clause|condition|where|order|sort|direction|field|alias|index|constraint|prefix|suffix|select|join|limit|offset|sql|query|statement|expression|operator|keyword|type|dialect|quote|escape|literal|ident\w*|param|filter|marks?|cols)s?$/i;
const constant = /^[A-Z][A-Z0-9_]*$/;
const safeCall =
  /escape|quote|sanitize|ident|literal|placeholder|param|^(?:Number|parseInt|parseFloat|int|float|len|length|map|join|repeat|keys)$/i;

/** A value from outside the text, as far as its names tell. */
function isRisky(words: readonly string[], text: string): boolean {
  const [last] = words.slice(-1);
  if (last === undefined || words.some((word) => safeCall.test(word))) return false;
  return !constant.test(last) && !structure.test(last) && !(words.length === 1 && isListOfSigns(last, text));
}

/** The name is given a list of placeholders, as `ids.map(() => "?").join(",")`. */
function isListOfSigns(name: string, text: string): boolean {
  const soon = "[^;\\n]{0,200}";
  const made = `(?=${soon}(?:\\b(?:map|join|repeat)\\b|\\*))(?=${soon}["'\`](?:\\?|%s)[\\s,]*["'\`])`;
  return new RegExp(`\\b${name.replaceAll("$", "\\$")}\\s*=${made}`).test(text);
}

import type { Found, TextEdit, Writable } from "../finder.ts";
import { isNamePart } from "../lex/cursor.ts";
import { trimToMask, type MaskedText } from "../lex/mask-text.ts";
import type { PreparedSource } from "../prepared-source.ts";
import { balancedEnd, callAt, shapeOf, tokensIn, type Call, type Span } from "./call-at.ts";
import type { RegexPattern } from "./compile-pattern.ts";
import { secretSpans } from "./secret-spans.ts";
import { fillTemplate, type FilledTemplate, type TemplateMatch } from "./template.ts";

/** Matches of one pattern in one file that are listed at most. */
export const mostMatches = 20_000;

/** All matches of a pattern in a file, in the order of their beginnings. */
export function findRegex(pattern: RegexPattern, source: PreparedSource): { readonly found: readonly Found[]; readonly cut: boolean } {
  const { spec } = pattern;
  const masked = spec.in === undefined || spec.in === "all" ? undefined : source.mask(spec.in);
  const text = masked?.text ?? source.text;
  const { regex } = pattern;
  regex.lastIndex = 0;
  const found: Found[] = [];
  for (let match = regex.exec(text); match !== null; match = regex.exec(text)) {
    const end = match.index + match[0].length;
    if (match[0] === "") {
      regex.lastIndex = end + ((text.codePointAt(end) ?? 0) > 0xffff ? 2 : 1);
      continue;
    }
    if (spec.wholeWord === true && !isWholeWord(source, text, { start: match.index, end })) {
      // A shorter match may begin inside the one that was refused.
      regex.lastIndex = match.index + 1;
      continue;
    }
    const one = describe(pattern, source, masked, match);
    if (one !== undefined) found.push(one);
    if (found.length >= mostMatches) return { found, cut: true };
  }
  return { found, cut: false };
}

const dollarNames = new Set(["typescript", "tsx", "javascript", "java", "php", "kotlin", "groovy", "dart"]);

function isWholeWord({ language }: PreparedSource, text: string, { start, end }: Span): boolean {
  const isPart = (at: number): boolean => isNamePart(text, at) || (dollarNames.has(language) && text.charAt(at) === "$");
  return !(start > 0 && isPart(start - 1) && isPart(start)) && !(end < text.length && isPart(end - 1) && isPart(end));
}

function describe(
  pattern: RegexPattern,
  source: PreparedSource,
  masked: MaskedText | undefined,
  match: RegExpExecArray,
): Found | undefined {
  const { spec } = pattern;
  const raw = { start: match.index, end: match.index + match[0].length };
  const trimmed = masked === undefined ? raw : trimToMask(masked, raw.start, raw.end);
  if (trimmed === undefined) return undefined;
  const widened = widen(pattern, source, trimmed);
  if (widened === undefined) return undefined;
  const span = wholeCharacters(source.text, widened.span);
  const text = source.text.slice(span.start, span.end);
  if (isExcluded(pattern.exclude, source, span)) return undefined;
  const rule = pattern.rules.find(({ regex }) => regex.test(text));
  const type = rule?.name ?? (pattern.rules.length === 0 ? spec.id : "other");
  const templateMatch = { span, call: widened.call, groups: groupsOf(match) };
  // A rule that fits somewhere inside gives the type, but does not prove that the whole match is what the rule's author had in mind.
  const certain = rule?.auto === true && rule.regex.exec(text)?.index === 0;
  const change = plan(pattern, source, { type, auto: certain, broken: widened.broken, match: templateMatch });
  const found: Writable<Found> = { type, ...change, start: span.start, end: span.end };
  if (!change.auto) found.needs = change.suggestion === undefined && pattern.rules.length > 0 ? "manual" : "review";
  if (rule !== undefined) found.action = rule.action;
  if (spec.secret === true) found.secrets = secretSpans(text, span, templateMatch.groups["secret"]);
  return found;
}

/** Whether the expression also matches the text of a span, or the line in which it begins. */
export function isExcluded(exclude: RegExp | undefined, { text, lines }: PreparedSource, { start, end }: Span): boolean {
  return exclude !== undefined && (exclude.test(text.slice(start, end)) || exclude.test(lines.textOf(lines.lineAt(start))));
}

/** The match up to the end of its brackets, and the call it is about when the pattern asks for one; undefined: not wanted. */
function widen(
  { spec, shapes, aboutCall }: RegexPattern,
  source: PreparedSource,
  span: Span,
): { readonly span: Span; readonly call: Call | undefined; readonly broken: boolean } | undefined {
  if (spec.balanced !== true && !aboutCall) return { span, call: undefined, broken: false };
  const { text, language } = source;
  const code = source.mask(spec.in === undefined || spec.in === "all" ? "code" : spec.in).text;
  const balanced = spec.balanced === true ? balancedEnd(code, span.start, span.end) : span.end;
  const call = aboutCall ? callAt({ code, text, language }, span) : undefined;
  if (spec.arguments !== undefined) {
    if (call === undefined) return undefined;
    const { min = 0, max = Infinity } = spec.arguments;
    const count = call.arguments.length;
    if (count < min || count > max || !shapes.every((wanted) => hasShape(source, call, wanted))) return undefined;
  }
  const end = Math.max(span.end, balanced ?? 0, call?.end ?? 0);
  return { span: { start: span.start, end }, call, broken: balanced === undefined };
}

function hasShape(source: PreparedSource, call: Call, { place, shape }: RegexPattern["shapes"][number]): boolean {
  const argument = call.arguments[place];
  return argument !== undefined && (shape === "any" || shapeOf(source.text, source.tokens, argument) === shape);
}

/** A match may not end in the middle of a surrogate pair. */
function wholeCharacters(text: string, { start, end }: Span): Span {
  const cuts = (at: number): boolean => /^[\ud800-\udbff][\udc00-\udfff]/.test(text.slice(at - 1, at + 1));
  return { start: start > 0 && cuts(start) ? start - 1 : start, end: end > 0 && cuts(end) ? end + 1 : end };
}

function groupsOf(match: RegExpExecArray): TemplateMatch["groups"] {
  const groups: Record<string, Span | undefined> = {};
  for (const [name, indices] of Object.entries(match.indices?.groups ?? {})) {
    groups[name] = indices === undefined ? undefined : { start: indices[0], end: indices[1] };
  }
  return groups;
}

interface Wish {
  readonly type: string;
  /** Its rule says that it may be changed without a look. */
  readonly auto: boolean;
  /** Its brackets are not closed. */
  readonly broken: boolean;
  readonly match: TemplateMatch;
}
type Change = Pick<Found, "auto" | "why" | "suggestion" | "edits">;

function plan(pattern: RegexPattern, source: PreparedSource, wish: Wish): Change {
  const transformation = pattern.templates.get(wish.type);
  if (transformation === undefined) {
    return { auto: false, ...(wish.auto ? { why: `No transformation says how \`${wish.type}\` is rewritten.` } : {}) };
  }
  if (wish.broken) return { auto: false, why: "Its brackets are not closed." };
  const filled = fillTemplate(transformation.template, source, wish.match);
  if (filled === undefined) return { auto: false, why: "The transformation needs arguments that it does not have." };
  const suggestion = filled.text;
  if (!wish.auto) return { auto: false, suggestion };
  const why = transformation.review
    ? "Its transformation asks for a look."
    : (whyNot(pattern, source, wish.match.span, filled) ?? droppedArgument(wish.match, filled));
  if (why !== undefined) return { auto: false, why, suggestion };
  return { auto: true, suggestion, edits: [difference(source.text, wish.match.span, suggestion)] };
}

/** A call keeps all its arguments. */
function droppedArgument({ call }: TemplateMatch, { kept }: FilledTemplate): string | undefined {
  const dropped = call?.arguments.findIndex(({ start, end }) => !kept.some((span) => span.start <= start && span.end >= end)) ?? -1;
  return dropped < 0 ? undefined : `The transformation would drop argument ${dropped + 1}.`;
}

/** What a change without a look could destroy. */
function whyNot({ spec }: RegexPattern, source: PreparedSource, span: Span, filled: FilledTemplate): string | undefined {
  if (filled.text === source.text.slice(span.start, span.end)) return "It already reads as the transformation writes it.";
  const part = spec.in ?? "all";
  if (part === "comments" || part === "strings") return undefined;
  if (!isWholeWord(source, source.text, span)) return "It begins or ends inside a longer name.";
  for (const { kind, start, end } of tokensIn(source.tokens, span)) {
    const outside = start < span.start || end > span.end;
    if (kind === "directive") return "A directive is in it.";
    if (kind === "comment" && outside) return "It is in a comment.";
    if ((kind === "string" || kind === "quoted_name") && outside) return "It is in a string or a quoted name.";
    if (kind === "comment" && !filled.kept.some((kept) => kept.start <= start && kept.end >= end)) {
      return "The transformation would drop a comment.";
    }
  }
  return undefined;
}

/** The smallest edit that turns the match into the suggestion. */
function difference(text: string, { start, end }: Span, suggestion: string): TextEdit {
  const match = text.slice(start, end);
  const most = Math.min(match.length, suggestion.length);
  let head = 0;
  while (head < most && match.charCodeAt(head) === suggestion.charCodeAt(head)) head++;
  if (/[\ud800-\udbff]/.test(match.charAt(head - 1))) head--;
  let tail = 0;
  while (tail < most - head && match.charCodeAt(match.length - 1 - tail) === suggestion.charCodeAt(suggestion.length - 1 - tail)) tail++;
  if (/[\udc00-\udfff]/.test(match.charAt(match.length - tail))) tail--;
  return { start: start + head, end: end - tail, text: suggestion.slice(head, suggestion.length - tail) };
}

import { edited, type Finder, type Found, type SourceText, type TextEdit, type Writable } from "../finder.ts";
import { branchesAt, exclude, isGiven } from "./al-branches.ts";
import { readCall, type AlCall } from "./al-call.ts";
import { AlSymbols, type AlPlace } from "./al-symbols.ts";
import { Kind, endAt, isClosedString, isWord, kindAt, plainName, startAt, textAt, tokenAt, type AlTokens } from "./al-tokens.ts";
import { classifyError, hasEmptyArgument, returnsErrorInfo, type ErrorCallType } from "./classify-error.ts";
import { alreadyErrorInfo, errorCallAdvice, type ErrorCallAdvice } from "./error-call-advice.ts";
import { readAlTokens } from "./lex-al.ts";

/** Runtime in which `ErrorInfo.Create` with a message appeared. */
const createRuntime = 8;
const maxValues = 10;
/** A superset of what can be a call: the name may also end a longer one, and what follows may be a comment. Spaces are the lexer's. */
const candidate = /error[\0- \x7f\s\u0085\u200b\u200e\u200f\u2060]*[(/#]/i;
/** Where the name can be. */
const places = /error/gi;

/** Finds calls of the built-in `Error` that do not yet use ErrorInfo. */
export const alErrorCall: Finder = {
  id: "al-error-call",
  needles: ["error"],
  find: (source) => (candidate.test(source.text) ? findErrorCalls(readAlTokens(source.text), source) : []),
};

type ErrorCallFacts = Pick<SourceText, "runtime" | "test">;

/** A call of the built-in, found on tokens. */
export interface ErrorCall {
  readonly type: ErrorCallType;
  readonly place: AlPlace;
  /** Token of `Error`, or of `Dialog` before it. */
  readonly first: number;
  readonly call: AlCall;
  readonly asserted: boolean;
  /** A procedure `Error` of the object is in some of its builds. */
  readonly sometimesOwn: boolean;
}

export function findErrorCalls(tokens: AlTokens, facts: ErrorCallFacts): readonly Found[] {
  const found: Found[] = [];
  let symbols: AlSymbols | undefined;
  for (const { index } of tokens.text.matchAll(places)) {
    const at = tokenAt(tokens, index);
    if (!isCandidate(tokens, at)) continue;
    symbols ??= new AlSymbols(tokens);
    const call = readErrorCall(symbols, at);
    if (call !== undefined && call.type !== "errorinfo") found.push(describe(symbols, call, facts));
  }
  return found;
}

function isCandidate(tokens: AlTokens, at: number): boolean {
  return isWord(tokens, at, "error") && kindAt(tokens, at + 1) === Kind.PAREN_OPEN;
}

/** The call at a name `Error`, or undefined when it is not one of the built-in. */
export function readErrorCall(symbols: AlSymbols, at: number): ErrorCall | undefined {
  const { tokens } = symbols;
  if (!isCandidate(tokens, at)) return undefined;
  const place = symbols.placeOf(at);
  const before = kindAt(tokens, at - 1);
  let first = at;
  if (before === Kind.DOT) {
    if (!isDialog(symbols, place, at - 2)) return undefined;
    first = at - 2;
  } else if (before === Kind.DOUBLE_COLON || ["procedure", "trigger", "event"].some((word) => isWord(tokens, at - 1, word)))
    return undefined;
  const own = before === Kind.DOT ? "none" : ownError(symbols, place, at);
  if (own === "always") return undefined;
  const call = readCall(tokens, at + 1);
  const asserted = isWord(tokens, first - 1, "asserterror");
  return { type: classifyError(symbols, place, call), place, first, call, asserted, sometimesOwn: own === "sometimes" };
}

/** Whether the object has a procedure `Error` of its own at the place of the call: in every build, in some, or in none. */
function ownError(symbols: AlSymbols, { object }: AlPlace, at: number): "always" | "sometimes" | "none" {
  const { tokens } = symbols;
  const here = branchesAt(tokens, at);
  const own = symbols.procedures(object, "error").map(({ name }) => branchesAt(tokens, name));
  const together = own.filter((branches) => !exclude(branches, here));
  if (together.length === 0) return "none";
  return isGiven(here, together) ? "always" : "sometimes";
}

/** The type `Dialog`, or a variable of that type which has its name. */
function isDialog(symbols: AlSymbols, place: AlPlace, at: number): boolean {
  const { tokens } = symbols;
  const before = kindAt(tokens, at - 1);
  if (!isWord(tokens, at, "dialog") || before === Kind.DOT || before === Kind.DOUBLE_COLON) return false;
  return symbols.variables(place, "dialog").every((variable) => variable.type.keyword === "dialog");
}

function describe(symbols: AlSymbols, found: ErrorCall, facts: ErrorCallFacts): Found {
  const { tokens } = symbols;
  const { call, type, place } = found;
  const done = type === "function_call" && returnsErrorInfo(symbols, place, call);
  const advice = done ? alreadyErrorInfo : errorCallAdvice[type as Exclude<ErrorCallType, "errorinfo">];
  const why = whyNot(symbols, found, facts, advice);
  const edits = wrapping(tokens, call, advice);
  const start = startAt(tokens, found.first);
  const end = endAt(tokens, call.last);
  const auto = why === undefined && edits !== undefined;
  const result: Writable<Found> = { type, seedType: advice.seedType, auto, start, end, action: advice.action };
  if (!auto) result.needs = advice.needs === "manual" ? "manual" : "review";
  if (why !== undefined) result.why = why;
  if (advice.nothing === true && advice.why !== undefined) result.nothing = advice.why;
  if (edits !== undefined) result.suggestion = edited(tokens.text, start, end, edits);
  if (edits !== undefined && auto) result.edits = edits;
  if (place.routine !== undefined) result.procedure = plainName(tokens, place.routine.name);
  return result;
}

/** The reason why the engine leaves a call alone; undefined when it may rewrite it. */
function whyNot(symbols: AlSymbols, found: ErrorCall, facts: ErrorCallFacts, advice: ErrorCallAdvice): string | undefined {
  const { call, place } = found;
  if (call.close < 0) return "The brackets of the call do not balance.";
  if (found.sometimesOwn) return "In some builds the object has a procedure `Error` of its own.";
  if (found.asserted) return "The error is expected by asserterror.";
  if (facts.test || place.object.test) return "It is in test code.";
  if (advice.needs !== "auto") return advice.why;
  if (call.directives) return "A directive is inside the call.";
  if (facts.runtime === undefined) return "Runtime unknown: no app.json says it and no version was given.";
  if (facts.runtime < createRuntime) return `Runtime ${facts.runtime} has no ErrorInfo.Create; it appeared in ${createRuntime}.`;
  if (call.args.length > maxValues + 1) return `The call has more than ${maxValues} values.`;
  return whyNotText(symbols, found);
}

function whyNotText(symbols: AlSymbols, found: ErrorCall): string | undefined {
  const { tokens } = symbols;
  const { args } = found.call;
  if (hasEmptyArgument(args)) return "An argument is missing.";
  const strings = args.flat().filter((at) => kindAt(tokens, at) === Kind.STRING);
  if (strings.some((at) => !isClosedString(textAt(tokens, at)))) return "A string in the call has no end.";
  if (textAt(tokens, args[0]?.[0] ?? -1).includes("%%")) return "The text has `%%`, which the functions may not print alike.";
  const needed = found.type === "literal_args" ? ["ErrorInfo", "StrSubstNo"] : ["ErrorInfo"];
  const taken = needed.find((name) => symbols.declares(found.place, name.toLowerCase()));
  return taken === undefined ? undefined : `The object declares a name \`${taken}\` of its own.`;
}

/** Insertions behind the opening and before the closing bracket. The latter is in code, so no comment can hide what comes before it. */
function wrapping(tokens: AlTokens, call: AlCall, advice: ErrorCallAdvice): readonly TextEdit[] | undefined {
  if (advice.wrap === undefined || call.close < 0 || call.directives || hasEmptyArgument(call.args)) return undefined;
  const several = call.args.length > 1;
  if (several && advice.wrap === "create") return undefined;
  const format = advice.wrap === "format" || (advice.wrap === "by_count" && several);
  const open = endAt(tokens, call.open);
  const close = startAt(tokens, call.close);
  return [
    { start: open, end: open, text: format ? "ErrorInfo.Create(StrSubstNo(" : "ErrorInfo.Create(" },
    { start: close, end: close, text: format ? "))" : ")" },
  ];
}

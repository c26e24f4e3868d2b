import { readCall, readChain, type AlCall, type AlChain, type AlExpression } from "./al-call.ts";
import type { AlVariable } from "./al-declarations.ts";
import type { AlPlace, AlSymbols } from "./al-symbols.ts";
import { Kind, isWord, kindAt, nameKey, textAt } from "./al-tokens.ts";

/** What an `Error` call has in its brackets. */
export type ErrorCallType =
  | "errorinfo"
  | "silent_abort"
  | "getlasterror"
  | "strsubstno_label"
  | "strsubstno_literal"
  | "strsubstno_other"
  | "literal"
  | "literal_args"
  | "literal_mismatch"
  | "label"
  | "label_args"
  | "text_var"
  | "function_call"
  | "member"
  | "indexed"
  | "concat"
  | "expression"
  | "unresolved";

const lastErrorFunction = /^getlasterror(?:text|code|object|callstack)$/;

/** The type of a call by its first argument; the first rule that fits decides. */
export function classifyError(symbols: AlSymbols, place: AlPlace, call: AlCall): ErrorCallType {
  const [first = []] = call.args;
  const { tokens } = symbols;
  const [only = -1] = first;
  if (first.length === 1 && kindAt(tokens, only) === Kind.STRING) return classifyString(textAt(tokens, only), call.args.length > 1);
  const chain = readChain(tokens, first);
  if (chain === undefined) return first.some((at) => kindAt(tokens, at) === Kind.PLUS) ? "concat" : "expression";
  if (chain.links === ".(" && isWord(tokens, chain.base, "errorinfo") && isWord(tokens, chain.member, "create")) return "errorinfo";
  if (isLastError(symbols, place, chain)) return "getlasterror";
  if (isFormat(symbols, place, chain)) return classifyFormat(symbols, place, chain.open);
  if (chain.links === "") return classifyName(symbols, place, chain, call.args.length > 1);
  if (chain.links === "(") return "function_call";
  if (chain.links.endsWith("[")) return "indexed";
  if (chain.links.endsWith(":") || chain.links.endsWith(":(")) return "expression";
  return chain.links.includes(".") ? "member" : "expression";
}

function classifyString(raw: string, more: boolean): ErrorCallType {
  if (raw === "''" || raw === "@''") return "silent_abort";
  // `%1` to `%9` and fields such as `#1###`.
  if (/[%#][1-9]/.test(raw) !== more) return "literal_mismatch";
  return more ? "literal_args" : "literal";
}

/** `GetLastErrorText`, `GetLastErrorText()`, `System.GetLastErrorText()` and their sisters. */
function isLastError(symbols: AlSymbols, place: AlPlace, chain: AlChain): boolean {
  const { tokens } = symbols;
  if (chain.own || !lastErrorFunction.test(nameKey(tokens, chain.member))) return false;
  if (chain.links === "" || chain.links === "(") return !symbols.declares(place, nameKey(tokens, chain.base));
  return (chain.links === "." || chain.links === ".(") && isWord(tokens, chain.base, "system");
}

/** A call of the built-in `StrSubstNo`. */
function isFormat(symbols: AlSymbols, place: AlPlace, { base, links, own }: AlChain): boolean {
  return links === "(" && !own && isWord(symbols.tokens, base, "strsubstno") && !symbols.declares(place, "strsubstno");
}

function classifyFormat(symbols: AlSymbols, place: AlPlace, open: number): ErrorCallType {
  const { tokens } = symbols;
  const [format = []] = readCall(tokens, open).args;
  if (format.length === 1 && kindAt(tokens, format[0] as number) === Kind.STRING) return "strsubstno_literal";
  const chain = readChain(tokens, format);
  const label = chain !== undefined && chain.links === "" && isLabel(findVariable(symbols, place, chain));
  return label ? "strsubstno_label" : "strsubstno_other";
}

function classifyName(symbols: AlSymbols, place: AlPlace, chain: AlChain, more: boolean): ErrorCallType {
  const variable = findVariable(symbols, place, chain);
  if (variable === undefined)
    return symbols.procedures(place.object, nameKey(symbols.tokens, chain.base)).length > 0 ? "function_call" : "unresolved";
  if (isLabel(variable)) return more ? "label_args" : "label";
  if (variable.type.array) return "expression";
  if (variable.type.keyword === "errorinfo") return "errorinfo";
  return variable.type.keyword === "text" || variable.type.keyword === "code" ? "text_var" : "expression";
}

/** Of declarations that differ between branches of `#if`, one that is not an ErrorInfo: what is left to do must be seen. */
function findVariable(symbols: AlSymbols, place: AlPlace, chain: AlChain): AlVariable | undefined {
  const key = nameKey(symbols.tokens, chain.base);
  const found = chain.own ? symbols.globals(place.object, key) : symbols.variables(place, key);
  return found.find((variable) => variable.type.keyword !== "errorinfo") ?? found[0];
}

function isLabel(variable: AlVariable | undefined): boolean {
  return variable !== undefined && (variable.type.keyword === "label" || variable.type.keyword === "textconst");
}

/** Whether the first argument is an own procedure that returns an ErrorInfo: nothing is left to do then. */
export function returnsErrorInfo(symbols: AlSymbols, place: AlPlace, call: AlCall): boolean {
  const chain = readChain(symbols.tokens, call.args[0] ?? []);
  const own = chain === undefined ? [] : symbols.procedures(place.object, nameKey(symbols.tokens, chain.base));
  return own.length > 0 && own.every(({ returns }) => returns === "errorinfo");
}

/** Whether any argument is empty: `Error('x', )`. */
export function hasEmptyArgument(args: readonly AlExpression[]): boolean {
  return args.some((arg) => arg.length === 0);
}

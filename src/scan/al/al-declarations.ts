import { Kind, isNameAt, isWord, kindAt, nameKey, textAt, type AlTokens } from "./al-tokens.ts";

type AlScope = "local" | "parameter" | "return" | "global" | "protected";

/** One name of a declaration. Indexes are those of tokens. */
export interface AlVariable {
  readonly name: number;
  readonly scope: AlScope;
  readonly type: AlType;
  /** How many names the declaration has. */
  readonly names: number;
}

export interface AlType {
  /** Lower case: `label`, `text`, `codeunit` ... of the elements, for an array. */
  readonly keyword: string;
  readonly array: boolean;
  /** Last token of what follows the keyword of an object type: `NoSeriesManagement`, `396`, `A.B."C"`; -1 where there is none. */
  readonly subjectLast: number;
}

interface Header {
  readonly name: number;
  readonly variables: AlVariable[];
  /** Lower-case keyword of the type it returns; empty when it returns nothing. */
  readonly returns: string;
  readonly next: number;
}

/** Words that end a declaration whose semicolon is missing. */
const enders = ["begin", "procedure", "trigger", "var"] as const;
/** Words that end a list of parameters whose bracket is missing; `var` may be part of one. */
const headEnders = ["begin", "procedure", "trigger"] as const;
/** Words that end a section of variables, unless a colon or a comma shows that they are the name of one. */
const sectionEnders = [...enders, "local", "internal", "protected", "event", "end"] as const;
const objectTypes: ReadonlySet<string> = new Set(
  "codeunit record page report query xmlport enum interface testpage testrequestpage controladdin dotnet requestpage".split(" "),
);

/** Reads from the token after `procedure` or `trigger` to where the variables or the body begin; undefined when it is not the head of a routine. */
export function readHeader(tokens: AlTokens, from: number): Header | undefined {
  const variables: AlVariable[] = [];
  let name = from;
  let at = from + 1;
  while ((kindAt(tokens, at) === Kind.DOUBLE_COLON || kindAt(tokens, at) === Kind.DOT) && isNameAt(tokens, at + 1)) {
    name = at + 1;
    at += 2;
  }
  if (!isNameAt(tokens, from) || kindAt(tokens, at) !== Kind.PAREN_OPEN) return undefined;
  at = readParameters(tokens, at + 1, variables);
  const named = isNameAt(tokens, at) && kindAt(tokens, at + 1) === Kind.COLON;
  const colon = named ? at + 1 : at;
  if (kindAt(tokens, colon) !== Kind.COLON) return { name, variables, returns: "", next: at };
  const { type } = readType(tokens, colon + 1);
  if (named) variables.push({ name: at, scope: "return", type, names: 1 });
  return { name, variables, returns: type.keyword, next: colon + 1 };
}

/** From the token after the opening bracket to the one after the closing. */
function readParameters(tokens: AlTokens, from: number, variables: AlVariable[]): number {
  let at = from;
  while (at < tokens.count) {
    const kind = kindAt(tokens, at);
    if (kind === Kind.PAREN_CLOSE) return at + 1;
    if (isEnder(tokens, at, headEnders)) return at;
    if (isNameAt(tokens, at) && kindAt(tokens, at + 1) === Kind.COLON) {
      const { type, next } = readType(tokens, at + 2);
      variables.push({ name: at, scope: "parameter", type, names: 1 });
      at = next;
    } else at += 1;
  }
  return at;
}

/** From the token after `var` to the first that is part of no declaration, which is returned. */
export function readVariables(tokens: AlTokens, from: number, scope: AlScope, variables: AlVariable[]): number {
  let at = from;
  while (at < tokens.count) {
    const kind = kindAt(tokens, at);
    if (kind === Kind.BRACKET_OPEN) {
      at = skipBrackets(tokens, at);
      continue;
    }
    const names = readNames(tokens, at);
    if (names.length > 0) {
      const { type, next } = readType(tokens, (names.at(-1) as number) + 2);
      for (const name of names) variables.push({ name, scope, type, names: names.length });
      at = next;
    } else if (kind === Kind.BRACE_CLOSE || kind === Kind.BRACE_OPEN || isEnder(tokens, at, sectionEnders)) break;
    else at += 1;
  }
  return at;
}

/** `A, "B", C :`, or nothing. */
function readNames(tokens: AlTokens, from: number): readonly number[] {
  const names: number[] = [];
  for (let at = from; isNameAt(tokens, at); at += 2) {
    names.push(at);
    const after = kindAt(tokens, at + 1);
    if (after === Kind.COLON) return names;
    if (after !== Kind.COMMA) return [];
  }
  return [];
}

/** Reads from the token after the colon to the semicolon or closing bracket that ends the declaration, or to what cannot be part of it. */
function readType(tokens: AlTokens, from: number): { type: AlType; next: number } {
  let at = from;
  const array = isWord(tokens, at, "array");
  if (array) {
    at += 1;
    if (kindAt(tokens, at) === Kind.BRACKET_OPEN) at = skipBrackets(tokens, at);
    if (isWord(tokens, at, "of")) at += 1;
  }
  const keyword = isNameAt(tokens, at) ? nameKey(tokens, at) : textAt(tokens, at);
  const subjectLast = objectTypes.has(keyword) ? lastOfSubject(tokens, at + 1) : -1;
  return { type: { keyword, array, subjectLast }, next: typeEnd(tokens, at) };
}

function lastOfSubject(tokens: AlTokens, from: number): number {
  if (kindAt(tokens, from) === Kind.NUMBER) return from;
  if (!isNameAt(tokens, from)) return -1;
  let last = from;
  while (kindAt(tokens, last + 1) === Kind.DOT && isNameAt(tokens, last + 2)) last += 2;
  return last;
}

function typeEnd(tokens: AlTokens, from: number): number {
  let depth = 0;
  let at = from;
  for (; at < tokens.count; at += 1) {
    const kind = kindAt(tokens, at);
    if (kind === Kind.SEMICOLON && depth <= 0) return at + 1;
    if (kind === Kind.BRACE_OPEN || kind === Kind.BRACE_CLOSE || isEnder(tokens, at, enders)) return at;
    if (kind === Kind.BRACKET_OPEN || kind === Kind.PAREN_OPEN) depth += 1;
    else if (kind === Kind.BRACKET_CLOSE || kind === Kind.PAREN_CLOSE) {
      if (depth === 0 && kind === Kind.PAREN_CLOSE) return at;
      depth -= 1;
    }
  }
  return at;
}

function skipBrackets(tokens: AlTokens, from: number): number {
  let depth = 0;
  for (let at = from; at < tokens.count; at += 1) {
    const kind = kindAt(tokens, at);
    if (kind === Kind.BRACKET_OPEN) depth += 1;
    else if (kind === Kind.BRACKET_CLOSE) depth -= 1;
    else if (kind === Kind.BRACE_CLOSE || kind === Kind.SEMICOLON) return at;
    if (depth === 0) return at + 1;
  }
  return tokens.count;
}

/** Asked of nearly every token of a declaration, most of which are not names. */
function isEnder(tokens: AlTokens, at: number, words: readonly string[]): boolean {
  if (kindAt(tokens, at) !== Kind.NAME) return false;
  for (const word of words) if (isWord(tokens, at, word)) return true;
  return false;
}

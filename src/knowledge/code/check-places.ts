import type { CodeToken, LexedCode } from "./lex.ts";
import { argumentsAt, closing, isInLoop, routineAt, type Structure } from "./structure.ts";

export function name(token: CodeToken | undefined, ...keys: readonly string[]): boolean {
  return token?.kind === "name" && keys.includes(token.key);
}

export function sign(token: CodeToken | undefined, text: string): boolean {
  return token?.kind === "sign" && token.text === text;
}

/** Places of calls by name: bare, or as a member of something. */
function calls(tokens: readonly CodeToken[], wanted: readonly string[], member: boolean): number[] {
  return tokens.flatMap((token, at) => {
    const before = tokens[at - 1];
    const isDeclared = name(before, "procedure", "trigger", "event") || sign(before, "::");
    return name(token, ...wanted) && sign(before, ".") === member && !isDeclared ? [at] : [];
  });
}

export function inLoops(wanted: readonly string[], member: boolean): (code: LexedCode, structure: Structure) => number[] {
  return ({ tokens }, structure) => calls(tokens, wanted, member).filter((at) => isInLoop(structure, at));
}

/** Calls of the built-in `Error` whose first argument passes a test. */
export function errorCalls(tokens: readonly CodeToken[], test: (argument: readonly CodeToken[]) => boolean): number[] {
  return calls(tokens, ["error"], false).filter((at) => {
    const [first] = argumentsOf(tokens, at);
    return first !== undefined && !name(tokens[at - 1], "asserterror") && test(first);
  });
}

/** Arguments of the call by the name at a place. */
function argumentsOf(tokens: readonly CodeToken[], at: number): (readonly CodeToken[])[] {
  return sign(tokens[at + 1], "(") ? argumentsAt(tokens, at + 1).map(({ from, to }) => tokens.slice(from, to)) : [];
}

/** The token behind a name and its brackets, if it has any. */
function behindCall(tokens: readonly CodeToken[], at: number): number {
  return sign(tokens[at + 1], "(") ? closing(tokens, at + 1) + 1 : at + 1;
}

const secretName = /(?:password|passwd|pwd|secret|api_?key|client_?secret|access_?token|auth_?token|private_?key)$/i;
const placeholder = /^(?:|%1|\*+|x+|<.*>|\$\{.*\}|\{.*\}|changeme|todo)$/i;

export function* secrets({ tokens }: LexedCode): Generator<number> {
  for (const [at, token] of tokens.entries()) {
    if (token.kind !== "name" || !secretName.test(token.text)) continue;
    const assigned = sign(tokens[at + 1], ":=") || sign(tokens[at + 1], "=") || sign(tokens[at + 1], ":");
    const isLabel = sign(tokens[at + 1], ":") && name(tokens[at + 2], "label");
    const value = tokens[isLabel ? at + 3 : at + 2];
    const ends = tokens[isLabel ? at + 4 : at + 3];
    if (!assigned || value?.kind !== "string") continue;
    const isWhole = ends === undefined || /^[;,)}]$/.test(ends.text) || ends.line > value.line;
    if (isWhole && /^\S{6,}$/.test(value.text) && !placeholder.test(value.text)) yield at;
  }
}

/** `X += Rec.Field` in a loop that ends with `until Rec.Next() = 0`. */
export function* summations({ tokens }: LexedCode, { loops }: Structure): Generator<number> {
  for (const { from, to } of loops) {
    if (!name(tokens[to], "until") || !sign(tokens[to + 2], ".") || !name(tokens[to + 3], "next")) continue;
    const record = tokens[to + 1]!;
    const body = tokens.slice(from + 1, to);
    const statements = body.filter((token) => sign(token, ";")).length;
    const adds = body.findIndex((token, at) => sign(token, "+=") && body[at + 1]?.key === record.key && sign(body[at + 2], "."));
    // Other statements in the loop need its rows anyway.
    if (adds >= 0 && statements <= 1 && !body.some((token) => name(token, "if", "case", "begin"))) yield from + 1 + adds;
  }
}

/** Reads of a record in a routine that never says which fields it needs. */
export function* fullReads({ tokens }: LexedCode, structure: Structure): Generator<number> {
  for (const at of calls(tokens, ["findset"], true)) {
    const record = tokens[at - 2];
    const routine = routineAt(structure, at);
    if (record?.kind !== "name" || routine === undefined) continue;
    const span = tokens.slice(routine.from, routine.to);
    const on = (key: string): boolean =>
      span.some((token, place) => name(token, key) && sign(span[place - 1], ".") && span[place - 2]?.key === record.key);
    const writes = ["modify", "delete", "rename", "insert", "validate", "transferfields"].some(on);
    const isTemporary = span.some(
      (token, place) =>
        token.key === record.key && sign(span[place + 1], ":") && span.slice(place, place + 6).some((next) => name(next, "temporary")),
    );
    if (!on("setloadfields") && !writes && !isTemporary) yield at;
  }
}

export function* countsAsExistence({ tokens }: LexedCode): Generator<number> {
  for (const at of calls(tokens, ["count"], true)) {
    const next = behindCall(tokens, at);
    const compared = ["=", ">", "<>"].some((text) => sign(tokens[next], text));
    if (compared && tokens[next + 1]?.text === "0" && tokens[next + 1]?.kind === "number") yield at;
  }
}

export function* firstThenLoop({ tokens }: LexedCode): Generator<number> {
  for (const at of calls(tokens, ["findfirst", "findlast"], true)) {
    const next = behindCall(tokens, at);
    if (name(tokens[next], "then") && name(tokens[next + 1], "repeat")) yield at;
  }
}

export function* openFilters({ tokens }: LexedCode): Generator<number> {
  for (const at of calls(tokens, ["setfilter"], true)) {
    const [, second = []] = argumentsOf(tokens, at);
    if (second.some((token) => sign(token, "+")) && second.some((token) => token.kind === "name")) yield at;
  }
}

export function* plainAddresses({ tokens }: LexedCode): Generator<number> {
  const address = /^http:\/\/(?=[a-z0-9])(?!localhost|127\.|\[::1\]|www\.w3\.org|schemas?\.|tempuri\.org|[\w.]*example\.)/i;
  for (const [at, token] of tokens.entries()) {
    const isNamespace = tokens
      .slice(Math.max(0, at - 6), at)
      .some(({ kind, key }) => kind === "name" && /namespace|xmlns|schema/i.test(key));
    if (token.kind === "string" && address.test(token.text) && !isNamespace) yield at;
  }
}

/** A comment inside says why nothing is done. */
export function* emptyCatches({ tokens, language, comments }: LexedCode): Generator<number> {
  for (const [at, token] of tokens.entries()) {
    if (language === "python" && name(token, "except")) {
      const colon = tokens.findIndex((next, place) => place > at && place < at + 8 && sign(next, ":"));
      if (colon > 0 && name(tokens[colon + 1], "pass")) yield at;
    } else if (name(token, "catch")) {
      const body = behindCall(tokens, at);
      const isEmpty = sign(tokens[body], "{") && sign(tokens[body + 1], "}");
      if (isEmpty && !comments.some(({ line }) => line >= tokens[body]!.line && line <= tokens[body + 1]!.line)) yield at;
    }
  }
}

export function* secretsAsText({ tokens }: LexedCode): Generator<number> {
  for (const [at, token] of tokens.entries()) {
    if (token.kind === "name" && secretName.test(token.text) && sign(tokens[at + 1], ":") && name(tokens[at + 2], "text")) yield at;
  }
}

import { languageOf } from "./language.ts";
import { lex, type CodeToken } from "./lex.ts";

/** Names that occur in code, each with the lines it stands on. Comments and texts do not count. */
export type FindConstructs = (text: string, path: string | undefined) => ReadonlyMap<string, readonly number[]>;

/** The room's own reading: every name, and `A.B` or `A::B` for names joined by one sign. */
export const findConstructs: FindConstructs = (text, path) => constructsOf(lex(text, languageOf(path, text) ?? "text").tokens);

export function constructsOf(tokens: readonly CodeToken[]): ReadonlyMap<string, readonly number[]> {
  const found = new Map<string, number[]>();
  const add = (name: string, line: number): void => {
    const lines = found.get(name);
    if (lines === undefined) found.set(name, [line]);
    else if (lines.at(-1) !== line) lines.push(line);
  };
  for (const [at, token] of tokens.entries()) {
    if (token.kind !== "name") continue;
    add(token.text, token.line);
    const joint = tokens[at + 1];
    const next = tokens[at + 2];
    if (next?.kind === "name" && joint?.kind === "sign" && (joint.text === "." || joint.text === "::"))
      add(`${token.text}${joint.text}${next.text}`, token.line);
  }
  return found;
}

const objectWords =
  /^(?:codeunit|table|page|report|query|xmlport|enum|interface|controladdin|profile|permissionset|entitlement|dotnet|tableextension|pageextension|reportextension|enumextension|permissionsetextension|pagecustomization)$/;

/** Keyword of the first object declared in AL code, in lower case; undefined for a piece of code without one. */
export function objectTypeOf(tokens: readonly CodeToken[]): string | undefined {
  for (const [at, token] of tokens.entries()) {
    const before = tokens[at - 1];
    const next = tokens[at + 1];
    const opens = before === undefined || before.text === ";" || before.text === "}" || before.text === "]";
    if (opens && token.kind === "name" && objectWords.test(token.key) && (next?.kind === "name" || next?.kind === "number"))
      return token.key;
  }
  return undefined;
}

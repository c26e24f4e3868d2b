import { Kind, endAt, isNameAt, isWord, kindAt, startAt, textAt, type AlTokens } from "./al-tokens.ts";

const titles =
  "Codeunit Page PageExtension PageCustomization Table TableExtension Report ReportExtension Query XmlPort Enum EnumExtension Interface " +
  "PermissionSet PermissionSetExtension Profile ProfileExtension ControlAddIn Entitlement DotNet";

/** How the type of an object is shown, by the keyword that declares it. */
export const objectTitles: ReadonlyMap<string, string> = new Map(titles.split(" ").map((title) => [title.toLowerCase(), title]));

/**
 * The lower-case keyword when an object is declared at this token. `depth` is the number of braces that seem open; a numbered object is
 * also recognised where it is wrong, because branches of `#if` may open a brace twice.
 */
export function objectKeywordAt(tokens: AlTokens, at: number, depth: number): string | undefined {
  const next = kindAt(tokens, at + 1);
  const numbered = next === Kind.NUMBER;
  if (endAt(tokens, at) - startAt(tokens, at) < 4 || !(numbered || (depth === 0 && (next === Kind.BRACE_OPEN || isNameAt(tokens, at + 1)))))
    return undefined;
  const before = kindAt(tokens, at - 1);
  if (depth > 0 && before !== Kind.BRACE_CLOSE && before !== Kind.SEMICOLON) return undefined;
  const keyword = tokens.foldCase ? textAt(tokens, at).toLowerCase() : textAt(tokens, at);
  if (!objectTitles.has(keyword)) return undefined;
  if (next === Kind.BRACE_OPEN) return keyword === "dotnet" ? keyword : undefined;
  const name = numbered ? at + 2 : at + 1;
  return isNameAt(tokens, name) && opensSoon(tokens, name + 1) ? keyword : undefined;
}

/** The brace comes after `extends X`, `customizes X` or `implements A, B` at most. */
function opensSoon(tokens: AlTokens, from: number): boolean {
  const kind = kindAt(tokens, from);
  return kind === Kind.BRACE_OPEN || kind === 0 || ["extends", "customizes", "implements"].some((word) => isWord(tokens, from, word));
}

import { NAME, PAREN_CLOSE, PAREN_OPEN, QUOTED, SEMICOLON, isWord, kindAt, nameKey, type AlTokens } from "./al-tokens.ts";

/** Words before the bracket of an element that has a name alone, or its name first. */
const namesFirst = ["dataitem", "tableelement", "textelement", "fieldelement", "textattribute", "fieldattribute"];

/**
 * Names that the fields, data items and elements between two tokens give: code of the object can use them like variables. What only
 * looks like one is taken too; a name too many makes nobody rewrite code that he should not.
 */
export function elementNames(tokens: AlTokens, first: number, end: number): ReadonlySet<string> {
  const names = new Set<string>();
  for (let at = first; at < end; at += 1) {
    const kind = tokens.kinds[at];
    if ((kind === NAME || kind === QUOTED) && isElement(tokens, at)) names.add(nameKey(tokens, at));
  }
  return names;
}

function isElement(tokens: AlTokens, at: number): boolean {
  const before = kindAt(tokens, at - 1);
  const after = kindAt(tokens, at + 1);
  if (after === SEMICOLON) return before === SEMICOLON || before === PAREN_OPEN;
  return after === PAREN_CLOSE && before === PAREN_OPEN && namesFirst.some((word) => isWord(tokens, at - 2, word));
}

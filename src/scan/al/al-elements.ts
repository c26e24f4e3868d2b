import { Kind, isWord, kindAt, nameKey, type AlTokens } from "./al-tokens.ts";

/** Objects whose elements their own code can name. */
const haveElements = new Set(["table", "tableextension", "report", "reportextension", "xmlport", "query"]);

/** Words before the bracket of an element that has a name alone, or its name first. */
const namesFirst = ["dataitem", "tableelement", "textelement", "fieldelement", "textattribute", "fieldattribute"];

/**
 * Names of the fields, data items and elements of an object that ends before a token: its code can use them like variables. What only
 * looks like one is taken too: a name too many leaves a call to a person, no more.
 */
export function elementNames(
  tokens: AlTokens,
  object: { readonly keyword: string; readonly first: number },
  end: number,
): ReadonlySet<string> {
  const names = new Set<string>();
  if (!haveElements.has(object.keyword)) return names;
  for (let at = object.first; at < end; at += 1) {
    const kind = tokens.kinds[at];
    if ((kind === Kind.NAME || kind === Kind.QUOTED) && isElement(tokens, at)) names.add(nameKey(tokens, at));
  }
  return names;
}

function isElement(tokens: AlTokens, at: number): boolean {
  const before = kindAt(tokens, at - 1);
  const after = kindAt(tokens, at + 1);
  if (after === Kind.SEMICOLON) return before === Kind.SEMICOLON || before === Kind.PAREN_OPEN;
  return after === Kind.PAREN_CLOSE && before === Kind.PAREN_OPEN && namesFirst.some((word) => isWord(tokens, at - 2, word));
}

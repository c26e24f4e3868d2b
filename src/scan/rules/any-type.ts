import type { Finder, Found } from "../finder.ts";
import type { CodeTokens } from "./code-tokens.ts";

/** Every `any` that is a type. The place is the word itself. */
export const anyType: Finder = {
  id: "any-type",
  needles: ["any"],
  find({ code, language }) {
    if (language !== "typescript" && language !== "tsx") return [];
    const found: Found[] = [];
    for (let at = 0; at < code.length; at += 1) {
      if (code.kind(at) !== "name" || code.word(at) !== "any" || !isType(code, at)) continue;
      const type = typeOf(code.word(at - 1));
      found.push({ type, auto: false, needs: "manual", start: code.start(at), end: code.end(at), action: actions[type] });
    }
    return found;
  },
};

type AnyType = "cast" | "annotation" | "type_argument";
const actions: Readonly<Record<AnyType, string>> = {
  cast: "Find out why the type does not fit and correct the type; at a border narrow from unknown.",
  annotation: "Name the type, or use unknown and narrow it.",
  type_argument: "Name the type of the elements, or use unknown.",
};

function typeOf(before: string): AnyType {
  if (before === "as" || before === "satisfies") return "cast";
  return before === ":" ? "annotation" : "type_argument";
}

/** What only a type follows, where a value named `any` is not thinkable. */
const beforeType = new Set(["as", "satisfies", "extends", "keyof", "is", "readonly", "|", "&", "?"]);

function isType(code: CodeTokens, at: number): boolean {
  const [before, behind] = [code.word(at - 1), code.word(at + 1)];
  if (before === ".") return code.sees(at - 3, ".", ".", ".") && behind === "[";
  const isParameter = before !== ":" && code.sees(at + 1, "=", ">");
  if (behind === "." || isParameter) return false;
  if (beforeType.has(before)) return behind !== "(" || before === "as";
  if (behind === "(") return false;
  switch (before) {
    case ":":
      return true;
    case "<":
      return behind !== ":";
    case ">":
      return code.word(at - 2) === "=";
    case "=":
      return !["=", "!", "<", ">"].includes(code.touches(at - 1) ? code.word(at - 2) : "");
    case "[":
      return behind !== ":" && !(behind === "?" && code.word(at + 2) === ":");
    case "(":
      return ["|", "&", "["].includes(behind) || (behind === ")" && ["[", "|", "&"].includes(code.word(at + 2)));
    case ",":
      return behind !== ":" && ["<", "["].includes(code.word(code.opener(at - 1)));
    case "in":
      return code.word(code.opener(at - 1)) === "[" && (behind === "]" || behind === "as");
    default:
      return false;
  }
}

import type { AlTokens } from "./al-tokens.ts";

/** One open `#if`: its condition and which of its branches is meant. `#if not X` is the second branch of `X`. */
interface Branch {
  readonly condition: string;
  readonly number: number;
}

/** The branches of `#if` in which a token stands, from the outermost. */
export function branchesAt(tokens: AlTokens, at: number): readonly Branch[] {
  const open: Branch[] = [];
  for (const { word, before, start, end } of tokens.directives) {
    if (before > at) break;
    if (word === "if") open.push(toBranch(tokens.text.slice(start, end)));
    else if (word === "endif") open.pop();
    else if (word !== "other") {
      const branch = open.pop();
      if (branch !== undefined)
        open.push(word === "else" ? { ...branch, number: otherSide(branch.number) } : { ...branch, number: branch.number + 2 });
    }
  }
  return open;
}

/** Whether no build has both: they stand in different branches of the same condition. */
export function exclude(one: readonly Branch[], other: readonly Branch[]): boolean {
  return one.some((a) => other.some((b) => a.condition === b.condition && a.number !== b.number));
}

function toBranch(directive: string): Branch {
  const condition = directive
    .replace(/^#\s*if\b/i, "")
    .replace(/\/\/.*$/, "")
    .trim()
    .replaceAll(/\s+/g, " ")
    .toLowerCase();
  const negated = /^not ([\p{L}\p{Nd}_]+)$/u.exec(condition)?.[1];
  return negated === undefined ? { condition, number: 0 } : { condition: negated, number: 1 };
}

/** Without `#elif` the sides are 0 and 1; after one there are more, and the last is none of them. */
function otherSide(number: number): number {
  return number < 2 ? 1 - number : -1;
}

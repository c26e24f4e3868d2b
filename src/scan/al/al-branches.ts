import type { AlTokens } from "./al-tokens.ts";

/** One branch of one `#if`. */
export interface Branch {
  /** Where its `#if` begins: branches of one `#if` never come together. */
  readonly chain: number;
  readonly number: number;
  /** The condition of the `#if` without a leading `not`, and whether it holds in this branch. */
  readonly condition: string;
  readonly holds: boolean;
  /** Nothing but the condition decides about this branch: it is neither an `#elif` nor an `#else` after one. */
  readonly alone: boolean;
}

/** The branches of `#if` around a token, from the outermost. */
export function branchesAt(tokens: AlTokens, at: number): readonly Branch[] {
  const open: Branch[] = [];
  for (const { word, before, start, end } of tokens.directives) {
    if (before > at) break;
    if (word === "if") open.push(toBranch(start, tokens.text.slice(start, end)));
    else if (word === "endif") open.pop();
    else if (word !== "other") {
      const branch = open.pop();
      if (branch !== undefined) open.push(nextOf(branch, word === "else"));
    }
  }
  return open;
}

/** Whether no build has both. */
export function exclude(one: readonly Branch[], other: readonly Branch[]): boolean {
  return one.some((a) =>
    other.some((b) => (a.chain === b.chain ? a.number !== b.number : a.condition === b.condition && a.holds !== b.holds)),
  );
}

/** Whether every build that has `here` has what is in these branches, or in one of two such lists. */
export function isGiven(here: readonly Branch[], lists: readonly (readonly Branch[])[]): boolean {
  const open = lists.map((branches) => branches.filter((branch) => !follows(here, branch)));
  return open.some(
    (one) =>
      one.length === 0 ||
      (one.length === 1 && open.some((other) => other.length === 1 && areOpposite(one[0] as Branch, other[0] as Branch))),
  );
}

function follows(here: readonly Branch[], one: Branch): boolean {
  return here.some((b) =>
    b.chain === one.chain ? b.number === one.number : one.alone && b.condition === one.condition && b.holds === one.holds,
  );
}

function areOpposite(one: Branch, other: Branch): boolean {
  return one.alone && other.alone && one.condition === other.condition && one.holds !== other.holds;
}

/** `#elif` and `#else` say that the condition of the first branch does not hold. */
function nextOf(branch: Branch, last: boolean): Branch {
  const first = branch.number === 0;
  return {
    ...branch,
    number: branch.number + 1,
    holds: first ? !branch.holds : branch.holds,
    alone: first && last,
  };
}

function toBranch(chain: number, directive: string): Branch {
  const condition = directive
    .replace(/^#\s*if\b/i, "")
    .replace(/\/\/.*$/, "")
    .trim()
    .replaceAll(/\s+/g, " ")
    .toLowerCase();
  const negated = /^not ([\p{L}\p{Nd}_]+)$/u.exec(condition)?.[1];
  return { chain, number: 0, condition: negated ?? condition, holds: negated === undefined, alone: true };
}

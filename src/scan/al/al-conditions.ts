import type { AlDirective } from "./al-tokens.ts";

/** Whether a symbol is defined; undefined: nobody knows. Names are in lower case. */
export type SymbolFacts = (name: string) => boolean | undefined;

/** A branch of `#if` that no build with these symbols has. Offsets of its text, the end exclusive. */
export interface ExcludedBranch {
  readonly start: number;
  readonly end: number;
  /** The condition that decides, as it is written. */
  readonly condition: string;
}

/**
 * Symbols of an app for a version: `CLEANnn` and `CLEANSCHEMAnn` are defined up to it and not beyond, for what was marked obsolete by then is
 * cleaned away in the new code; those that the app itself defines are defined too. Of every other symbol nothing is known.
 */
export function symbolsOf(version: number, own: readonly string[] = []): SymbolFacts {
  const defined = new Set(own.map((name) => name.toLowerCase()));
  return (name) => {
    if (defined.has(name)) return true;
    const clean = /^clean(?:schema)?(\d{1,3})$/.exec(name)?.[1];
    return clean === undefined ? undefined : Number(clean) <= version;
  };
}

type Truth = boolean | undefined;

interface Open {
  /** Whether one of the branches so far is taken. */
  readonly taken: Truth;
  readonly live: Truth;
  readonly outer: Truth;
  /** Where the present branch begins, and what decides about it. */
  readonly from: number;
  readonly condition: string;
}

/** Branches that are certainly not compiled. `#define` and `#undef` count from their place on; an `#if` without end reaches to the end. */
export function excludedBranches(text: string, directives: readonly AlDirective[], known: SymbolFacts): readonly ExcludedBranch[] {
  const found: ExcludedBranch[] = [];
  const own = new Map<string, boolean>();
  const symbols: SymbolFacts = (name) => own.get(name) ?? known(name);
  const stack: Open[] = [];
  const close = ({ live, outer, from, condition }: Open, end: number): void => {
    // What is inside of an excluded branch is excluded with it.
    if (live === false && outer !== false) found.push({ start: from, end, condition });
  };
  for (const { word, start, end } of directives) {
    const top = stack.at(-1);
    if (word === "other") {
      const [, sign = "", name = ""] = /^#[ \t]*(define|undef)[ \t]+([\p{L}\p{Nd}_]+)/iu.exec(text.slice(start, end)) ?? [];
      if (name !== "" && (top === undefined || top.live === true)) own.set(name.toLowerCase(), sign.toLowerCase() === "define");
      continue;
    }
    const condition = conditionOf(text.slice(start, end));
    if (word === "if") {
      const outer = top === undefined ? true : top.live;
      const holds = evaluate(condition, symbols);
      stack.push({ taken: holds, live: both(outer, holds), outer, from: end, condition });
      continue;
    }
    if (top === undefined) continue;
    stack.pop();
    close(top, start);
    if (word === "endif") continue;
    const holds = word === "else" ? true : evaluate(condition, symbols);
    const live = both(top.outer, both(not(top.taken), holds));
    const why = word === "else" ? top.condition : condition;
    stack.push({ taken: either(top.taken, holds), live, outer: top.outer, from: end, condition: why });
  }
  for (const open of stack.toReversed()) close(open, text.length);
  return found.toSorted((a, b) => a.start - b.start);
}

/** The condition of a directive, without the word and a comment behind it. */
function conditionOf(directive: string): string {
  return directive
    .replace(/^#[ \t]*[a-z]+/i, "")
    .replace(/\/\/.*$/, "")
    .trim()
    .replaceAll(/\s+/g, " ");
}

/** `not` binds closer than `and`, that closer than `or`. What cannot be read is unknown. */
export function evaluate(condition: string, symbols: SymbolFacts): Truth {
  const words = condition.toLowerCase().match(/[\p{L}\p{Nd}_]+|[()]|[^\s]/gu) ?? [];
  let at = 0;
  const next = (word: string): boolean => words[at] === word && (at += 1) > 0;
  const anyOf = (): Truth => {
    let value = allOf();
    while (next("or")) value = either(value, allOf());
    return value;
  };
  const allOf = (): Truth => {
    let value = one();
    while (next("and")) value = both(value, one());
    return value;
  };
  const one = (): Truth => {
    if (next("not")) return not(one());
    if (next("(")) {
      const value = anyOf();
      if (!next(")")) throw new SyntaxError("a bracket is open");
      return value;
    }
    const word = words[at] ?? "";
    if (!/^[\p{L}\p{Nd}_]+$/u.test(word)) throw new SyntaxError("a symbol is missing");
    at += 1;
    return word === "true" ? true : word === "false" ? false : symbols(word);
  };
  try {
    const value = anyOf();
    return at === words.length ? value : undefined;
  } catch (error) {
    if (error instanceof SyntaxError) return undefined;
    throw error;
  }
}

function not(value: Truth): Truth {
  return value === undefined ? undefined : !value;
}

function both(a: Truth, b: Truth): Truth {
  return a === false || b === false ? false : a === true && b === true ? true : undefined;
}

function either(a: Truth, b: Truth): Truth {
  return a === true || b === true ? true : a === false && b === false ? false : undefined;
}

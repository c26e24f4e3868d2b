import type { ParsedRegex, RegexNode } from "./parse-regex.ts";

/** What is known about the text that a part matches: exactly this, at least one of these, or nothing. Lower case. */
type Knowledge = string | readonly string[] | undefined;

/** Shorter texts are in nearly every file. */
const shortest = 3;
const mostAlternatives = 24;

/**
 * Texts in lower-case ASCII of which every match holds at least one, in any case; undefined when that cannot be proven.
 * White space is never part of them, since what a mask blanks reads as space.
 */
export function needlesOf(parsed: ParsedRegex, flags: string): readonly string[] | undefined {
  // With both flags `s` also matches a long s and `k` the Kelvin sign, which are not ASCII.
  const folds = flags.includes("i") && /[uv]/.test(flags);
  return best([knowledgeOf(parsed.root, folds)]);
}

function knowledgeOf(node: RegexNode, folds: boolean): Knowledge {
  switch (node.kind) {
    case "set": {
      const literal = node.literal?.toLowerCase();
      return literal !== undefined && /^[!-~]$/.test(literal) && !(folds && /[sk]/.test(literal)) ? literal : undefined;
    }
    case "look":
    case "edge":
      return "";
    case "sequence":
      return ofSequence(node.items.map((item) => knowledgeOf(item, folds)));
    case "choice":
      return ofChoice(node.items.map((option) => knowledgeOf(option, folds)));
    case "repeat": {
      if (node.min === 0) return undefined;
      const body = knowledgeOf(node.body, folds);
      return node.max === 1 ? body : best([body]);
    }
    case "reference":
      return undefined;
  }
}

function ofSequence(items: readonly Knowledge[]): Knowledge {
  const candidates: Knowledge[] = [];
  let run = "";
  for (const item of items) {
    if (typeof item === "string") run += item;
    else {
      candidates.push(run, item);
      run = "";
    }
  }
  return candidates.length === 0 ? run : best([...candidates, run]);
}

function ofChoice(options: readonly Knowledge[]): Knowledge {
  const needles = new Set<string>();
  for (const option of options) {
    const known = best([option]);
    if (known === undefined) return undefined;
    for (const needle of known) needles.add(needle);
  }
  return needles.size > mostAlternatives ? undefined : [...needles];
}

/** The list whose shortest text is longest. */
function best(candidates: readonly Knowledge[]): readonly string[] | undefined {
  let chosen: readonly string[] | undefined;
  let length = shortest - 1;
  for (const candidate of candidates) {
    const list = typeof candidate === "string" ? [candidate] : (candidate ?? [""]);
    const least = Math.min(...list.map((needle) => needle.length));
    if (least > length) {
      chosen = list;
      length = least;
    }
  }
  return chosen;
}

import type { ParsedRegex, RegexNode } from "./parse-regex.ts";

/** What is known about the text that a part matches: exactly this, or at least one of these. Lower case. */
interface Knowledge {
  readonly exact?: string;
  readonly oneOf?: readonly string[];
}

/** Shorter texts are in nearly every file. */
const shortest = 3;
const mostAlternatives = 24;
const unknown: Knowledge = {};

/**
 * Texts in lower-case ASCII of which every match holds at least one, in any case; undefined when that cannot be proven.
 * White space is never part of them, since what a mask blanks reads as space.
 */
export function needlesOf(parsed: ParsedRegex, flags: string): readonly string[] | undefined {
  // With both flags `s` also matches a long s and `k` the Kelvin sign, which are not ASCII.
  const folds = flags.includes("i") && /[uv]/.test(flags);
  const known = knowledgeOf(parsed.root, folds);
  return best([known.exact === undefined ? [] : [known.exact], known.oneOf ?? []]);
}

function knowledgeOf(node: RegexNode, folds: boolean): Knowledge {
  switch (node.kind) {
    case "set": {
      const literal = node.literal?.toLowerCase();
      return literal !== undefined && /^[!-~]$/.test(literal) && !(folds && /[sk]/.test(literal)) ? { exact: literal } : unknown;
    }
    case "look":
    case "edge":
      return { exact: "" };
    case "sequence":
      return ofSequence(node.items.map((item) => knowledgeOf(item, folds)));
    case "choice":
      return ofChoice(node.options.map((option) => knowledgeOf(option, folds)));
    case "repeat": {
      if (node.min === 0) return unknown;
      const body = knowledgeOf(node.body, folds);
      if (node.max === 1) return body;
      const oneOf = best([body.exact === undefined ? [] : [body.exact], body.oneOf ?? []]);
      return oneOf === undefined ? unknown : { oneOf };
    }
    case "reference":
      return unknown;
  }
}

function ofSequence(items: readonly Knowledge[]): Knowledge {
  const candidates: (readonly string[])[] = [];
  let run = "";
  let whole = true;
  for (const { exact, oneOf } of items) {
    if (exact !== undefined) {
      run += exact;
      continue;
    }
    whole = false;
    candidates.push([run], oneOf ?? []);
    run = "";
  }
  if (whole) return { exact: run };
  candidates.push([run]);
  const oneOf = best(candidates);
  return oneOf === undefined ? unknown : { oneOf };
}

function ofChoice(options: readonly Knowledge[]): Knowledge {
  const needles = new Set<string>();
  for (const { exact, oneOf } of options) {
    const known = best([exact === undefined ? [] : [exact], oneOf ?? []]);
    if (known === undefined) return unknown;
    for (const needle of known) needles.add(needle);
  }
  return needles.size > mostAlternatives ? unknown : { oneOf: [...needles] };
}

/** The list whose shortest text is longest. */
function best(candidates: readonly (readonly string[])[]): readonly string[] | undefined {
  let chosen: readonly string[] | undefined;
  let length = shortest - 1;
  for (const candidate of candidates) {
    const least = candidate.length === 0 ? 0 : Math.min(...candidate.map((needle) => needle.length));
    if (least > length) {
      chosen = candidate;
      length = least;
    }
  }
  return chosen;
}

import { remembering } from "../../base/index.ts";
import type { ParsedRegex, RegexNode } from "./parse-regex.ts";

/** How a part can match a run of one and the same character: with nothing, and in how many ways with at least one. */
interface Ways {
  readonly empty: boolean;
  readonly some: number;
}

/** More ways than this count as without end. */
const many = 1000;
/** A repetition up to here is not worse than a few nested loops. */
const fewRounds = 10;
const tooManyTries = 1e8;
const never: Ways = { empty: false, some: 0 };
const nothing: Ways = { empty: true, some: 0 };

/**
 * The character of which a long run makes the expression try without end, or undefined. It looks for a repetition whose body
 * matches a run of that character in several ways, as in `(a+)+`, `(a|a)*` and `(\s*\w+)*`: the number of tries is then a
 * power of the run's length. What it names is certain; what it lets pass can still be slow, and is stopped while it runs.
 */
export function slowOn(parsed: ParsedRegex, flags: string): string | undefined {
  const repeats = repeatsOf(parsed.root).filter(({ max }) => max > 1);
  if (repeats.length === 0) return undefined;
  const setFlags = flags.replace(/[^isuv]/g, "");
  const regexOf = remembering((source: string) => new RegExp(`^(?:${source})$`, setFlags), 1000);
  return witnesses(parsed.root).find((character) => {
    const holds: Holds = (source) => regexOf(source).test(character);
    return repeats.some((repeat) => isSlow(repeat, holds));
  });
}

/** Whether a set, as it is written, holds the character of the run. */
type Holds = (source: string) => boolean;

type Repeat = Extract<RegexNode, { kind: "repeat" }>;

function isSlow({ body, max }: Repeat, holds: Holds): boolean {
  const { some } = waysOf(body, holds);
  if (some < 2) return false;
  if (max === Infinity) return true;
  return some >= many ? max >= fewRounds : some ** max > tooManyTries;
}

function childrenOf(node: RegexNode): readonly RegexNode[] {
  if ("items" in node) return node.items;
  return "body" in node ? [node.body] : [];
}

function repeatsOf(node: RegexNode): readonly Repeat[] {
  const inner = childrenOf(node).flatMap(repeatsOf);
  return node.kind === "repeat" ? [node, ...inner] : inner;
}

/** Characters worth trying: those the expression names, and one of each common class. */
function witnesses(root: RegexNode): readonly string[] {
  const found = new Set(["a", "A", "0", "_", " ", "\n", "-", ".", ",", "'", '"', "é"]);
  const visit = (node: RegexNode): void => {
    if (node.kind === "set") for (const character of node.literal ?? node.source.replace(/[\\[\]^-]/g, "")) found.add(character);
    childrenOf(node).forEach(visit);
  };
  visit(root);
  return [...found].slice(0, 200);
}

function waysOf(node: RegexNode, holds: Holds): Ways {
  switch (node.kind) {
    case "set":
      return holds(node.source) ? { empty: false, some: 1 } : never;
    case "sequence":
      return node.items.reduce<Ways>((before, item) => joined(before, waysOf(item, holds)), nothing);
    case "choice": {
      const options = node.items.map((option) => waysOf(option, holds));
      return { empty: options.some(({ empty }) => empty), some: capped(options.reduce((sum, { some }) => sum + some, 0)) };
    }
    case "repeat":
      return repeated(node, waysOf(node.body, holds));
    case "look":
      // A look ahead that the run itself could break or need decides more than is known here.
      return node.negative && !mayBegin(node.body, holds) ? nothing : never;
    case "edge":
    case "reference":
      return never;
  }
}

function joined(first: Ways, second: Ways): Ways {
  const some = first.some * (second.some + (second.empty ? 1 : 0)) + (first.empty ? second.some : 0);
  return { empty: first.empty && second.empty, some: capped(some) };
}

function repeated({ min, max }: Repeat, body: Ways): Ways {
  const empty = min === 0 || body.empty;
  if (body.some === 0 || max === 0) return { empty, some: 0 };
  if (max === Infinity) return { empty, some: many };
  let some = 0;
  for (let rounds = Math.max(1, body.empty ? 1 : min); rounds <= max && some < many; rounds++) some += body.some ** rounds;
  return { empty, some: capped(some) };
}

function capped(ways: number): number {
  return Math.min(many, ways);
}

function mayBegin(node: RegexNode, holds: Holds): boolean {
  if (node.kind === "sequence") return node.items[0]?.kind !== "set" || mayBegin(node.items[0], holds);
  if (node.kind === "choice") return node.items.some((option) => mayBegin(option, holds));
  if (node.kind === "repeat") return node.min === 0 || mayBegin(node.body, holds);
  return node.kind !== "set" || holds(node.source);
}

import { branchesAt, type Branch } from "./al-branches.ts";
import type { AlSymbols } from "./al-symbols.ts";
import { Kind, isNameAt, kindAt, nameKey } from "./al-tokens.ts";

const newNames: ReadonlySet<string> = new Set(["no. series", "no. series - batch"]);

/**
 * Of places (tokens) of the old codeunit: those in a branch of `#if` whose other branch uses the new one and none of them, and those under the
 * same condition elsewhere in the file. They are only compiled where the conversion is switched off.
 */
export function convertedElsewhere(symbols: AlSymbols, old: readonly number[]): ReadonlySet<number> {
  const { tokens } = symbols;
  if (!tokens.directives.some(({ word }) => word === "if")) return new Set();
  const before = new Map(old.map((at) => [at, branchesAt(tokens, at)]));
  const fresh = newPlaces(symbols).map((at) => branchesAt(tokens, at));
  const held = new Map<number, { readonly old: Set<number>; readonly new: Set<number> }>();
  const note = (lists: Iterable<readonly Branch[]>, side: "old" | "new"): void => {
    for (const { chain, number } of [...lists].flat()) {
      const known = held.get(chain) ?? { old: new Set(), new: new Set() };
      known[side].add(number);
      held.set(chain, known);
    }
  };
  note(before.values(), "old");
  note(fresh, "new");
  const isDone = ({ chain, number }: Branch): boolean => {
    const known = held.get(chain);
    return known !== undefined && [...known.new].some((other) => other !== number && !known.old.has(other));
  };
  const done = [...before.values()].flat().filter(isDone);
  const conditions = new Set(done.filter(({ alone }) => alone).map(keyOf));
  const converted = [...before].filter(([, branches]) => branches.some((one) => isDone(one) || (one.alone && conditions.has(keyOf(one)))));
  return new Set(converted.map(([at]) => at));
}

function keyOf({ condition, holds }: Branch): string {
  return `${holds} ${condition}`;
}

/** Where the new codeunits are named, and where variables of them are used. */
function newPlaces({ tokens, objects }: AlSymbols): readonly number[] {
  const variables = objects.flatMap(({ globals, routines }) => [...globals, ...routines.flatMap((routine) => routine.variables)]);
  const ofNew = variables.filter(({ type }) => type.keyword === "codeunit" && type.subjectLast >= 0 && isNew(type.subjectLast));
  const names = new Set(ofNew.map(({ name }) => nameKey(tokens, name)));
  function isNew(at: number): boolean {
    return isNameAt(tokens, at) && newNames.has(nameKey(tokens, at));
  }
  const places: number[] = [];
  for (let at = 0; at < tokens.count; at += 1) {
    if (!isNameAt(tokens, at)) continue;
    const used = kindAt(tokens, at + 1) === Kind.DOT && names.has(nameKey(tokens, at));
    if (used || isNew(at)) places.push(at);
  }
  return places;
}

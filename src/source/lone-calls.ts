import { parallelCalls, type BlockId, type Program } from "../program/index.ts";
import type { Dialect } from "./dialect.ts";

export interface LoneCall {
  readonly block: BlockId;
  /** Name of the called workflow. */
  readonly name: string;
  /** What it is, in the word of its dialect. */
  readonly word: string;
}

/** Calls in parallel tasks of workflows that have to run alone. */
export function findLoneCalls(program: Program, dialects: readonly Pick<Dialect, "name" | "alone">[]): readonly LoneCall[] {
  return parallelCalls(program).flatMap(({ block, part, atOnce, tasks }) => {
    const { name = part, dialect } = program.parts[part] ?? {};
    const alone = dialects.find((each) => each.name === dialect)?.alone;
    if (alone === undefined || !(alone.when === "in tasks" ? tasks : atOnce)) return [];
    return [{ block, name, word: alone.word }];
  });
}

import type { Block, BlockId, Part, Program } from "../../../../program/index.ts";
import { wordsOf } from "../template.ts";
import { pathKeys } from "../write-nodes.ts";
import { exprsOf, readNames, textOf } from "./expr-names.ts";

/**
 * Which earlier steps wrote what a step reads, directly or through computed fields. `order` is the order in which the steps
 * of one part are in the file; loops may bring values back from later steps, which is not counted.
 */
export function dependenciesOf(program: Program, part: Part, order: readonly BlockId[]): Map<BlockId, BlockId[]> {
  const sources = sourcesOfComputed(part);
  const writers = new Map<string, BlockId[]>();
  const found = new Map<BlockId, BlockId[]>();
  for (const id of order) {
    const block = program.blocks[id];
    if (block === undefined) continue;
    const names = new Set(
      exprsOf(block)
        .flatMap(readNames)
        .flatMap((name) => [name, ...(sources.get(name) ?? [])]),
    );
    found.set(
      id,
      order.filter((other) => other !== id && [...names].some((name) => writers.get(name)?.includes(other))),
    );
    for (const name of writtenNames(block)) writers.set(name, [...(writers.get(name) ?? []), id]);
  }
  return found;
}

function writtenNames(block: Block): string[] {
  if (block.kind === "call") return [block.as];
  const collect = block.kind === "work" ? block.onItemFailure?.collect : undefined;
  const paths = block.kind === "do" ? block.writes.map((write) => textOf(write.path)) : collect === undefined ? [] : [collect];
  return paths.flatMap((path) => pathKeys(path)?.[1] ?? []);
}

/** Names of state fields behind each computed field, all the way down. */
function sourcesOfComputed(part: Part): Map<string, Set<string>> {
  const direct = new Map(
    part.computed.map((field) => [field.name, [...field.from.flatMap((path) => path.split(".")[1] ?? []), ...wordsOf(field.transform)]]),
  );
  const all = new Map<string, Set<string>>();
  for (const name of direct.keys()) {
    const seen = new Set<string>();
    const queue = [name];
    for (let next = queue.pop(); next !== undefined; next = queue.pop()) {
      for (const source of direct.get(next) ?? []) {
        if (seen.has(source)) continue;
        seen.add(source);
        queue.push(source);
      }
    }
    all.set(name, seen);
  }
  return all;
}

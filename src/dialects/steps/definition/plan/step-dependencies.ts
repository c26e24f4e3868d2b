import type { Block, BlockId, Part, Program, Expr } from "../../../../program/index.ts";
import { wordsOf, findHoles } from "../template.ts";
import { pathKeys } from "../step-nodes.ts";
import { isList, isObject, type Json } from "../../../../base/index.ts";

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

/** Expressions a block itself evaluates; those of blocks inside it are theirs. */
export function exprsOf(block: Block): Expr[] {
  switch (block.kind) {
    case "do":
      return [
        ...Object.values(block.args),
        ...block.writes.flatMap((write) => [
          write.path,
          ...(write.value === undefined ? [] : [write.value]),
          ...(write.transform === undefined ? [] : [write.transform]),
        ]),
      ];
    case "choose":
      return block.branches.map((branch) => branch.when);
    case "repeat":
      return [...(block.while === undefined ? [] : [block.while]), ...(block.until === undefined ? [] : [block.until])];
    case "work":
      return block.fill === undefined ? [] : [block.fill];
    case "call":
      return Object.values(block.inputs);
    case "leave":
      return block.message === undefined ? [] : [block.message];
    default:
      return [];
  }
}

/** The text of an expression that is one; nothing for a tree of values. */
export function textOf(expr: Expr | undefined): string {
  return typeof expr?.of === "string" ? expr.of : "";
}

/** Words an expression reads, roughly: good enough to show what a step builds on. */
export function readNames(expr: Expr): string[] {
  if (expr.as === "js") return wordsOf(expr.of);
  if (expr.as === "condition" && findHoles(expr.of).length === 0) return wordsOf(expr.of);
  return textsIn(expr.of).flatMap((text) => findHoles(text).flatMap((hole) => wordsOf(hole.code)));
}

function textsIn(value: Json): string[] {
  if (typeof value === "string") return [value];
  if (isList(value)) return value.flatMap(textsIn);
  return isObject(value) ? Object.values(value).flatMap(textsIn) : [];
}

import { isList, isObject, type Json } from "../../../../base/index.ts";
import type { Block, Expr } from "../../../../program/index.ts";
import { findHoles, wordsOf } from "../template.ts";

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

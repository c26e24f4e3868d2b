import { isList, splitPath } from "../../../base/index.ts";
import { child, has, membersOf, textAt, type SourceNode } from "../../../source/index.ts";
import { fillHoles, wholeHole } from "./template.ts";

/** A map with a `path` in it: one write of a step. */
export interface WriteNode {
  readonly node: SourceNode;
  /** The key of the step it is under; the step itself for a `state_update` step with a `path`. */
  readonly under: "state_update" | "error_state_update" | "updates" | "step";
}

/** All writes a step declares, in the order they are applied. */
export function writesOf(step: SourceNode): WriteNode[] {
  const found: WriteNode[] = [];
  const type = textAt(step, "type");
  if (type === "state_update" && has(step, "path")) found.push({ node: step, under: "step" });
  for (const under of ["updates", "state_update", "error_state_update"] as const) {
    const held = child(step, under);
    if (held === undefined) continue;
    for (const node of isList(held.value) ? membersOf(held) : [held]) found.push({ node, under });
  }
  return found;
}

/** Stands for a template when a path is split: a key that no file can write. */
const filler = "\u0001";

/** Keys of a path with templates in it, `undefined` for a key that holds one; nothing when the path is malformed or one template. */
export function pathKeys(path: string): (string | undefined)[] | undefined {
  if (wholeHole(path) !== undefined) return undefined;
  return splitPath(fillHoles(path, filler))?.map((key) => (key.includes(filler) ? undefined : key));
}

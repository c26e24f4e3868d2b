import { textAt, child, has, membersOf, type SourceNode } from "../../../source/index.ts";
import { hasHole, fillHoles, wholeHole } from "./template.ts";
import { isList, splitPath } from "../../../base/index.ts";

export interface StepId {
  /** Fixed, unique in its workflow once duplicates are refused. */
  readonly id: string;
  /** What is shown instead, when the author put a template into the id. */
  readonly name?: string;
}

/** The list a step is in: the id of what holds the list, and its key. */
export interface Within {
  readonly parent: string;
  readonly slot?: string;
}

/**
 * Explicit ids count as written, below the id of the step around them. Unnamed steps are `step_<index>` at the top and
 * `parent.slot.<index>.<type>` inside; an id with a template is shown rendered, and counts as unnamed.
 */
export function stepId(step: SourceNode, index: number, within?: Within): StepId {
  const own = textAt(step, "id");
  const type = textAt(step, "type") ?? "step";
  const unnamed =
    within === undefined ? `step_${index}` : [within.parent, ...(within.slot === undefined ? [] : [within.slot]), index, type].join(".");
  if (own === undefined || own === "") return { id: unnamed };
  const full = within === undefined ? own : `${within.parent}.${own}`;
  return hasHole(own) ? { id: unnamed, name: full } : { id: full };
}

/** Letters, digits, `_`, `-`, `.`, `:`; everything else is the engine's. */
export function isPlainId(id: string): boolean {
  return /^[A-Za-z0-9_][\w.:-]*$/.test(id);
}

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

/** Takes the place of a template when a path is split: a key that no file can write. */
const filler = "\u0001";

/** Keys of a path with templates in it, `undefined` for a key that holds one; nothing when the path is malformed or one template. */
export function pathKeys(path: string): (string | undefined)[] | undefined {
  if (wholeHole(path) !== undefined) return undefined;
  return splitPath(fillHoles(path, filler))?.map((key) => (key.includes(filler) ? undefined : key));
}

const checkpointMethods: readonly string[] = ["workflow.checkpoint", "workflow_checkpoint"];

/** Whether a step is the checkpoint call that `on_high_context_usage` may hold. */
export function isCheckpoint(step: SourceNode): boolean {
  return textAt(step, "type") === "mcp_call" && checkpointMethods.includes(textAt(child(step, "mcp"), "method") ?? "");
}

/** `current raw state` and `current_raw_state` are the same word. */
export function resumeWord(text: string): string {
  return text.trim().replace(/[\s-]+/g, "_");
}

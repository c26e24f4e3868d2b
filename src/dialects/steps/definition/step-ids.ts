import { textAt, type SourceNode } from "../../../source/index.ts";
import { hasHole } from "./template.ts";

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

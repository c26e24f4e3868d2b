import type { Json } from "../../../../base/index.ts";
import type { Block, BlockId, DoBlock, Expr, Label } from "../../../../program/index.ts";
import type { ChecklistDefinition, PhaseDefinition } from "../checklist-definition.ts";
import type { Lists } from "../lists-of.ts";

/** What lowering a part of a checklist needs of the whole. */
export interface Builder {
  readonly definition: ChecklistDefinition;
  readonly lists: Lists;
  /** Keeps a block; answers the id it has in the program. */
  readonly put: (block: Block) => BlockId;
}

export function value(of: Json): Extract<Expr, { readonly as: "value" }> {
  return { as: "value", of };
}

export function condition(of: string): Expr {
  return { as: "condition", of };
}

/** An effect. `writes`: state path of its result; `as`: name the blocks after it read. */
export function engine(
  id: BlockId,
  what: string,
  args: Readonly<Record<string, Expr>>,
  { writes, as }: { readonly writes?: string; readonly as?: string } = {},
): DoBlock {
  return {
    id,
    kind: "do",
    who: "engine",
    what,
    args,
    writes: writes === undefined ? [] : [{ path: { as: "path", of: writes }, op: "set" }],
    whenLost: "retry",
    ...(as === undefined ? {} : { as }),
  };
}

export function phaseLabel(phase: PhaseDefinition): { readonly label: Label } {
  return { label: { kind: "phase", text: phase.id } };
}

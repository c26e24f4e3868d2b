import type { Block, BlockId, DoBlock, Expr, Label, Write } from "../../../../program/index.ts";
import { engineBlock } from "../../../../source/index.ts";
import type { ChecklistDefinition, PhaseDefinition } from "../checklist-definition.ts";
import type { Lists } from "../lists-of.ts";

/** What lowering a part of a checklist needs of the whole. */
export interface Builder {
  readonly definition: ChecklistDefinition;
  readonly lists: Lists;
  /** Keeps a block; answers the id it has in the program. */
  readonly put: (block: Block) => BlockId;
}

/** An effect. `writes`: state path of its result. */
export function engine(
  id: BlockId,
  what: string,
  args: Readonly<Record<string, Expr>>,
  { writes, as }: { readonly writes?: string; readonly as?: string } = {},
): DoBlock {
  const written: Write[] = writes === undefined ? [] : [{ path: { as: "path", of: writes }, op: "set" }];
  return engineBlock(id, what, args, { writes: written, ...(as === undefined ? {} : { as }) });
}

export function phaseLabel(phase: PhaseDefinition): { readonly label: Label } {
  return { label: { kind: "phase", text: phase.id } };
}

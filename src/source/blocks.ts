import { defined, type Json, type Place } from "../base/index.ts";
import type { Block, BlockId, DoBlock, Expr, Program } from "../program/index.ts";

/** Blocks of a program on the way to it; all of them have the same place. */
export interface BlockSheet extends Pick<Program, "blocks" | "places"> {
  /** Keeps a block; answers the id it has in the program. */
  readonly put: (block: Block) => BlockId;
}

export function createSheet(place: Place): BlockSheet {
  const blocks: Record<BlockId, Block> = {};
  const places: Record<BlockId, Place> = {};
  return {
    blocks,
    places,
    put(block) {
      blocks[block.id] = block;
      places[block.id] = place;
      return block.id;
    },
  };
}

export function value(of: Json): Extract<Expr, { readonly as: "value" }> {
  return { as: "value", of };
}

export function condition(of: string): Expr {
  return { as: "condition", of };
}

/** An effect, tried again when nobody knows whether it was done. `as`: name the blocks after it read its result by. */
export function engineBlock(
  id: BlockId,
  what: string,
  args: Readonly<Record<string, Expr>>,
  { writes = [], rescue, as }: Partial<Pick<DoBlock, "writes" | "rescue" | "as">> = {},
): DoBlock {
  return { id, kind: "do", who: "engine", what, args, writes, whenLost: "retry", ...defined({ rescue, as }) };
}

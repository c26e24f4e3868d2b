import type { Block, BlockId, DoBlock, Expr } from "../../../../program/index.ts";
import { engineBlock } from "../../../../source/index.ts";
import type { MachineDefinition } from "../machine-definition.ts";

/** Worklist of a machine's tasks. */
export const machineLists = { tasks: "tasks" } as const;

export interface Builder {
  readonly definition: MachineDefinition;
  readonly put: (block: Block) => BlockId;
  /** Shown by status files while it is current. */
  readonly shown: string;
  /** Name of the state around it, before its own; empty for the outermost machine. */
  readonly prefix: string;
  /** States of the machines around it, which can be left to. */
  readonly outer: ReadonlySet<string>;
  /** Answers of a role that the state's own outcomes or steps deal with; others halt the run. */
  readonly handles: readonly string[];
  /** Whether there is a current task. */
  readonly tasks: boolean;
}

/** Effects of a machine say themselves what they write; one that fails for a reason of the machine's world is tried again. */
export function engine(id: BlockId, what: string, args: Readonly<Record<string, Expr>>, as?: string): DoBlock {
  const retry = { times: 2, delayMs: 200, factor: 4, capMs: 1000 };
  return engineBlock(id, what, args, { rescue: { retry, then: "block" }, ...(as === undefined ? {} : { as }) });
}

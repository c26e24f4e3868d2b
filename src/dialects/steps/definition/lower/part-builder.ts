import type { Block, BlockId, Label, Rescue } from "../../../../program/index.ts";
import type { Workflow } from "../resolve.ts";
import { textAt, type SourceNode } from "../../../../source/index.ts";
import type { StepId, Within } from "../step-ids.ts";

/** What lowering a step needs of the workflow around it. */
export interface PartBuilder {
  readonly workflow: Workflow;
  /** Keeps a block and the place it came from; answers its id. */
  put(block: Block, at: SourceNode): BlockId;
  /** A list of steps as one `seq` block. Ids that lowering makes up hold a `$`, which no author can write. */
  list(nodes: SourceNode | undefined, seq: SeqSpec): BlockId;
  /** The part an `include_workflow` step runs; it is lowered once, however many include it. */
  callee(step: SourceNode): Workflow;
}

export interface SeqSpec {
  readonly id: BlockId;
  /** Absent for the steps at the top of a workflow. */
  readonly within?: Within;
  readonly label?: Label;
  readonly rescue?: Rescue;
  readonly timeoutMs?: number;
  /** What the block comes from, when that is not the list itself. */
  readonly at?: SourceNode;
}

/** One step on its way into a block: its node, and the id it got. */
export interface StepToLower extends StepId {
  readonly step: SourceNode;
}

/** Attributes every kind of block may carry, as far as the step asks for them. */
export function commonOf({ step, id }: StepToLower, rescue?: Rescue): { id: BlockId; label?: Label; rescue?: Rescue; timeoutMs?: number } {
  const description = textAt(step, "description");
  const timeout = (step.value as { timeout?: unknown }).timeout;
  return {
    id,
    ...(description === undefined ? {} : { label: { kind: "step", text: description } }),
    ...(rescue === undefined ? {} : { rescue }),
    ...(typeof timeout === "number" && textAt(step, "type") !== "agent_shell_command" ? { timeoutMs: timeout } : {}),
  };
}

import { defined } from "../../../../base/index.ts";
import type { Block, BlockId, Label, Rescue, Expr, Write } from "../../../../program/index.ts";
import type { Workflow } from "../resolve.ts";
import { textAt, child, has, numberAt, type SourceNode } from "../../../../source/index.ts";
import { writesOf, type StepId, type Within, type WriteNode } from "../step-nodes.ts";
import { defaults, operations } from "../vocabulary.ts";

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
  return {
    id,
    ...(description !== undefined && { label: { kind: "step", text: description } }),
    ...defined({ rescue, timeoutMs: textAt(step, "type") === "agent_shell_command" ? undefined : numberAt(step, "timeout") }),
  };
}

/** Writes of a step that follow its result. */
export function lowerWrites(step: SourceNode): Write[] {
  return writesOf(step)
    .filter((write) => write.under !== "error_state_update")
    .map(lowerWrite);
}

function lowerWrite({ node }: WriteNode): Write {
  const op = operations.find((each) => each === textAt(node, "operation")) ?? "set";
  const value = child(node, "value");
  const transform = textAt(node, "transform");
  const path: Expr = { as: "path", of: textAt(node, "path") ?? "" };
  if (transform !== undefined) return { path, op, transform: { as: "js", of: transform } };
  if (value !== undefined) return { path, op, value: { as: "value", of: value.value } };
  return op === "increment" || op === "decrement" ? { path, op, value: { as: "value", of: 1 } } : { path, op };
}

/** There is no result after a failure: without a value the error itself is written, and a transform is simply the value. */
function lowerErrorWrites(step: SourceNode): Write[] {
  return writesOf(step)
    .filter((write) => write.under === "error_state_update")
    .map((write) => {
      const { path, op, value, transform } = lowerWrite(write);
      return { path, op, value: transform ?? value ?? { as: "value", of: "{{ error }}" } };
    });
}

/**
 * What a step says about its own failure. `fail` with something to write is a rescue that writes and hands the failure on;
 * a fallback is the step's result, so that its `state_update` still happens.
 */
export function lowerRescue(step: SourceNode): Rescue | undefined {
  const policy = textAt(step, "on_error") ?? "fail";
  const found = lowerErrorWrites(step);
  const writes = found.length > 0 ? { writes: found } : {};
  const retry = policy === "retry" ? { retry: retryOf(step) } : {};
  if (policy !== "fail" && has(step, "fallback_value"))
    return { ...retry, then: "value", value: child(step, "fallback_value")?.value ?? null, ...writes };
  if (policy === "continue") return { then: "continue", ...writes };
  if (found.length > 0) return { ...retry, then: "body", ...writes, after: "fail" };
  return policy === "retry" ? { ...retry, then: "fail" } : undefined;
}

function retryOf(step: SourceNode): NonNullable<Rescue["retry"]> {
  return {
    times: numberAt(step, "retry_count") ?? defaults.retryCount,
    delayMs: numberAt(step, "retry_delay") ?? defaults.retryDelayMs,
    factor: defaults.retryFactor,
    capMs: defaults.retryCapMs,
  };
}

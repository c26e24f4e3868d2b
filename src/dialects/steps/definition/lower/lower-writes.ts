import type { Expr, Rescue, Write, WriteOperation } from "../../../../program/index.ts";
import { child, has, numberAt, textAt, type SourceNode } from "../../../../source/index.ts";
import { defaults, operations } from "../vocabulary.ts";
import { writesOf, type WriteNode } from "../write-nodes.ts";

/** Writes of a step that follow its result. */
export function lowerWrites(step: SourceNode): Write[] {
  return writesOf(step)
    .filter((write) => write.under !== "error_state_update")
    .map(lowerWrite);
}

function lowerWrite({ node }: WriteNode): Write {
  const op = operationOf(node);
  const value = child(node, "value");
  const transform = textAt(node, "transform");
  const path: Expr = { as: "path", of: textAt(node, "path") ?? "" };
  if (transform !== undefined) return { path, op, transform: { as: "js", of: transform } };
  if (value !== undefined) return { path, op, value: { as: "value", of: value.value } };
  return op === "increment" || op === "decrement" ? { path, op, value: { as: "value", of: 1 } } : { path, op };
}

function operationOf(node: SourceNode): WriteOperation {
  return operations.find((each) => each === textAt(node, "operation")) ?? "set";
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

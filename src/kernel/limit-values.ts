import type { Block, Limit, Rescue, WorkBlock } from "../program/index.ts";
import type { Frame, Limits } from "./run-state.ts";

/** Milliseconds that the block of this frame may take, as far as that is known yet. */
export function timeoutOf({ timeoutMs }: Pick<Block, "timeoutMs">, frame: Frame | undefined): number | undefined {
  return valueOf(timeoutMs, frame, "timeoutMs");
}

/** How often the block of this frame is tried again. An expression that could not be evaluated allows nothing. */
export function timesOf({ retry }: Rescue, frame: Frame | undefined): number {
  return valueOf(retry?.times, frame, "times") ?? 0;
}

/** How many items of the work may be in hand at once. */
export function parallelOf({ parallel }: Pick<WorkBlock, "parallel">, frame: Frame | undefined): number | undefined {
  return valueOf(parallel, frame, "parallel");
}

/** How many more items of the work may be in hand. */
export function roomFor(block: WorkBlock, frame: Extract<Frame, { readonly kind: "work" }>): number {
  if (frame.mode === "each") return 1;
  return (block.pull === true ? (frame.wanted ?? 1) : (parallelOf(block, frame) ?? 10)) - frame.open.length;
}

function valueOf(limit: Limit | undefined, frame: Frame | undefined, name: keyof Limits): number | undefined {
  return typeof limit === "object" ? frame?.limits?.[name] : limit;
}

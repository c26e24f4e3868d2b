import type { Frame } from "./run-state.ts";

interface RetriedDepth {
  /** How many frames stay: the innermost of them is what is retried. */
  readonly depth: number;
  /** The error steps that are left dealt with a failure elsewhere: nothing is wrong where these frames are. */
  readonly elsewhere: boolean;
}

/**
 * Where a retry continues among the frames of a body, from this depth on. An exit in error steps ended the dealing with a failure; what is
 * retried is the step that failed. The run's own error steps are left too when they dealt with a failure elsewhere, which is retried itself.
 */
export function retriedDepth(frames: readonly Frame[], from = 0): RetriedDepth {
  const rescued = (which: (frame: Extract<Frame, { readonly kind: "rescue" }>) => boolean): number =>
    frames.findIndex((frame, at) => at >= from && frame.kind === "rescue" && which(frame));
  const elsewhere = rescued((frame) => frame.elsewhere === true);
  const first = frames.at(-1)?.kind === "leave" ? rescued(() => true) : elsewhere;
  const bare = frames.findLastIndex(({ kind }) => kind !== "rescue") + 1;
  const depth = first < 0 ? bare : Math.min(first, bare);
  return { depth, elsewhere: elsewhere >= 0 && elsewhere === depth };
}

import { guardTime } from "./enter.ts";
import type { Frame } from "./run-state.ts";
import type { Turn } from "./turn.ts";
import { leaveFrame } from "./unwind.ts";

/**
 * A strand that was ended by an exit stands there again, but whether it still comes to it is for the conditions around the exit to
 * say: the state may have been mended meanwhile. What was done in their branches before the exit is not done again.
 */
export function judgeAgain(turn: Turn, strand: string): void {
  const { frames } = turn.strand(strand);
  const top = frames.at(-1);
  const block = top?.kind === "leave" ? turn.block(top.block) : undefined;
  if (block?.kind !== "leave" || block.how === "finish") return;
  const around = frames.findLastIndex(({ kind }) => kind !== "leave" && kind !== "seq" && kind !== "choose");
  const first = frames.findIndex(({ kind }, at) => at > around && kind === "choose");
  if (first < 0) return;
  while (turn.strand(strand).frames.length > first) leaveFrame(turn, strand, "skipped", "retried");
  standAgain(turn, strand, frames.slice(first));
}

/** Puts frames back as they were, up to the first choice: that one is made again, and keeps what lay above it. */
export function standAgain(turn: Turn, strand: string, frames: readonly Frame[]): void {
  for (const [at, frame] of frames.entries()) {
    const again =
      frame.kind === "choose" && frame.branch !== null
        ? { ...frame, branch: null, before: { branch: frame.branch, frames: frames.slice(at + 1) } }
        : undefined;
    turn.emit({ type: "entered", strand, frame: again ?? frame });
    guardTime(turn, strand, turn.block(frame.block));
    if (again !== undefined) return;
  }
}

import type { Input, Rejected } from "./input.ts";
import { parallelOf } from "./limit-values.ts";
import type { Turn } from "./turn.ts";

/** One more strand of a `pull` work is wanted; the walk opens it when an item is left that nobody holds. */
export function acceptPull(turn: Turn, input: Extract<Input, { readonly type: "pull" }>): Rejected | undefined {
  const strand = turn.state.strands[input.strand];
  const frame = strand?.frames.at(-1);
  const block = frame === undefined ? undefined : turn.block(frame.block);
  if (strand === undefined || frame?.kind !== "work" || block?.kind !== "work" || block.pull !== true)
    return { code: "NOTHING_TO_PULL", message: `Nothing in run \`${turn.state.id}\` is handed out on request now.` };
  const most = parallelOf(block, frame) ?? 64;
  if (frame.open.length >= most)
    return {
      code: "NOTHING_TO_PULL",
      message: `${frame.open.length} parts of run \`${turn.state.id}\` are in hand; no more are handed out at once.`,
    };
  if ((turn.state.lists[frame.list]?.by.pending ?? 0) === 0)
    return { code: "NOTHING_TO_PULL", message: `Everything that is left of \`${block.id}\` is in somebody's hands.` };
  turn.emit({ type: "moved", strand: strand.id, patch: { wanted: frame.open.length + 1 } });
  if (strand.status !== "ready") turn.emit({ type: "ready", strand: strand.id });
  return undefined;
}

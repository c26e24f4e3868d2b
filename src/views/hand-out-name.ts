import type { Action, Event, RunState } from "../kernel/index.ts";
import type { Program } from "../program/index.ts";
import { authorsName } from "./authors-name.ts";

/** A leaf that is open, or was. */
export type OpenLeaf = Pick<Action, "strand" | "block" | "step" | "what" | "args">;

interface Run {
  readonly program: Program;
  readonly state: RunState;
}

/** What dialects call what they hand out and do. */
export interface LeafWords {
  /** Its name; undefined where that is the name of the step. */
  called(run: Run, leaf: OpenLeaf): string | undefined;
  /** What kind of step it is; undefined where its `what` says it. */
  kind(run: Run, leaf: OpenLeaf): string | undefined;
  /** What people should know of an event beside what is over. */
  told?(run: Run, event: Event): readonly string[];
}

/** A hand-out as people know it: by its author's name, and which round of a loop it is. `task`: of the task that it is in, if there is one. */
export function handOutName(run: Run, leaf: OpenLeaf, words: LeafWords, task?: string): string {
  const called = words.called(run, leaf);
  if (called !== undefined) return called;
  const round = roundOf(run.state, leaf);
  const name = authorsName(leaf.block) ?? leaf.step;
  const isNamed = task === undefined || name === task || name.endsWith(`/${task}`);
  const marks = [...(round > 1 ? [String(round)] : []), ...(isNamed ? [] : [task])];
  return `${name}${marks.length === 0 ? "" : ` (${marks.join(", ")})`}`;
}

/** The round of the innermost loop that its strand is in, or the place of the item; 1 outside of loops. */
function roundOf({ strands }: RunState, { strand }: OpenLeaf): number {
  for (const frame of strands[strand]?.frames.toReversed() ?? []) {
    if (frame.kind === "call") return 1;
    if (frame.kind === "repeat") return frame.round;
    if (frame.kind !== "work") continue;
    const { id = "" } = frame.item ?? {};
    const place = id.startsWith(`${frame.block}.`) ? Number(id.slice(frame.block.length + 1)) : 0;
    return Number.isInteger(place) ? place + 1 : 1;
  }
  return 1;
}

import type { Block } from "../program/index.ts";
import { finishStrand } from "./ending.ts";
import { failStrand } from "./failure.ts";
import type { Frame, FrameOf } from "./frame.ts";
import type { Given, Need } from "./input.ts";
import { limitsOpen, readLimits } from "./limits.ts";
import { isPaused, type Turn } from "./turn.ts";
import { walkCall } from "./walk-call.ts";
import { walkChoose, walkLeave, walkMachine, walkRepeat, walkSeq } from "./walk-flow.ts";
import { walkLeaf } from "./walk-leaf.ts";
import { walkRescue } from "./walk-rescue.ts";
import { walkWork } from "./walk-work.ts";

/** A strand stops walking after this many events, so that an endless engine-only loop is committed piece by piece. */
const eventsPerWalk = 200;

type Walker<K extends Frame["kind"]> = (turn: Turn, strand: string, frame: FrameOf<K>, given: Given | undefined) => Need | undefined;

const walkers: { readonly [K in Block["kind"] | "rescue"]: Walker<K> } = {
  seq: walkSeq,
  choose: walkChoose,
  repeat: walkRepeat,
  machine: walkMachine,
  leave: walkLeave,
  work: walkWork,
  call: walkCall,
  do: walkLeaf,
  rescue: walkRescue,
};

/** Walks one ready strand until it waits, needs an answer, ends, or the walk is long enough. */
export function walk(turn: Turn, strandId: string, answer?: Given): Need | undefined {
  let given = answer;
  while (turn.state.status === "running") {
    const strand = turn.state.strands[strandId];
    if (strand?.status !== "ready" || isPaused(turn.state, strandId)) return undefined;
    if (given === undefined && turn.events.length >= eventsPerWalk) return undefined;
    const frame = strand.frames.at(-1);
    const warnings = given !== undefined && "warnings" in given ? (given.warnings ?? []) : [];
    for (const warning of warnings)
      turn.emit({ type: "warned", ...warning, strand: strandId, ...(frame === undefined ? {} : { block: frame.block }) });
    const need = frame === undefined ? finishStrand(turn, strandId, given) : walkFrame(turn, strandId, frame, given);
    given = undefined;
    if (need !== undefined) return need;
  }
  return undefined;
}

function walkFrame(turn: Turn, strand: string, frame: Frame, given: Given | undefined): Need | undefined {
  if (given?.type === "error" && frame.kind !== "rescue")
    return failStrand(turn, strand, { code: given.code, message: given.message, block: frame.block });
  if (limitsOpen(turn, frame)) return readLimits(turn, strand, frame, given);
  return (walkers[frame.kind] as Walker<Frame["kind"]>)(turn, strand, frame, given);
}

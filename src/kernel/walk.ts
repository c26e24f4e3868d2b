import { finishStrand } from "./finish-strand.ts";
import { failStrand, walkRescue } from "./failure.ts";
import type { Given, Need } from "./input.ts";
import { limitsOpen, readLimits } from "./limits.ts";
import { isPaused } from "./pause.ts";
import type { Frame } from "./run-state.ts";
import type { Turn } from "./turn.ts";
import { walkCall } from "./walk-call.ts";
import { walkChoose, walkLeave, walkMachine, walkRepeat, walkSeq } from "./walk-flow.ts";
import { walkLeaf } from "./walk-leaf.ts";
import { walkWork } from "./walk-work.ts";

/** A strand stops walking after this many events, so that an endless engine-only loop is committed piece by piece. */
const eventsPerWalk = 200;

/** Walks one ready strand until it waits, needs an answer, ends, or the walk is long enough. */
export function walk(turn: Turn, strandId: string, answer?: Given): Need | undefined {
  let given = answer;
  while (turn.state.status === "running") {
    const strand = turn.state.strands[strandId];
    if (strand?.status !== "ready" || isPaused(turn.state, strandId)) return undefined;
    if (given === undefined && turn.events.length >= eventsPerWalk) return undefined;
    const frame = strand.frames.at(-1);
    for (const warning of warningsOf(given))
      turn.emit({ type: "warned", ...warning, strand: strandId, ...(frame === undefined ? {} : { block: frame.block }) });
    const need = frame === undefined ? finishStrand(turn, strandId, given) : walkFrame(turn, strandId, frame, given);
    given = undefined;
    if (need !== undefined) return need;
  }
  return undefined;
}

function walkFrame(turn: Turn, strand: string, frame: Frame, given: Given | undefined): Need | undefined {
  return limitsOpen(turn, frame) ? readLimits(turn, strand, frame, given) : step(turn, strand, frame, given);
}

function step(turn: Turn, strand: string, frame: Frame, given: Given | undefined): Need | undefined {
  if (given?.type === "error" && frame.kind !== "do" && frame.kind !== "rescue") {
    failStrand(turn, strand, { code: given.code, message: given.message, block: frame.block });
    return undefined;
  }
  switch (frame.kind) {
    case "seq":
      return walkSeq(turn, strand, frame);
    case "choose":
      return walkChoose(turn, strand, frame, given);
    case "repeat":
      return walkRepeat(turn, strand, frame, given);
    case "machine":
      return walkMachine(turn, strand, frame, given);
    case "leave":
      return walkLeave(turn, strand, frame, given);
    case "work":
      return walkWork(turn, strand, frame, given);
    case "call":
      return walkCall(turn, strand, frame, given);
    case "do":
      return walkLeaf(turn, strand, frame, given);
    case "rescue":
      return walkRescue(turn, strand, frame, given);
  }
}

function warningsOf(given: Given | undefined): readonly { readonly code: string; readonly message: string }[] {
  return given !== undefined && "warnings" in given ? (given.warnings ?? []) : [];
}

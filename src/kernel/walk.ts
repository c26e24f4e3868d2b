import type { Json } from "../base/index.ts";
import type { Block, Expr, Limit } from "../program/index.ts";
import { finishStrand } from "./ending.ts";
import { guardTime } from "./enter.ts";
import { failStrand } from "./failure.ts";
import type { Frame, FrameOf, Limits } from "./frame.ts";
import type { Given, Need } from "./input.ts";
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

const least: Readonly<Record<keyof Limits, number>> = { timeoutMs: 1, times: 0, parallel: 1 };

/** Whether limits of the frame's block are expressions that have not been evaluated yet. */
function limitsOpen(turn: Turn, frame: Frame): boolean {
  if (frame.kind === "rescue" || frame.limits !== undefined) return false;
  const { timeoutMs, times, parallel } = limitsOf(turn.block(frame.block));
  return isExpr(timeoutMs) || isExpr(times) || isExpr(parallel);
}

/** Evaluates the limits of a block that was just entered. Its time begins when they are known. */
function readLimits(turn: Turn, strand: string, frame: Frame, given: Given | undefined): Need | undefined {
  const block = turn.block(frame.block);
  const exprs = Object.entries(limitsOf(block)).filter((entry): entry is [string, Expr] => isExpr(entry[1]));
  if (given === undefined) return turn.evaluate(strand, Object.fromEntries(exprs));
  const limits: Record<string, number> = {};
  for (const [name] of exprs as [keyof Limits, Expr][]) {
    const value = given.type === "values" ? given.values[name] : undefined;
    const number = numberOf(value);
    if (number === undefined || number < least[name]) {
      const message = `\`${block.id}\` needs a number of at least ${least[name]} for \`${name}\`, but its expression gave ${JSON.stringify(value ?? null).slice(0, 80)}.`;
      return failStrand(turn, strand, { code: "LIMIT_VALUE", message, block: block.id });
    }
    limits[name] = name === "timeoutMs" ? number : Math.floor(number);
  }
  turn.move(strand, { limits });
  guardTime(turn, strand, block);
}

/** A template always gives text, so text that is a number counts as one. */
function numberOf(value: Json | undefined): number | undefined {
  const number = typeof value === "string" && value.trim() !== "" ? Number(value) : value;
  return typeof number === "number" && Number.isFinite(number) ? number : undefined;
}

function limitsOf(block: Block): Readonly<Record<keyof Limits, Limit | undefined>> {
  const parallel = block.kind === "work" ? block.parallel : undefined;
  return { timeoutMs: block.timeoutMs, times: block.rescue?.retry?.times, parallel };
}

function isExpr(limit: Limit | undefined): limit is Expr {
  return typeof limit === "object";
}

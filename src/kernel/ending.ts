import { cancelStrand, leaveFrame, leaveTo } from "./enter-leave.ts";
import type { RunError } from "./frame.ts";
import type { Given, Need } from "./input.ts";
import { holdsLost } from "./interrupted-leaf.ts";
import { moveTaken } from "./items.ts";
import { isOpen } from "./read-state.ts";
import { mainScope, type Strand } from "./run-state.ts";
import { giveUpOpen, stopStrand } from "./stop-strands.ts";
import type { Turn } from "./turn.ts";

interface Ending {
  readonly status: "completed" | "failed" | "cancelled";
  readonly error?: RunError;
  readonly reason?: string;
}

/**
 * Ends the run: everything open is closed, items that are worked on are settled with the reason. A failed run keeps its place for a
 * retry, in the main strand and in the strands of its works; entries end with it.
 */
export function endRun(turn: Turn, { status, error, reason }: Ending): undefined {
  const why = reason ?? error?.message ?? `run ${status}`;
  if (status === "failed") keepPlaces(turn, `stopped: ${why}`);
  const lost = status === "failed" && Object.values(turn.state.strands).some(({ frames }) => frames.some(holdsLost));
  endStrands(turn, status, why);
  for (const { id, status: asked } of Object.values(turn.state.decisions))
    if (asked === "pending") turn.emit({ type: "decision_closed", decision: id, status: "cancelled", reason: why });
  for (const timer of Object.keys(turn.state.timers)) turn.emit({ type: "timer_gone", timer });
  turn.emit({ type: "ended", status, at: turn.at, ...(error === undefined ? {} : { error: lost ? { ...error, lost: true } : error }) });
}

function endStrands(turn: Turn, status: Ending["status"], reason: string): void {
  // Chosen before the first one ends: afterwards what an entry left to work by itself is not known as the entry's.
  const ending = Object.values(turn.state.strands).filter(
    (strand) => strand.entry !== undefined || (strand.parent !== undefined && (status !== "failed" || ofEntry(turn, strand))),
  );
  for (const { id, status: now } of ending) if (isOpen(now)) cancelStrand(turn, id, "skipped", reason);
  for (const { id, parent, entry, status: now } of Object.values(turn.state.strands)) {
    if (parent !== undefined || entry !== undefined || !isOpen(now)) continue;
    if (status !== "failed") leaveTo(turn, id, 0, { how: "skipped", reason });
    turn.emit({ type: "strand_ended", strand: id, status: status === "completed" ? "done" : status });
  }
}

/** The main strand and the works that it does not wait for give up what they have open, and their tasks stop where they are. */
function keepPlaces(turn: Turn, reason: string): void {
  for (const strand of Object.values(turn.state.strands)) {
    if (strand.item !== undefined || ofEntry(turn, strand)) continue;
    if (strand.parent !== undefined) stopStrand(turn, strand.id, reason);
    else if (isOpen(strand.status)) giveUpOpen(turn, strand.id, reason);
  }
}

/** Whether the strand was started by a command, or is below one that was. */
export function ofEntry(turn: Turn, { entry, parent }: Strand): boolean {
  const above = parent === undefined ? undefined : turn.state.strands[parent];
  return entry !== undefined || (above !== undefined && ofEntry(turn, above));
}

/** Main may be waiting for exactly the strand that just ended. */
export function wakeMain(turn: Turn): undefined {
  const main = turn.main();
  if (main?.status === "waiting" && main.waits?.on === "strands" && main.frames.length === 0) turn.ready(main.id);
}

/** A strand with no frame left is done. The main one joins the others and obeys the completion rules first. */
export function finishStrand(turn: Turn, strandId: string, given: Given | undefined): Need | undefined {
  const { parent, entry } = turn.strand(strandId);
  if (parent !== undefined || entry !== undefined) {
    taskEnded(turn, strandId);
    return wakeMain(turn);
  }
  const others = Object.values(turn.state.strands).some(({ id, status }) => id !== strandId && isOpen(status));
  return others ? turn.wait(strandId, { on: "strands" }) : completeRun(turn, strandId, given);
}

/** Ends the run when its completion rules are met; unmet ones hold the strand where it is until they are. `by`: the exit that ends it early. */
export function completeRun(turn: Turn, strand: string, given: Given | undefined, by?: string): Need | undefined {
  const { rules } = turn.mainPart();
  if (rules.length > 0 && given === undefined)
    return { type: "evaluate", strand, exprs: Object.fromEntries(rules.map(({ id, when }) => [id, when])), scope: mainScope, locals: {} };
  const unmet = rules.filter((rule) => given?.type !== "values" || given.values[rule.id] !== true);
  if (unmet.length > 0)
    return turn.emit({ type: "blocked", strand, code: "RULES_UNMET", reason: unmet.map((rule) => rule.message).join(" ") });
  if (by !== undefined) leaveFrame(turn, strand, "done");
  endRun(turn, { status: "completed", ...(by === undefined ? {} : { reason: `ended by \`${by}\`` }) });
}

/** A task's strand came to its end, or passed over the rest for a reason: its item is settled, and the parent is woken. */
export function taskEnded(turn: Turn, childId: string, skipped?: string): undefined {
  const { parent = "", item } = turn.strand(childId);
  const frame = turn.state.strands[parent]?.frames.at(-1);
  turn.emit({ type: "strand_ended", strand: childId, status: "done" });
  if (frame?.kind !== "work" || item === undefined) return;
  moveTaken(turn, childId, item, skipped === undefined ? { to: "completed" } : { to: "skipped", reason: skipped });
  turn.move(parent, { open: frame.open.filter((id) => id !== childId) });
  if (turn.strand(parent).status === "waiting") turn.ready(parent);
}

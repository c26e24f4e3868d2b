import { failStrand } from "./failure.ts";
import type { InputOf, Rejected } from "./input.ts";
import { askWhatNow, lostPolicy, wasTaken } from "./interrupted-leaf.ts";
import { isOpen, sameHolder } from "./read-state.ts";
import type { Action } from "./run-state.ts";
import type { Turn } from "./turn.ts";
import { emitAction, notesFor, resolveLeaf } from "./walk-leaf.ts";

/**
 * A holder takes a strand. Asking again changes nothing; an action that another holder worked on gets a new id, by its policy, unless its
 * outcome is what the holder brings.
 */
export function acceptClaim(turn: Turn, { strand: id, holder, keeps }: InputOf<"claim">): Rejected | undefined {
  const strand = turn.state.strands[id];
  if (strand === undefined || !isOpen(strand.status)) return { code: "STRAND_ENDED", message: `Strand \`${id}\` has ended.` };
  if (sameHolder(strand.holder, holder)) return undefined;
  if (strand.holder !== undefined) {
    return {
      code: "STRAND_HELD",
      message: `This part of run \`${turn.state.id}\` is held by ${strand.holder.kind} \`${strand.holder.name}\`.`,
      fix: "You are not needed in it now: ask for its next step later.",
    };
  }
  const action = strand.waits?.on === "action" ? turn.state.actions[strand.waits.id] : undefined;
  const taken = action !== undefined && action.id !== keeps && wasTaken(turn, action);
  turn.emit({ type: "claimed", strand: id, holder, fence: strand.fence + 1 });
  turn.markShown(id);
  if (taken) takeOver(turn, id, action);
  const asked = strand.waits?.on === "decision" ? turn.state.decisions[strand.waits.id] : undefined;
  if (asked?.attempts !== undefined && asked.attemptsLeft !== asked.attempts) turn.emit({ type: "attempts_restored", decision: asked.id });
}

function takeOver(turn: Turn, strand: string, action: Action): undefined {
  const { step, block } = action;
  const policy = lostPolicy(turn, action);
  turn.emit({ type: "action_closed", action: action.id, how: "taken_over" });
  if (policy === "continue") return resolveLeaf(turn, strand, null, false);
  if (policy === "ask") return askWhatNow(turn, strand, action);
  if (policy === "retry") return reopenAction(turn, strand, action);
  turn.move(strand, { interrupted: step });
  turn.ready(strand);
  failStrand(turn, strand, { code: "HOLDER_LOST", message: `\`${step}\` was interrupted: its holder was lost.`, block, lost: true });
}

/** The new holder gets what was said since the step was handed out, too. */
function reopenAction(turn: Turn, strand: string, { fence: _before, ...action }: Action): undefined {
  const id = turn.mint("a");
  const said = notesFor(turn, strand, action.step);
  const notes = said.length === 0 ? {} : { notes: [...(action.notes ?? []), ...said.map(({ text }) => text)] };
  emitAction(turn, { ...action, ...notes, id, openedAt: turn.at, taken: action.taken + 1 }, said);
  turn.move(strand, { ref: id });
  turn.wait(strand, { on: "action", id });
}

export function acceptRelease(turn: Turn, { strand: id, fence, why }: InputOf<"release">): Rejected | undefined {
  const strand = turn.state.strands[id];
  if (strand?.holder === undefined || strand.fence !== fence)
    return { code: "STRAND_NOT_HELD", message: `Strand \`${id}\` is not held with number ${fence} any more.` };
  return turn.emit({ type: "released", strand: id, why });
}

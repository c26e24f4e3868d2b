import { isOpen } from "./ending.ts";
import { failStrand } from "./failure.ts";
import type { Input, Rejected } from "./input.ts";
import { sameHolder } from "./input-outcome.ts";
import { isInHand, lostPolicy } from "./interrupted-leaf.ts";
import { askWhatNow } from "./lost-question.ts";
import { notesFor } from "./notes-for.ts";
import type { Action, Strand } from "./run-state.ts";
import type { Turn } from "./turn.ts";
import { show } from "./unshown.ts";
import { resolveLeaf } from "./walk-leaf.ts";

type InputOf<T extends Input["type"]> = Extract<Input, { readonly type: T }>;

/** A holder takes a strand. Asking again is no change; an action that somebody else had in hand gets a new id, by its policy. */
export function acceptClaim(turn: Turn, input: InputOf<"claim">): Rejected | undefined {
  const strand = turn.state.strands[input.strand];
  if (strand === undefined || !isOpen(strand.status)) {
    return { code: "STRAND_ENDED", message: `Strand \`${input.strand}\` has ended.` };
  }
  if (sameHolder(strand.holder, input.holder)) return undefined;
  if (strand.holder !== undefined) {
    return {
      code: "STRAND_HELD",
      message: `This part of run \`${turn.state.id}\` is being driven by ${strand.holder.kind} \`${strand.holder.name}\`.`,
      fix: "Wait for it, or resume the run to take it over.",
    };
  }
  const action = strand.waits?.on === "action" ? turn.state.actions[strand.waits.id] : undefined;
  const hadInHand = action !== undefined && isInHand(turn, action);
  turn.emit({ type: "claimed", strand: strand.id, holder: input.holder, fence: strand.fence + 1 });
  show(turn, strand.id);
  if (action !== undefined && hadInHand) takeOver(turn, strand, action);
  const asked = strand.waits?.on === "decision" ? turn.state.decisions[strand.waits.id] : undefined;
  if (asked?.attempts !== undefined && asked.attemptsLeft !== asked.attempts) turn.emit({ type: "attempts_restored", decision: asked.id });
  return undefined;
}

function takeOver(turn: Turn, strand: Strand, action: Action): void {
  const policy = lostPolicy(turn, action);
  turn.emit({ type: "action_closed", action: action.id, how: "taken_over" });
  if (policy === "continue") return resolveLeaf(turn, strand.id, null, false);
  if (policy === "fail") {
    turn.emit({ type: "moved", strand: strand.id, patch: { interrupted: action.step } });
    turn.emit({ type: "ready", strand: strand.id });
    return failStrand(turn, strand.id, {
      code: "HOLDER_LOST",
      message: `\`${action.step}\` was interrupted: its holder was lost.`,
      block: action.block,
      lost: true,
    });
  }
  if (policy === "ask") return askWhatNow(turn, strand, action);
  reopenAction(turn, strand.id, action);
}

/** Who takes it over is told what was said since it was handed out, too. */
function reopenAction(turn: Turn, strand: string, { fence: _before, ...action }: Action): void {
  const id = turn.mint("a");
  const said = notesFor(turn, strand, action.step);
  const notes = said.length === 0 ? {} : { notes: [...(action.notes ?? []), ...said.map(({ text }) => text)] };
  turn.emit({ type: "action_opened", action: { ...action, ...notes, id, openedAt: turn.at, taken: action.taken + 1 } });
  for (const note of said) turn.emit({ type: "note_delivered", note: note.id, with: id });
  turn.emit({ type: "moved", strand, patch: { ref: id } });
  turn.emit({ type: "waiting", strand, on: { on: "action", id } });
}

export function acceptRelease(turn: Turn, input: InputOf<"release">): Rejected | undefined {
  const strand = turn.state.strands[input.strand];
  if (strand?.holder === undefined || strand.fence !== input.fence)
    return { code: "STRAND_NOT_HELD", message: `Strand \`${input.strand}\` is not held with number ${input.fence} any more.` };
  turn.emit({ type: "released", strand: strand.id, why: input.why });
  return undefined;
}

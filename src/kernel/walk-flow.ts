import { leaveFrame } from "./unwind.ts";
import { endRun } from "./ending.ts";
import { failFrame, failStrand } from "./failure.ts";
import type { Given, Need } from "./input.ts";
import { mainScope } from "./input-command.ts";
import { standAgain } from "./judge-again.ts";
import { leaveLoop, leaveToState, skipItem } from "./leave-loop.ts";
import type { Frame } from "./run-state.ts";
import { frontOf, localsOf, type Turn } from "./turn.ts";
import { enter } from "./enter.ts";

type FrameOf<K extends Frame["kind"]> = Extract<Frame, { readonly kind: K }>;

export function walkSeq(turn: Turn, strand: string, frame: FrameOf<"seq">): undefined {
  const block = turn.block(frame.block);
  const next = block.kind === "seq" ? block.blocks[frame.at] : undefined;
  if (next === undefined) return leaveFrame(turn, strand, "done") as undefined;
  const { doubt } = frame;
  turn.emit({ type: "moved", strand, patch: { at: frame.at + 1, ...(doubt === undefined ? {} : { doubt: null }) } });
  enter(turn, strand, next);
  if (doubt !== undefined && turn.strand(strand).frames.at(-1)?.kind === "call") turn.emit({ type: "moved", strand, patch: { doubt } });
}

export function walkChoose(turn: Turn, strand: string, frame: FrameOf<"choose">, given: Given | undefined): Need | undefined {
  const block = turn.block(frame.block);
  if (block.kind !== "choose" || frame.branch !== null) return leaveFrame(turn, strand, "done") as undefined;
  if (given === undefined && block.branches.length > 0) {
    return ask(turn, strand, Object.fromEntries(block.branches.map((branch, index) => [String(index), branch.when])));
  }
  const values = given?.type === "values" ? given.values : {};
  const index = block.branches.findIndex((_branch, at) => values[String(at)] === true);
  const target = index < 0 ? block.otherwise : block.branches[index]?.then;
  const branch = index < 0 ? -1 : index;
  turn.emit({ type: "moved", strand, patch: { branch, ...(frame.before === undefined ? {} : { before: null }) } });
  if (frame.before?.branch === branch) standAgain(turn, strand, frame.before.frames);
  else if (target !== undefined) enter(turn, strand, target);
  return undefined;
}

/** `while` is asked before a round, `until` after it. */
export function walkRepeat(turn: Turn, strand: string, frame: FrameOf<"repeat">, given: Given | undefined): Need | undefined {
  const block = turn.block(frame.block);
  if (block.kind !== "repeat") return undefined;
  const question = frame.inside ? (block.until ?? block.while) : block.while;
  if (question !== undefined && given === undefined)
    return ask(turn, strand, { "0": question }, { iteration: frame.round + (question === block.until ? 0 : 1) });
  const held = given?.type === "values" && given.values["0"] === true;
  const goOn = question === undefined || (question === block.until ? !held : held);
  if (!goOn) return leaveFrame(turn, strand, "done") as undefined;
  if (frame.round >= block.max) {
    const message = `\`${block.id}\` did ${block.max} rounds and its condition still holds.`;
    if (block.onLimit === "fail") return failStrand(turn, strand, { code: "LOOP_LIMIT", message, block: block.id }) as undefined;
    turn.emit({ type: "warned", code: "LOOP_LIMIT", message, strand, block: block.id });
    return leaveFrame(turn, strand, "done") as undefined;
  }
  const round = frame.round + 1;
  turn.emit({ type: "moved", strand, patch: { round, inside: true, locals: { ...frame.locals, iteration: round } } });
  enter(turn, strand, block.body);
  return undefined;
}

export function walkMachine(turn: Turn, strand: string, frame: FrameOf<"machine">, given: Given | undefined): Need | undefined {
  const block = turn.block(frame.block);
  const state = block.kind === "machine" ? block.states[frame.state] : undefined;
  if (state === undefined) return leaveFrame(turn, strand, "done") as undefined;
  if (!frame.inside) {
    turn.emit({ type: "moved", strand, patch: { inside: true } });
    enter(turn, strand, state.body);
    return undefined;
  }
  const asked = state.outcomes.flatMap((outcome, index) => (outcome.when === undefined ? [] : [[String(index), outcome.when] as const]));
  if (asked.length > 0 && given === undefined) return ask(turn, strand, Object.fromEntries(asked));
  const values = given?.type === "values" ? given.values : {};
  const outcome = state.outcomes.find((candidate, index) => candidate.when === undefined || values[String(index)] === true);
  if (outcome === undefined) {
    const message = `State \`${frame.state}\` ended and none of its outcomes holds.`;
    return failStrand(turn, strand, { code: "MACHINE_NO_OUTCOME", message, block: frame.block }) as undefined;
  }
  if (outcome.to === null) return leaveFrame(turn, strand, "done") as undefined;
  turn.emit({ type: "moved", strand, patch: { state: outcome.to, inside: false } });
  return undefined;
}

export function walkLeave(turn: Turn, strand: string, frame: FrameOf<"leave">, given: Given | undefined): Need | undefined {
  const block = turn.block(frame.block);
  if (block.kind !== "leave") return undefined;
  if (block.how === "finish") return walkFinish(turn, strand, block.id, given);
  if (block.message !== undefined && given === undefined) return ask(turn, strand, { message: block.message });
  const text = given?.type === "values" ? given.values["message"] : undefined;
  const message = typeof text === "string" && text !== "" ? text : undefined;
  switch (block.how) {
    case "break":
    case "continue":
      return leaveLoop(turn, strand, block.how, block.id) as undefined;
    case "skip":
      return skipItem(turn, strand, message ?? `left at \`${block.id}\``) as undefined;
    case "to":
      return leaveToState(turn, strand, block.state ?? "", block.id) as undefined;
    case "fail": {
      const error = { code: "STEP_EXIT", message: message ?? `The workflow was ended as failed by \`${block.id}\`.`, block: block.id };
      // The exit keeps its place, so that a retry does not walk past it; what lies around it deals with the failure.
      return failFrame(turn, strand, error, turn.strand(strand).frames.length - 2) as undefined;
    }
  }
}

/** A run that is finished early obeys its completion rules all the same: unmet ones hold it here until they are met. */
function walkFinish(turn: Turn, strand: string, by: string, given: Given | undefined): Need | undefined {
  const { rules } = turn.mainPart();
  if (rules.length > 0 && given === undefined) {
    return { type: "evaluate", strand, exprs: Object.fromEntries(rules.map((rule) => [rule.id, rule.when])), scope: mainScope, locals: {} };
  }
  const unmet = rules.filter((rule) => given?.type !== "values" || given.values[rule.id] !== true);
  if (unmet.length > 0) {
    turn.emit({ type: "blocked", strand, code: "RULES_UNMET", reason: unmet.map((rule) => rule.message).join(" ") });
    return undefined;
  }
  leaveFrame(turn, strand, "done");
  endRun(turn, { status: "completed", reason: `ended by \`${by}\`` });
  return undefined;
}

function ask(
  turn: Turn,
  strandId: string,
  exprs: Extract<Need, { readonly type: "evaluate" }>["exprs"],
  extra: Readonly<Record<string, number>> = {},
): Need {
  const strand = turn.strand(strandId);
  return {
    type: "evaluate",
    strand: strandId,
    exprs,
    scope: strand.scope,
    locals: { ...localsOf(strand.frames), ...extra },
    ...frontOf(strand.frames),
  };
}

import { own, type Json } from "../base/index.ts";
import type { Budget } from "../program/index.ts";
import { limitText, raisedLimit, wakeAskers } from "./budget.ts";
import { endRun } from "./ending.ts";
import { guardTime, leaveFrame } from "./enter-leave.ts";
import { failStrand } from "./failure.ts";
import type { RunError } from "./frame.ts";
import { answerAsked } from "./input-ask.ts";
import type { InputOf, Rejected } from "./input.ts";
import { answeredBy, isOfPerson, isPersonPresent } from "./person-values.ts";
import type { Decision } from "./run-state.ts";
import { usedOf } from "./read-state.ts";
import { holderOf, type Turn } from "./turn.ts";
import { resolveLeaf } from "./walk-leaf.ts";

type Answer = InputOf<"answer">;

export function acceptAnswer(turn: Turn, input: Answer): Rejected | undefined {
  const decision = own(turn.state.decisions, input.decision);
  if (decision === undefined || decision.status !== "pending") {
    return {
      code: "DECISION_CLOSED",
      message: `The question \`${input.decision}\` is not open: it was answered or cancelled before. Nothing was changed.`,
    };
  }
  const { id, revision, strand } = decision;
  if (revision !== input.revision) {
    return {
      code: "DECISION_REVISED",
      message: `The question \`${id}\` has changed since it was shown (revision ${revision}, answered ${input.revision}).`,
      fix: `Look at it again: \`waymark decide ${turn.state.id} ${id}\` shows it. Then answer revision ${revision}.`,
    };
  }
  if (decision.answerBy === "person" && (input.relayed || !isPersonPresent(turn.by))) {
    return {
      code: "DECISION_FOR_PERSON",
      message: `Only a person can answer \`${id}\`: ${decision.question}`,
      fix: `Ask the person to run \`waymark decide ${turn.state.id} ${id}\` in a terminal of their own.`,
    };
  }
  turn.markShown(strand);
  // The question about a budget is of all strands, and outlives the one that came to it first.
  const { holder, fence } = turn.state.strands[strand] ?? {};
  if (holder !== undefined && input.left === fence) turn.emit({ type: "released", strand, why: "lost" });
  if (input.declined !== undefined) return decline(turn, decision, input.declined);
  const problem = input.valid
    ? wrongOption(decision, input.answer)
    : (decision.patternMessage ?? `The answer does not match \`${decision.pattern ?? ""}\`.`);
  if (problem !== undefined) return refuse(turn, decision, problem);
  if (decision.kind === "budget") return answerBudget(turn, decision, input);
  close(turn, decision, input);
  if (decision.kind === "lost") return answerLost(turn, strand, input.answer);
  if (decision.kind === "asked") return answerAsked(turn, decision, input.answer);
  if (isOwnWord(turn, decision, input)) turn.move(strand, { answered: { ...answeredBy(decision) } });
  return resolveLeaf(turn, strand, resultOf(decision, input), input.stored !== true || !isStored(turn, strand));
}

function resultOf({ reasons }: Decision, { answer, reason = "" }: Answer): Json {
  return reasons === true ? { answer, reason } : answer;
}

/** Whether what the answer writes belongs to the person: nobody else may answer, or it replaces such an answer in the person's own words. */
function isOwnWord(turn: Turn, { answerBy, paths, strand }: Decision, { relayed }: Answer): boolean {
  const scope = turn.state.scopes[turn.strand(strand).scope];
  if (scope === undefined || paths.length === 0) return false;
  return answerBy === "person" || (!relayed && isPersonPresent(turn.by) && paths.some((path) => isOfPerson(scope, path)));
}

/** Whether the strand's question still has what was stored as its answer: a wrong answer that came first took it back. */
function isStored(turn: Turn, strandId: string): boolean {
  const frame = turn.top(strandId);
  return frame?.kind === "do" && (frame.stored !== undefined || frame.written !== undefined);
}

/** What was interrupted is done again, or passed over as if it had been done. Its time did not run while it was in question. */
function answerLost(turn: Turn, strand: string, answer: Json): undefined {
  const frame = turn.top(strand);
  if (frame?.kind !== "call") {
    turn.move(strand, { phase: "args", ref: null, interrupted: null });
    if (answer === "continue") return resolveLeaf(turn, strand, null, false);
  } else if (answer === "continue") {
    leaveFrame(turn, strand, "skipped", "passed over after an interruption");
    return turn.ready(strand);
  } else turn.move(strand, { doubt: null, ref: null });
  if (frame !== undefined) guardTime(turn, strand, turn.block(frame.block));
  turn.ready(strand);
}

/** Why the answer is none of the question's options; undefined when it is one, or the question has none. */
export function wrongOption({ kind, options }: Decision, answer: Json): string | undefined {
  if (options === undefined || kind === "budget" || options.some(({ value }) => value === answer)) return undefined;
  return `The answer must be one of ${options.map(({ value }) => `\`${value}\``).join(", ")}.`;
}

/** A wrong answer is recorded; the last allowed one fails the step. A question for a person, or without a number of attempts, stays open. */
function refuse(turn: Turn, decision: Decision, reason: string): undefined {
  turn.emit({ type: "answer_refused", decision: decision.id, reason });
  // What is stored in other steps is their result, whatever is asked about them.
  if (decision.kind === "input" || decision.kind === "gate") putBack(turn, decision.strand);
  const left = turn.state.decisions[decision.id]?.attemptsLeft;
  if (decision.answerBy === "person" || decision.attempts === undefined || left === undefined || left > 0) return;
  giveUp(turn, decision, reason, { code: "ANSWER_REFUSED", message: `No valid answer to \`${decision.step}\`: ${reason}` });
  turn.markStale(decision.strand);
}

/** What is not an answer does not stay where the answer belongs: the state is as it was before it was stored there. */
function putBack(turn: Turn, strandId: string): void {
  const { scope, frames } = turn.strand(strandId);
  const frame = frames.at(-1);
  const held = turn.state.scopes[scope];
  if (frame?.kind !== "do" || frame.stored === undefined || held === undefined) return;
  const stored = frame.stored.filter(({ path }) => !isOfPerson(held, path));
  const alone = frame.version !== undefined && frame.version === held.version ? { version: frame.version + 1 } : {};
  turn.emit({ type: "put_back", scope, stored });
  turn.move(strandId, { stored: null, ...alone });
}

/** Nobody will answer: the step fails, and its policy decides. A budget can only be raised or left as it is. */
function decline(turn: Turn, decision: Decision, reason: string): undefined {
  if (decision.kind === "budget")
    return refuse(turn, decision, isUnknown(decision) ? continueOrStop : "Answer with a new limit, `double` or `stop`.");
  giveUp(turn, decision, reason, { code: "STEP_FAILED", message: reason, ...(decision.kind === "lost" ? { lost: true } : {}) });
}

/** The question is closed without an answer, and its step fails. */
function giveUp(turn: Turn, { id, strand, block }: Decision, reason: string, error: RunError): void {
  turn.emit({ type: "decision_closed", decision: id, status: "cancelled", reason });
  turn.ready(strand);
  failStrand(turn, strand, { ...error, ...(block === undefined ? {} : { block }) });
}

function close(turn: Turn, { id: decision, reasons }: Decision, { answer, relayed, reason }: Answer): void {
  const by = { ...holderOf(turn.by), surface: turn.by.surface, relayed };
  const why = reasons === true && reason !== undefined ? { reason } : {};
  turn.emit({ type: "decision_closed", decision, status: "answered", answer, by, ...why });
}

const continueOrStop = "Answer `continue` or `stop`.";

/** It is asked because a turn did not say what it used. */
function isUnknown({ binds }: Decision): boolean {
  return binds?.["unknown"] === "yes";
}

function answerBudget(turn: Turn, decision: Decision, input: Answer): undefined {
  const what = (decision.binds?.["what"] ?? "steps") as keyof Budget;
  const limit = turn.state.budget.limits[what] ?? 0;
  const unknown = isUnknown(decision) && (what === "tokens" || what === "money");
  if (input.answer === "stop") {
    close(turn, decision, input);
    const reason = unknown ? "nobody knows what is left of the budget" : "the budget was used up and not raised";
    const message = unknown
      ? `Nobody knows what is left of the budget of ${limitText({ what, limit })}.`
      : `The budget of ${limitText({ what, limit })} was used up and not raised.`;
    return endRun(turn, { status: "cancelled", reason, error: { code: "BUDGET_SPENT", message } });
  }
  if (unknown) {
    if (input.answer !== "continue") return refuse(turn, decision, continueOrStop);
    close(turn, decision, input);
    turn.emit({
      type: "budget_set",
      limits: turn.state.budget.limits,
      uncounted: decision.binds?.["also"] === "money" ? [what, "money"] : [what],
    });
    return wakeAskers(turn, decision.id);
  }
  const least = Math.max(limit, Math.floor(usedOf(turn.state, what, turn.at)));
  const raised = raisedLimit(input.answer, least, Number(decision.binds?.["double"] ?? limit * 2));
  if (raised === undefined) return refuse(turn, decision, `Answer with a number above ${least}, \`double\` or \`stop\`.`);
  close(turn, decision, input);
  turn.emit({ type: "budget_set", limits: { ...turn.state.budget.limits, [what]: raised } });
  wakeAskers(turn, decision.id);
}

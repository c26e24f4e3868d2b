import { own, type Json } from "../base/index.ts";
import type { Budget } from "../program/index.ts";
import { raisedLimit, wakeAskers } from "./budget.ts";
import { endRun } from "./ending.ts";
import { guardTime } from "./enter.ts";
import { failStrand } from "./failure.ts";
import type { Input, Rejected } from "./input.ts";
import type { Decision } from "./run-state.ts";
import type { Turn } from "./turn.ts";
import { hide, show } from "./unshown.ts";
import { leaveFrame } from "./unwind.ts";
import { resolveLeaf } from "./walk-leaf.ts";

/** Surfaces at which a person is known to be present; only there does an answer count as theirs. */
const personSurfaces: ReadonlySet<string> = new Set(["cli-terminal", "cli-test", "elicitation", "http", "console", "chat"]);

type Answer = Extract<Input, { readonly type: "answer" }>;

export function acceptAnswer(turn: Turn, input: Answer): Rejected | undefined {
  const decision = own(turn.state.decisions, input.decision);
  if (decision === undefined || decision.status !== "pending") {
    return {
      code: "DECISION_CLOSED",
      message: `The question \`${input.decision}\` is not open: it was answered or cancelled before. Nothing was changed.`,
    };
  }
  if (decision.revision !== input.revision) {
    return {
      code: "DECISION_REVISED",
      message: `The question \`${decision.id}\` has changed since it was shown (revision ${decision.revision}, answered ${input.revision}).`,
      fix: `Look at it again: \`waymark decide ${turn.state.id} ${decision.id}\` shows it. Then answer revision ${decision.revision}.`,
    };
  }
  if (decision.answerBy === "person" && (input.relayed || turn.by.kind !== "person" || !personSurfaces.has(turn.by.surface))) {
    return {
      code: "DECISION_FOR_PERSON",
      message: `Only a person can answer \`${decision.id}\`: ${decision.question}`,
      fix: `Ask the person to run: waymark decide ${turn.state.id} ${decision.id}`,
    };
  }
  show(turn, decision.strand);
  if (input.declined !== undefined) return decline(turn, decision, input.declined);
  const problem = input.valid
    ? wrongOption(decision, input.answer)
    : (decision.patternMessage ?? `The answer does not match \`${decision.pattern ?? ""}\`.`);
  if (problem !== undefined) return refuse(turn, decision, problem);
  if (decision.kind === "budget") return answerBudget(turn, decision, input);
  close(turn, decision, input);
  if (decision.kind === "lost") {
    if (turn.strand(decision.strand).frames.at(-1)?.kind === "call") return answerCall(turn, decision.strand, input.answer);
    turn.emit({ type: "moved", strand: decision.strand, patch: { phase: "args", ref: null, interrupted: null } });
    if (input.answer === "continue") resolveLeaf(turn, decision.strand, null, false);
    else limitAgain(turn, decision.strand);
    return undefined;
  }
  resolveLeaf(turn, decision.strand, input.answer, input.stored !== true || !isStored(turn, decision.strand));
  return undefined;
}

/** Whether the strand's question still has what was stored as its answer: a wrong answer that came first took it back. */
function isStored(turn: Turn, strandId: string): boolean {
  const frame = turn.strand(strandId).frames.at(-1);
  return frame?.kind === "do" && (frame.stored !== undefined || frame.written !== undefined);
}

/** A call that was begun elsewhere is made now, or passed over as if it had been made. */
function answerCall(turn: Turn, strand: string, answer: Json): undefined {
  if (answer === "continue") leaveFrame(turn, strand, "skipped", "passed over after an interruption");
  else turn.emit({ type: "moved", strand, patch: { doubt: null, ref: null } });
  if (answer === "continue") turn.emit({ type: "ready", strand });
  else limitAgain(turn, strand);
}

/** The strand continues with its innermost block, whose time did not run while it was in question. */
function limitAgain(turn: Turn, strand: string): void {
  const frame = turn.strand(strand).frames.at(-1);
  if (frame !== undefined) guardTime(turn, strand, turn.block(frame.block));
  turn.emit({ type: "ready", strand });
}

/** Why the answer is none of the question's options; undefined when it is one, or the question has none. */
export function wrongOption(decision: Decision, answer: Json): string | undefined {
  if (decision.options === undefined || decision.kind === "budget") return undefined;
  if (decision.options.some((option) => option.value === answer)) return undefined;
  return `The answer must be one of ${decision.options.map((option) => `\`${option.value}\``).join(", ")}.`;
}

/** A wrong answer is recorded; the last allowed one fails the step. A question without a number of attempts stays open. */
function refuse(turn: Turn, decision: Decision, reason: string): Rejected | undefined {
  turn.emit({ type: "answer_refused", decision: decision.id, reason });
  // What is stored in other steps is their result, whatever is asked about them.
  if (decision.kind === "input" || decision.kind === "gate") putBack(turn, decision.strand);
  const left = turn.state.decisions[decision.id]?.attemptsLeft;
  if (decision.attempts !== undefined && left !== undefined && left <= 0) {
    turn.emit({ type: "decision_closed", decision: decision.id, status: "cancelled", reason });
    turn.emit({ type: "ready", strand: decision.strand });
    failStrand(turn, decision.strand, {
      code: "ANSWER_REFUSED",
      message: `No valid answer to \`${decision.step}\`: ${reason}`,
      ...(decision.block === undefined ? {} : { block: decision.block }),
    });
    hide(turn, decision.strand);
  }
  return undefined;
}

/** What is not an answer does not stay where the answer belongs: the state is as it was before it was stored there. */
function putBack(turn: Turn, strandId: string): void {
  const { scope, frames } = turn.strand(strandId);
  const frame = frames.at(-1);
  if (frame?.kind !== "do" || frame.stored === undefined) return;
  const alone = frame.version !== undefined && frame.version === turn.state.scopes[scope]?.version ? { version: frame.version + 1 } : {};
  turn.emit({ type: "put_back", scope, stored: frame.stored });
  turn.emit({ type: "moved", strand: strandId, patch: { stored: null, ...alone } });
}

/** Nobody will answer: the step fails, and its policy decides. A budget can only be raised or left as it is. */
function decline(turn: Turn, decision: Decision, reason: string): Rejected | undefined {
  if (decision.kind === "budget") return refuse(turn, decision, "Answer with a new limit, `double` or `stop`.");
  turn.emit({ type: "decision_closed", decision: decision.id, status: "cancelled", reason });
  turn.emit({ type: "ready", strand: decision.strand });
  failStrand(turn, decision.strand, {
    code: "STEP_FAILED",
    message: reason,
    ...(decision.kind === "lost" ? { lost: true } : {}),
    ...(decision.block === undefined ? {} : { block: decision.block }),
  });
  return undefined;
}

function close(turn: Turn, decision: Decision, input: Answer): void {
  const { kind, name, session, surface } = turn.by;
  const by = { kind: kind === "engine" ? ("worker" as const) : kind, name, session, surface, relayed: input.relayed };
  turn.emit({ type: "decision_closed", decision: decision.id, status: "answered", answer: input.answer, by });
}

function answerBudget(turn: Turn, decision: Decision, input: Answer): Rejected | undefined {
  const what = (decision.binds?.["what"] ?? "steps") as keyof Budget;
  const limit = turn.state.budget.limits[what] ?? 0;
  if (input.answer === "stop") {
    close(turn, decision, input);
    endRun(turn, {
      status: "cancelled",
      reason: "the budget was used up and not raised",
      error: { code: "BUDGET_SPENT", message: `The budget of ${limit} ${what} was used up and not raised.` },
    });
    return undefined;
  }
  const raised = raisedLimit(input.answer, limit);
  if (raised === undefined) return refuse(turn, decision, `Answer with a number above ${limit}, \`double\` or \`stop\`.`);
  close(turn, decision, input);
  turn.emit({ type: "budget_set", limits: { ...turn.state.budget.limits, [what]: raised } });
  wakeAskers(turn, decision.id);
  return undefined;
}

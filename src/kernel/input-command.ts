import { formatPath, own, type Json, type JsonObject } from "../base/index.ts";
import { settleBudget, spentBudget } from "./budget.ts";
import { endRun, ofEntry } from "./ending.ts";
import { enter } from "./enter.ts";
import type { Input, Rejected } from "./input.ts";
import { sameHolder } from "./input-outcome.ts";
import { nothingToRetry } from "./nothing-to-retry.ts";
import { openRefs } from "./open-refs.ts";
import { retryStrand } from "./retry-strand.ts";
import type { Scope, Strand } from "./run-state.ts";
import { isStopped, resumeStrand } from "./stop-strands.ts";
import { storedBy } from "./stored-writes.ts";
import { write } from "./tracking.ts";
import type { Turn } from "./turn.ts";
import { cancelStrand, leaveFrame } from "./unwind.ts";

type InputOf<T extends Input["type"]> = Extract<Input, { readonly type: T }>;

export const mainStrand = "main";
export const mainScope = "run";

export function acceptStart(turn: Turn, input: InputOf<"start">): Rejected | undefined {
  if (turn.state.id !== "") return { code: "RUN_EXISTS", message: `Run \`${turn.state.id}\` has already been started.` };
  const part = turn.mainPart();
  const limits = { ...part.budget, ...input.budget };
  turn.emit({
    type: "started",
    id: input.id,
    workflow: turn.program.name,
    program: input.program,
    at: turn.at,
    options: input.options,
    limits,
    ...(input.retryOf === undefined ? {} : { retryOf: input.retryOf }),
    ...(input.countsFrom === undefined ? {} : { countsFrom: input.countsFrom }),
  });
  turn.emit({ type: "scope_opened", scope: mainScope, part: turn.program.main, inputs: input.inputs, ...input.defaults });
  turn.emit({ type: "strand_opened", strand: mainStrand, scope: mainScope });
  enter(turn, mainStrand, part.root);
  return undefined;
}

export function acceptSet(turn: Turn, input: InputOf<"set">): Rejected | undefined {
  const scope = turn.state.scopes[input.scope];
  if (scope === undefined) return { code: "SCOPE_UNKNOWN", message: `The run has no scope \`${input.scope}\`.` };
  const { holder } = input;
  if (holder !== undefined && !Object.values(turn.state.strands).some((strand) => sameHolder(strand.holder, holder))) {
    return {
      code: "HOLDER_LOST",
      message: `You do not drive any part of run \`${turn.state.id}\`, so its state was not changed.`,
      fix: "Ask for the next step first, or resume the run to take it over.",
    };
  }
  if (input.expectedVersion !== undefined && input.expectedVersion !== scope.version) {
    return {
      code: "VERSION_CONFLICT",
      message: `The state is at version ${scope.version}, not ${input.expectedVersion}: somebody wrote in between. Nothing was written.`,
      fix: "Read the state again and repeat the update with its version.",
      details: { current_version: scope.version },
    };
  }
  if (input.handOut !== undefined && openFor(turn, input.handOut) === undefined) {
    return {
      code: "ACTION_NOT_OPEN",
      message: `\`${input.handOut}\` is not open for you in run \`${turn.state.id}\`: it was reported before, or taken over. Nothing was written.`,
      fix: "Ask for the next step.",
      details: openRefs(turn.state),
    };
  }
  const problem = write(turn, input.scope, input.updates);
  if (problem === undefined) return noteStored(turn, input, scope) as undefined;
  return {
    code: "STATE_WRITE",
    message: `${problem} Nothing was written.`,
    details: { paths: input.updates.map((update) => `${update.tier}.${formatPath(update.keys)}`) },
  };
}

/** The strand in which a hand-out is open, when the writer holds it. */
function openFor(turn: Turn, handOut: string): Strand | undefined {
  const open = own(turn.state.actions, handOut) ?? own(turn.state.decisions, handOut);
  const strand = open === undefined ? undefined : turn.strand(open.strand);
  return strand?.waits !== undefined && "id" in strand.waits && strand.waits.id === handOut && sameHolder(strand.holder, turn.by)
    ? strand
    : undefined;
}

/**
 * What the holder of an open step writes to the step's own paths, once it was shown the step, counts as its result, and is not written
 * again with the report. A write counts for one step: for the hand-out or that of the strand it names, else for the only one that it fits.
 */
function noteStored(turn: Turn, input: InputOf<"set">, before: Scope): void {
  const fitting = Object.values(turn.state.strands).flatMap((strand) => {
    const { id, holder, scope, frames } = strand;
    const frame = frames.at(-1);
    if (scope !== input.scope || holder?.session !== turn.by.session || holder.name !== turn.by.name) return [];
    if (frame?.kind !== "do" || !isMeant(strand, input)) return [];
    const stored = storedBy(before, input.updates, frame.paths ?? []);
    return stored.length === 0 ? [] : [{ id, frame, stored }];
  });
  const [only, ...others] = fitting;
  if (only === undefined || others.length > 0) return;
  const { id, frame, stored } = only;
  const alone = frame.version === before.version ? { version: before.version + 1 } : {};
  turn.emit({ type: "moved", strand: id, patch: { stored: [...(frame.stored ?? []), ...stored] as unknown as Json, ...alone } });
}

/** Whether the write may be for what is open in the strand. */
function isMeant({ id, waits, task }: Strand, { strand, handOut, shown }: InputOf<"set">): boolean {
  if (waits?.on !== "action" && waits?.on !== "decision") return false;
  if (handOut !== undefined) return handOut === waits.id;
  if (strand !== undefined && strand !== id) return false;
  if (shown?.includes(waits.id) === false) return false;
  // Who drives the run writes for itself, also beside its sub-agents: that answers none of their questions.
  return waits.on === "action" || task === undefined || strand !== undefined;
}

export function acceptEntry(turn: Turn, input: InputOf<"entry">): Rejected | undefined {
  const entry = turn.mainPart().entries[input.name];
  if (entry === undefined) {
    return {
      code: "ENTRY_UNKNOWN",
      message: `This workflow has no entry \`${input.name}\`.`,
      details: { entries: Object.keys(turn.mainPart().entries) },
    };
  }
  if (entry.by === "person" && turn.by.kind !== "person")
    return { code: "ENTRY_BY_PERSON", message: `Only a person may start \`${input.name}\`.` };
  const id = turn.mint("s");
  turn.emit({
    type: "strand_opened",
    strand: id,
    scope: mainScope,
    entry: input.name,
    ...(entry.main === "waits" ? { pauses: true as const } : {}),
  });
  enter(turn, id, entry.root, input.args);
  return undefined;
}

export function acceptNote(turn: Turn, input: InputOf<"note">): undefined {
  const { kind, name, session } = turn.by;
  const from = { kind: kind === "engine" ? ("worker" as const) : kind, name, session };
  turn.emit({
    type: "noted",
    note: { id: turn.mint("n"), text: input.text, from, at: turn.at, ...(input.target === undefined ? {} : { target: input.target }) },
  });
}

export function acceptMark(turn: Turn, input: InputOf<"mark">): undefined {
  const mark = {
    id: turn.mint("k"),
    step: input.step,
    reason: input.reason,
    at: turn.at,
    ...(input.statePath === undefined ? {} : { statePath: input.statePath }),
  };
  turn.emit({ type: "marked", mark });
}

export function acceptLimits(turn: Turn, input: InputOf<"limits">): Rejected | undefined {
  if (turn.by.kind !== "person")
    return {
      code: "LIMITS_BY_PERSON",
      message: `Only a person may change the budget of run \`${turn.state.id}\`.`,
      fix: "Ask the person to raise it.",
    };
  const { decision, limits } = turn.state.budget;
  turn.emit({ type: "budget_set", limits: { ...limits, ...input.budget }, ...(decision === undefined ? {} : { decision }) });
  const asked = decision === undefined ? undefined : turn.state.decisions[decision];
  if (asked?.status === "pending" && spentBudget(turn) === undefined) settleBudget(turn, asked.id);
  return undefined;
}

export function acceptEnd(turn: Turn, input: InputOf<"end">): Rejected | undefined {
  if (turn.state.status !== "running") {
    if (turn.state.status === input.status) return undefined;
    return { code: "RUN_ENDED", message: `Run \`${turn.state.id}\` is already ${turn.state.status}.` };
  }
  if (input.status === "completed") {
    const open = openThings(turn);
    return {
      code: "RUN_NOT_DONE",
      message: `Run \`${turn.state.id}\` still has work to do: ${open.text}`,
      fix: "Ask for the next step and go on until none is left.",
      details: open.details,
    };
  }
  const reason = input.reason ?? `ended as ${input.status} on request`;
  endRun(turn, {
    status: input.status,
    reason,
    error: { code: input.status === "failed" ? "RUN_FAILED_BY_REQUEST" : "RUN_CANCELLED", message: reason },
  });
  return undefined;
}

function openThings(turn: Turn): { readonly text: string; readonly details: JsonObject } {
  const steps = Object.values(turn.state.actions).map((action) => action.step);
  const decisions = Object.values(turn.state.decisions)
    .filter((decision) => decision.status === "pending")
    .map((decision) => decision.id);
  const parts = [
    steps.length > 0 ? `open steps ${steps.join(", ")}` : "",
    decisions.length > 0 ? `open questions ${decisions.join(", ")}` : "",
  ].filter((part) => part !== "");
  return {
    text: parts.length > 0 ? `${parts.join("; ")}.` : "its steps are not all done.",
    details: { open_steps: steps, open_decisions: decisions },
  };
}

/** Lets failed and blocked strands go on where they stopped. */
export function acceptRetry(turn: Turn, input: InputOf<"retry">): Rejected | undefined {
  const wanted = Object.values(turn.state.strands).filter((strand) => input.strand === undefined || strand.id === input.strand);
  const stopped = wanted.filter((strand) => strand.status === "failed" || strand.status === "blocked");
  if (stopped.length === 0) return nothingToRetry(turn);
  if (turn.state.status === "failed") turn.emit({ type: "reopened", why: "retry" });
  for (const strand of stopped) {
    if (turn.state.strands[strand.id] === undefined) continue;
    if (strand.holder !== undefined && !sameHolder(strand.holder, turn.by))
      turn.emit({ type: "released", strand: strand.id, why: "taken_over" });
    if (input.fromStart === true && strand.id === mainStrand) startOver(turn, strand);
    else if (isStopped(strand)) resumeStrand(turn, strand.id);
    else retryStrand(turn, strand, input.resetCounts);
  }
  return undefined;
}

/** Nothing that was done counts: the strand begins at its first step again, and works that it does not wait for end. */
function startOver(turn: Turn, strand: Strand): void {
  const reason = "begun again from the first step";
  while (turn.strand(strand.id).frames.length > 0) leaveFrame(turn, strand.id, "skipped", reason);
  for (const other of Object.values(turn.state.strands))
    if (other.parent !== undefined && !ofEntry(turn, other)) cancelStrand(turn, other.id, "skipped", reason);
  enter(turn, strand.id, turn.mainPart().root);
  turn.emit({ type: "ready", strand: strand.id });
}

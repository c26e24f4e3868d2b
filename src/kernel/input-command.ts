import { formatPath, own, type Json } from "../base/index.ts";
import type { Budget } from "../program/index.ts";
import { limitText, reviseBudgetDecision, settleBudget } from "./budget.ts";
import { endRun, wakeMain } from "./ending.ts";
import { cancelStrand, closeOpenLeaf, enter, leaveTo } from "./enter-leave.ts";
import { openRefs } from "./input-outcome.ts";
import type { InputOf, Rejected } from "./input.ts";
import { parallelOf, settleItem } from "./items.ts";
import { isPersonPresent, refuseForPerson } from "./person-values.ts";
import { isOpen, sameHolder } from "./read-state.ts";
import { mainScope, mainStrand, type Scope, type Strand } from "./run-state.ts";
import type { Turn } from "./turn.ts";
import { storedBy } from "./write-state.ts";

export function acceptStart(turn: Turn, input: InputOf<"start">): Rejected | undefined {
  if (turn.state.id !== "") return { code: "RUN_EXISTS", message: `Run \`${turn.state.id}\` has already been started.` };
  const { id, program, inputs, defaults, options, budget, retryOf, countsFrom, carried } = input;
  const part = turn.mainPart();
  turn.emit({
    type: "started",
    id,
    workflow: turn.program.name,
    program,
    at: turn.at,
    options,
    limits: { ...part.budget, ...budget },
    ...(retryOf === undefined ? {} : { retryOf }),
    ...(countsFrom === undefined ? {} : { countsFrom }),
    ...(carried === undefined ? {} : { carried }),
  });
  turn.emit({ type: "scope_opened", scope: mainScope, part: turn.program.main, inputs, ...defaults });
  turn.emit({ type: "strand_opened", strand: mainStrand, scope: mainScope });
  return enter(turn, mainStrand, part.root);
}

export function acceptEntry(turn: Turn, { name, args }: InputOf<"entry">): Rejected | undefined {
  const { entries } = turn.mainPart();
  const entry = entries[name];
  if (entry === undefined)
    return { code: "ENTRY_UNKNOWN", message: `This workflow has no entry \`${name}\`.`, details: { entries: Object.keys(entries) } };
  if (entry.by === "person" && !isPersonPresent(turn.by))
    return { code: "ENTRY_BY_PERSON", message: `Only a person may start \`${name}\`.` };
  const id = turn.mint("s");
  const pauses = entry.main === "waits" ? { pauses: true as const } : {};
  turn.emit({ type: "strand_opened", strand: id, scope: mainScope, entry: name, ...pauses });
  return enter(turn, id, entry.root, args);
}

/** Gives up a strand that a command started. One that has ended, and one that belongs to the workflow itself, stay as they are. */
export function acceptCancel(turn: Turn, { strand: id, reason }: InputOf<"cancel">): undefined {
  const strand = turn.state.strands[id];
  if (strand?.entry === undefined || !isOpen(strand.status)) return;
  const asked = strand.waits?.on === "decision" ? turn.state.decisions[strand.waits.id] : undefined;
  if (asked?.status === "pending") turn.emit({ type: "decision_closed", decision: asked.id, status: "cancelled", reason });
  cancelStrand(turn, id, "skipped", reason);
  wakeMain(turn);
}

/** One more strand of a `pull` work is wanted; the walk opens it when an item is left that nobody holds. */
export function acceptPull(turn: Turn, { strand: id }: InputOf<"pull">): Rejected | undefined {
  const frame = turn.state.strands[id]?.frames.at(-1);
  const block = frame?.kind === "work" ? turn.blockOf(frame) : undefined;
  if (frame?.kind !== "work" || block?.pull !== true)
    return { code: "NOTHING_TO_PULL", message: `Nothing in run \`${turn.state.id}\` is handed out on request now.` };
  const open = frame.open.length;
  if (open >= (parallelOf(block, frame) ?? 64)) {
    const message = `${open} parts of run \`${turn.state.id}\` are held already, which is the limit.`;
    return { code: "NOTHING_TO_PULL", message };
  }
  if ((turn.state.lists[frame.list]?.by.pending ?? 0) === 0)
    return { code: "NOTHING_TO_PULL", message: `Other agents hold all open items of \`${block.id}\`.` };
  turn.move(id, { wanted: open + 1 });
  return turn.wake(id);
}

/** A place was chosen by hand: the strand leaves its place, its items are open again, and it looks for the first one again. */
export function acceptRewind(turn: Turn, { strand: id, reason }: InputOf<"rewind">): Rejected | undefined {
  const strand = turn.state.strands[id];
  const at = strand?.frames.findIndex((frame) => frame.kind === "work") ?? -1;
  if (strand === undefined || at < 0 || !isOpen(strand.status)) {
    const message = `Strand \`${id}\` of run \`${turn.state.id}\` is not going through a list of items.`;
    return { code: "NOTHING_TO_REWIND", message };
  }
  closeOpenLeaf(turn, id);
  leaveTo(turn, id, at + 1, { how: "skipped", reason });
  settleItem(turn, id, "pending", reason);
  return turn.wake(id);
}

const budgetKinds = ["steps", "minutes", "tokens", "money"] as const;

const raisingOptions = { tokens: "--budget-tokens", money: "--budget-usd" } as const;

/** Behind a colon. Steps and minutes are raised where their question is answered, when they are used up. */
function raisingLine({ state: { id } }: Turn, what: (typeof budgetKinds)[number], budget: Budget): string {
  if (what === "steps" || what === "minutes") return `, when it is used up: waymark decide ${id}`;
  return `: waymark drive ${id} ${raisingOptions[what]} ${budget[what] ?? 0}`;
}

/** A command without a terminal, which an agent may have started, gives a run a limit or lowers one; only a person there raises one. */
export function acceptLimits(turn: Turn, { budget }: InputOf<"limits">): Rejected | undefined {
  const { decision, limits } = turn.state.budget;
  const raised = budgetKinds.find((what) => (budget[what] ?? 0) > (limits[what] ?? Infinity));
  if (turn.by.kind !== "person") {
    const message = `Only a person may change the budget of run \`${turn.state.id}\`.`;
    return { code: "LIMITS_BY_PERSON", message, fix: "Ask the person to change it." };
  }
  if (raised !== undefined && !isPersonPresent(turn.by)) {
    const message = `Run \`${turn.state.id}\` has a budget of ${limitText({ what: raised, limit: limits[raised] ?? 0 })}, and only a person may raise it.`;
    return {
      code: "LIMITS_BY_PERSON",
      message,
      fix: `Ask the person to raise it in a terminal of their own${raisingLine(turn, raised, budget)}`,
    };
  }
  turn.emit({ type: "budget_set", limits: { ...limits, ...budget }, ...(decision === undefined ? {} : { decision }) });
  const asked = decision === undefined ? undefined : turn.state.decisions[decision];
  if (asked?.status !== "pending") return;
  const spent = turn.spentBudget();
  if (spent === undefined) settleBudget(turn, asked.id);
  else reviseBudgetDecision(turn, asked, spent);
}

export function acceptEnd(turn: Turn, input: InputOf<"end">): Rejected | undefined {
  const { id, status } = turn.state;
  if (status !== "running")
    return status === input.status ? undefined : { code: "RUN_ENDED", message: `Run \`${id}\` is already ${status}.` };
  if (input.status === "completed") {
    const details = openRefs(turn.state, Number.POSITIVE_INFINITY);
    const { open_steps: steps, open_decisions: questions } = details;
    const parts = [
      ...(steps.length > 0 ? [`open steps ${steps.join(", ")}`] : []),
      ...(questions.length > 0 ? [`open questions ${questions.join(", ")}`] : []),
    ];
    const open = parts.length > 0 ? `${parts.join("; ")}.` : "its steps are not all done.";
    return {
      code: "RUN_NOT_DONE",
      message: `Run \`${id}\` still has work to do: ${open}`,
      fix: "Ask for the next step and continue until none is left.",
      details,
    };
  }
  const reason = input.reason ?? `ended as ${input.status} on request`;
  const code = input.status === "failed" ? "RUN_FAILED_BY_REQUEST" : "RUN_CANCELLED";
  return endRun(turn, { status: input.status, reason, error: { code, message: reason } });
}

export function acceptSet(turn: Turn, input: InputOf<"set">): Rejected | undefined {
  const { scope: id, holder, expectedVersion, handOut, updates } = input;
  const scope = turn.state.scopes[id];
  if (scope === undefined) return { code: "SCOPE_UNKNOWN", message: `The run has no scope \`${id}\`.` };
  if (holder !== undefined && !Object.values(turn.state.strands).some((strand) => sameHolder(strand.holder, holder))) {
    return {
      code: "HOLDER_LOST",
      message: `You do not hold any part of run \`${turn.state.id}\`, so its state was not changed.`,
      fix: "Ask for the next step first: what is free is handed out to you.",
    };
  }
  if (expectedVersion !== undefined && expectedVersion !== scope.version) {
    return {
      code: "VERSION_CONFLICT",
      message: `The state is at version ${scope.version}, not ${expectedVersion}: it was changed in between. Nothing was written.`,
      fix: "Read the state again and repeat the update with its version.",
      details: { current_version: scope.version },
    };
  }
  if (handOut !== undefined && !isOpenFor(turn, handOut)) {
    return {
      code: "ACTION_NOT_OPEN",
      message: `\`${handOut}\` is not open for you in run \`${turn.state.id}\`: it was reported before, or taken over. Nothing was written.`,
      fix: "Ask for the next step.",
      details: openRefs(turn.state),
    };
  }
  // The engine writes for the workflow; a caller without a terminal may be anybody who can start a process.
  const mayChange = turn.by.kind === "engine" || isPersonPresent(turn.by);
  const forPerson = mayChange ? undefined : refuseForPerson(turn.program, turn.state, id, updates);
  if (forPerson !== undefined) return { ...forPerson, message: `${forPerson.message} Nothing was written.` };
  const problem = turn.write(id, updates);
  if (problem === undefined) return noteStored(turn, input, scope);
  const paths = updates.map((update) => `${update.tier}.${formatPath(update.keys)}`);
  return { code: "STATE_WRITE", message: `${problem} Nothing was written.`, details: { paths } };
}

/** Whether the hand-out is open in a strand that the writer holds. */
function isOpenFor(turn: Turn, handOut: string): boolean {
  const open = own(turn.state.actions, handOut) ?? own(turn.state.decisions, handOut);
  if (open === undefined) return false;
  const { waits, holder } = turn.strand(open.strand);
  return waits !== undefined && "id" in waits && waits.id === handOut && sameHolder(holder, turn.by);
}

/**
 * What the holder of an open step writes to the step's own paths, once it was shown the step, counts as its result, and is not written
 * again with the report. A write counts for one step: for the hand-out or that of the strand it names, else for the only one that it fits.
 */
function noteStored(turn: Turn, input: InputOf<"set">, before: Scope): undefined {
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
  turn.move(id, { stored: [...(frame.stored ?? []), ...stored] as unknown as Json, ...alone });
}

/** Whether the write may be for what is open in the strand. */
function isMeant({ id, waits, task }: Strand, { strand, handOut, shown }: InputOf<"set">): boolean {
  if (waits?.on !== "action" && waits?.on !== "decision") return false;
  if (handOut !== undefined) return handOut === waits.id;
  if (strand !== undefined && strand !== id) return false;
  if (shown?.includes(waits.id) === false) return false;
  // The agent of the run writes for itself, also beside its sub-agents: that answers none of their questions.
  return waits.on === "action" || task === undefined || strand !== undefined;
}

import { formatPath, own, type Json } from "../base/index.ts";
import type { InputOf, Rejected } from "./input.ts";
import { openRefs, sameHolder } from "./input-outcome.ts";
import type { Scope, Strand } from "./run-state.ts";
import { storedBy } from "./stored-writes.ts";
import { write } from "./tracking.ts";
import type { Turn } from "./turn.ts";

export function acceptSet(turn: Turn, input: InputOf<"set">): Rejected | undefined {
  const { scope: id, holder, expectedVersion, handOut, updates } = input;
  const scope = turn.state.scopes[id];
  if (scope === undefined) return { code: "SCOPE_UNKNOWN", message: `The run has no scope \`${id}\`.` };
  if (holder !== undefined && !Object.values(turn.state.strands).some((strand) => sameHolder(strand.holder, holder))) {
    return {
      code: "HOLDER_LOST",
      message: `You do not drive any part of run \`${turn.state.id}\`, so its state was not changed.`,
      fix: "Ask for the next step first, or resume the run to take it over.",
    };
  }
  if (expectedVersion !== undefined && expectedVersion !== scope.version) {
    return {
      code: "VERSION_CONFLICT",
      message: `The state is at version ${scope.version}, not ${expectedVersion}: somebody wrote in between. Nothing was written.`,
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
  const problem = write(turn, id, updates);
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

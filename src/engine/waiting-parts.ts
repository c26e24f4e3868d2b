import { isPaused, mainStrand, type RunState, type Strand } from "../kernel/index.ts";
import type { WaitingParts } from "../ports/index.ts";
import type { Program } from "../program/index.ts";
import { handsOutWork, listsOnRequest } from "./hands-out.ts";
import { effectLease, strandLease } from "./lease-keys.ts";

/**
 * What of a run a driver could take up, also the engine of another process: open steps, tasks that nobody has begun, and the engine's own work. A
 * part that waits for a person is not among them; one that waits for a permission is, since who looks for work looks at that first.
 */
export function waitingParts({ program, state }: { readonly program: Program; readonly state: RunState }): WaitingParts | null {
  if (state.status !== "running") return null;
  const open = Object.values(state.strands).filter((strand) => isWork(state, strand));
  const held = open.flatMap(({ id, holder }) => (holder === undefined ? [] : [strandLease(state.id, id)]));
  const effects = Object.keys(state.effects).map((effect) => effectLease(state.id, effect));
  const dues = Object.values(state.timers).map(({ due }) => due);
  return {
    free: open.length - held.length + onRequest(program, state),
    held: [...held, ...effects],
    ...(dues.length === 0 ? {} : { due: Math.min(...dues) }),
  };
}

/** How many parts these are, held or not. */
export function countOfParts(waiting: WaitingParts | null): number {
  return waiting === null ? 0 : waiting.free + waiting.held.length;
}

function isWork(state: RunState, { id, status, waits, blocked }: Strand): boolean {
  if (isPaused(state, id)) return false;
  if (status === "ready") return true;
  if (status === "blocked") return blocked?.denied === true;
  const action = status === "waiting" && waits?.on === "action" ? state.actions[waits.id] : undefined;
  return action !== undefined && action.what !== "parallel_tasks";
}

/** Items that are handed out to anybody who asks: at least one of them may be possible now. */
function onRequest(program: Program, state: RunState): number {
  if (!handsOutWork({ program, state }) || isPaused(state, mainStrand)) return 0;
  const pending = [...listsOnRequest(program)].map((list) => state.lists[list]?.by.pending ?? 0);
  return pending.reduce((sum, count) => sum + count, 0);
}

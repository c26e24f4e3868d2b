import type { EventOf } from "./event.ts";
import type { RunState, Strand, TakenItem } from "./run-state.ts";

// Earlier versions counted under names what are fields today: `unshown/<strand>`, and `attempts:<list>/<item>` for the tries that failed.

const unshown = /^unshown\/(.*)$/s;

/** The event that says today what a counter of an earlier version said; undefined for other counters. */
export function upcastCounted({ key, by }: EventOf<"counted">): EventOf<"hidden"> | undefined {
  const strand = unshown.exec(key)?.[1];
  return strand === undefined ? undefined : { type: "hidden", strand, unshown: by > 0 };
}

/**
 * The item of a strand with the number of its try, which earlier versions left to the counter. They counted between two strands of one
 * item, in the journal that follows a stored state too, so the counter itself has to stay among the others; nothing else looks at it.
 */
export function upcastTaken(item: NonNullable<EventOf<"strand_opened">["item"]>, counters: RunState["counters"]): TakenItem {
  const { list, id, attempts = (counters[`attempts:${list}/${id}`] ?? 0) + 1 } = item;
  return { ...item, attempts };
}

/** A state that an earlier version stored, with fields instead of such counters. */
export function upcastState(state: RunState): RunState {
  const named = Object.entries(state.counters).flatMap(([key, count]) => {
    const strand = unshown.exec(key)?.[1];
    return strand === undefined ? [] : [{ key, strand, hidden: count > 0 }];
  });
  const uncounted = Object.values(state.strands).some(({ item }) => item !== undefined && !("attempts" in item));
  if (named.length === 0 && !uncounted) return state;
  const hidden = new Set(named.filter((each) => each.hidden).map(({ strand }) => strand));
  const strands: Record<string, Strand> = {};
  for (const [id, strand] of Object.entries(state.strands)) {
    const item = strand.item === undefined ? {} : { item: upcastTaken(strand.item, state.counters) };
    strands[id] = { ...strand, ...item, ...(hidden.has(id) ? { unshown: true as const } : {}) };
  }
  const keys = new Set(named.map(({ key }) => key));
  return { ...state, strands, counters: Object.fromEntries(Object.entries(state.counters).filter(([key]) => !keys.has(key))) };
}

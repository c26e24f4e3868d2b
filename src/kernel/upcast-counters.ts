import type { Event } from "./event.ts";
import type { RunState, Strand } from "./run-state.ts";

/** Earlier versions counted it under a name of this form. */
const unshown = /^unshown\/(.*)$/s;

/** The event that says today what a counter of an earlier version said; undefined for other counters. */
export function upcastCounted({
  key,
  by,
}: Extract<Event, { readonly type: "counted" }>): Extract<Event, { readonly type: "hidden" }> | undefined {
  const strand = unshown.exec(key)?.[1];
  return strand === undefined ? undefined : { type: "hidden", strand, unshown: by > 0 };
}

/** A state that an earlier version stored, with fields instead of such counters. */
export function upcastState(state: RunState): RunState {
  const named = Object.entries(state.counters).flatMap(([key, count]) => {
    const strand = unshown.exec(key)?.[1];
    return strand === undefined ? [] : [{ key, strand, hidden: count > 0 }];
  });
  if (named.length === 0) return state;
  const hidden = new Set(named.filter((each) => each.hidden).map(({ strand }) => strand));
  const strands: Record<string, Strand> = {};
  for (const [id, strand] of Object.entries(state.strands)) strands[id] = hidden.has(id) ? { ...strand, unshown: true } : strand;
  const keys = new Set(named.map(({ key }) => key));
  return { ...state, strands, counters: Object.fromEntries(Object.entries(state.counters).filter(([key]) => !keys.has(key))) };
}

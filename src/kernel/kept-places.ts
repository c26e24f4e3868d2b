import { own, type Json, type JsonObject } from "../base/index.ts";
import type { FramePut } from "./event.ts";
import type { KeptTask, WorkFrame } from "./run-state.ts";

/** Where tasks of a work stand that are taken up later: what changes in its frame when places are kept, and when one is taken up. */
type Change = { readonly put: FramePut } | Record<string, never>;

/** A null removes the place. */
export function keeping(places: Readonly<Record<string, KeptTask | null>>): Change {
  return Object.keys(places).length === 0 ? {} : { put: { kept: places as unknown as JsonObject } };
}

/** The place of the item's task, if it is kept, and what takes it out of the frame. */
export function takeKept({ kept = {} }: Pick<WorkFrame, "kept">, item: string): { readonly stood?: KeptTask; readonly taken: Change } {
  const stood = own(kept, item);
  return stood === undefined ? { taken: {} } : { stood, taken: { put: { kept: { [item]: null as Json } } } };
}

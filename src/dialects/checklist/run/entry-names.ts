import { type Json, fieldOf } from "../../../base/index.ts";
import { readHandOutId, type Action } from "../../../kernel/index.ts";
import type { Caller, EngineContext, RunHandle } from "../../../engine/index.ts";
import { openOf } from "./callers-action.ts";

/** What clients call an entry, topic or instance: by its file too (`a.js#analyze`), by the author's id, or by its topic. */
export function entryNames(item: Json | undefined): readonly string[] {
  const topic = fieldOf(item, "topic_id");
  return [fieldOf(item, "id"), fieldOf(item, "entry"), topic, `topic-${topic.split("/").at(-1) ?? ""}`];
}

export function isEntryCalled(action: Action, name: string): boolean {
  return action.what === "check" && name !== "" && entryNames(action.args["item"]).includes(name);
}

/**
 * The id of the hand-out that a name means: the id that is in it, else that of the entry in the caller's hands which is called so and was
 * shown to the caller. undefined when it means none.
 */
export function entryNamed({ handOuts }: EngineContext, caller: Caller, handle: RunHandle, name: string): string | undefined {
  const { action } = openOf(handle, caller);
  if (action !== undefined && isEntryCalled(action, name)) return handOuts.isShown(caller, handle.id, action.id) ? action.id : undefined;
  const { id = "", step = "" } = readHandOutId(name) ?? {};
  const held = handle.state.actions[id];
  return /^a\d+$/.test(id) && (held === undefined || held.step === step || isEntryCalled(held, step)) ? id : undefined;
}

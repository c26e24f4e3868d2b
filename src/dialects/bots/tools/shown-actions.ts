import type { JsonObject } from "../../../base/index.ts";
import type { Caller } from "../../../engine/index.ts";

interface Shown {
  readonly action: string;
  /** What its tool was called with. */
  readonly parameters: JsonObject;
  /** An independent action was shown since. */
  readonly beside?: true;
}

const most = 512;
const shown = new Map<string, Shown>();

function keyOf({ holder }: Caller, bot: string): string {
  return `${holder.session}\0${holder.name}\0${bot}`;
}

/**
 * Remembers which action a client was shown last, so that "the current action" means that one: a close that is repeated before its
 * reply was read does not close the next action.
 */
export function rememberShown(caller: Caller, bot: string, action: string, parameters: JsonObject): void {
  const key = keyOf(caller, bot);
  const before = shown.get(key);
  shown.delete(key);
  shown.set(key, { action, parameters: before?.action === action ? { ...before.parameters, ...parameters } : parameters });
  const [oldest] = shown.keys();
  if (shown.size > most && oldest !== undefined) shown.delete(oldest);
}

/** Remembers that a client was shown an independent action, which a close may be about as well. */
export function rememberBeside(caller: Caller, bot: string): void {
  const key = keyOf(caller, bot);
  const before = shown.get(key);
  if (before !== undefined) shown.set(key, { ...before, beside: true });
}

export function lastShown(caller: Caller, bot: string): Shown | undefined {
  return shown.get(keyOf(caller, bot));
}

import type { JsonObject } from "../../base/index.ts";
import type { Caller } from "../../engine/index.ts";

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

interface Said {
  readonly words: string;
  readonly about: string;
}

const said = new Map<string, Said>();

/** Remembers the last close or answer that did not name what it is about. */
export function rememberSaid(caller: Caller, bot: string, words: string, about: string): void {
  const key = keyOf(caller, bot);
  said.delete(key);
  said.set(key, { words, about });
  const [oldest] = said.keys();
  if (said.size > most && oldest !== undefined) said.delete(oldest);
}

/** The client asked where the bot is: what it says next is about that. */
export function forgetSaid(caller: Caller, bot: string): void {
  said.delete(keyOf(caller, bot));
}

/** What the same words were about a moment ago, when nothing was asked for since: then they are the same call again. */
export function saidBefore(caller: Caller, bot: string, words: string): string | undefined {
  const last = said.get(keyOf(caller, bot));
  return last?.words === words ? last.about : undefined;
}

export function lastShown(caller: Caller, bot: string): Shown | undefined {
  return shown.get(keyOf(caller, bot));
}

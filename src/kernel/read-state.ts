import { own } from "../base/index.ts";
import type { Budget } from "../program/index.ts";
import type { Frame } from "./frame.ts";
import type { Decision, Holder, RunState, Strand } from "./run-state.ts";

// What can be read from a state without a turn: ids of hand-outs and questions, and which strands can be walked.

/** What agents and people know an open step by: the author's name for it, and the id that no other hand-out of the run has. */
export function handOutId(step: string, id: string): string {
  return `${step}@${id}`;
}

/** The two parts of such an id; undefined when the text is not of that form. */
export function readHandOutId(text: string): { readonly step: string; readonly id: string } | undefined {
  const at = text.lastIndexOf("@");
  return at <= 0 || at === text.length - 1 ? undefined : { step: text.slice(0, at), id: text.slice(at + 1) };
}

/** Whether it has the form that the kernel gives to ids of steps and questions. An author may name a step like that too. */
export function isMinted(id: string): boolean {
  return /^[ad]\d+$/.test(id);
}

/** The key that a step is handed out with for the writes of its holder, as long as the state is at this version. */
export function writeKey(handOut: string, version: number): string {
  return `${handOut}@v${version}`;
}

/** The hand-out that such a key is for; undefined for a key that a client made up. */
export function handOutOfKey(key: string): string | undefined {
  return /^([ad]\d+)@v\d+$/.exec(key)?.[1];
}

/**
 * The id that a strand asks a well-known question under: its name, unless a strand that is still there asked under it. Otherwise the
 * strand's own id comes with it, so that every strand has a question and an answer of its own.
 */
export function questionId(state: RunState, strand: string, name: string): string {
  const mine = `${name}:${strand}`;
  if (own(state.decisions, mine) !== undefined) return mine;
  const held = own(state.decisions, name);
  if (held === undefined || held.strand === strand) return name;
  const asker = own(state.strands, held.strand);
  return held.status === "pending" || (asker !== undefined && isOpen(asker.status)) ? mine : name;
}

/** The question of that name which the strand asked last. */
export function questionNamed(state: RunState, strand: string, name: string): Decision | undefined {
  return own(state.decisions, `${name}:${strand}`) ?? own(state.decisions, name);
}

/** Instead of the id of an item, where any of the list may have settled or been reopened. */
export const wholeList = "";

/** Key of a held tree in `RunState.held`. */
export function treeKey(list: string, root: string): string {
  return `${list}/${root}`;
}

/** Whether something may still happen in a strand of this status. */
export function isOpen(status: Strand["status"]): boolean {
  return status === "ready" || status === "waiting" || status === "blocked";
}

/** Main and its tasks stop while an entry is open for which they wait. */
export function isPaused(state: RunState, strandId: string): boolean {
  let paused = false;
  for (const id in state.strands) {
    if (state.strands[id]?.pauses !== true) continue;
    if (id === strandId || isBelow(state, strandId, id)) return false;
    paused = true;
  }
  return paused;
}

export function isBelow(state: RunState, strandId: string, ancestor: string): boolean {
  for (let id = state.strands[strandId]?.parent; id !== undefined; id = state.strands[id]?.parent) if (id === ancestor) return true;
  return false;
}

/** Whether a report on the strand must say what it is about. */
export function isPositionStale(state: RunState, strand: string): boolean {
  return state.strands[strand]?.unshown === true;
}

export function sameHolder(a: Holder | undefined, b: Readonly<Record<"kind" | "name" | "session", string>>): boolean {
  return a !== undefined && a.kind === b.kind && a.name === b.name && a.session === b.session;
}

/** Ids of strands that can be walked now, oldest first. */
export function readyStrands(state: RunState): string[] {
  if (state.status !== "running") return [];
  return Object.values(state.strands)
    .filter((strand) => strand.status === "ready" && !isPaused(state, strand.id))
    .map((strand) => strand.id);
}

/** The id agents know a leaf by. */
export function stepName(frame: Frame): string {
  return frame.kind === "do" && frame.name !== undefined ? frame.name : frame.block;
}

/** What is used of a budget, at a moment. */
export function usedOf(
  { budget: { used, since }, startedAt }: Pick<RunState, "budget" | "startedAt">,
  what: keyof Budget,
  at: number,
): number {
  return what === "minutes" ? (at - (since ?? startedAt)) / 60_000 : used[what];
}

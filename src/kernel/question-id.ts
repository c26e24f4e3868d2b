import { own } from "../base/index.ts";
import { isOpen } from "./ending.ts";
import type { Decision, RunState } from "./run-state.ts";

/**
 * The id that a strand asks a well-known question under: its name, unless a strand that is still there asked under it. Otherwise the
 * strand's own id comes with it, so that every strand has a question and an answer of its own.
 */
export function questionId(state: RunState, strand: string, name: string): string {
  const held = own(state.decisions, name);
  const mine = ownId(strand, name);
  if (own(state.decisions, mine) !== undefined) return mine;
  return held === undefined || held.strand === strand || !isTaken(state, held) ? name : mine;
}

/** The question of that name which the strand asked last. */
export function questionNamed(state: RunState, strand: string, name: string): Decision | undefined {
  return own(state.decisions, ownId(strand, name)) ?? own(state.decisions, name);
}

function ownId(strand: string, name: string): string {
  return `${name}:${strand}`;
}

function isTaken({ strands }: RunState, { status, strand }: Decision): boolean {
  const asker = own(strands, strand);
  return status === "pending" || (asker !== undefined && isOpen(asker.status));
}

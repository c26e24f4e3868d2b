import { own, textOf } from "../base/index.ts";
import type { EventOf } from "../kernel/index.ts";
import type { JournalRecord } from "../ports/index.ts";
import { unsealedAnswer } from "./codes.ts";
import type { EngineContext } from "./context.ts";
import { recordsWith } from "./journal-records.ts";
import type { RunHandle } from "./run-cache.ts";

/** Takes the place of the answer in the seal of a question that a person declined. */
export const declinedMark = "\u0000declined";

/** What a person's answer is sealed over: a record that was put into the store by hand has no seal, or one of another answer. */
export function sealedText(run: string, decision: string, revision: number, answer: string): string {
  return ["waymark.answer", run, decision, String(revision), answer].join("\n");
}

/** Facts that no engine wrote may be anything. */
export function sealIn(facts: string): string | undefined {
  try {
    const { seal } = JSON.parse(facts) as { readonly seal?: unknown };
    return typeof seal === "string" ? seal : undefined;
  } catch {
    return undefined;
  }
}

/**
 * Throws when a record answers a person's question without the seal of that answer: it was put into the store by hand, or made with
 * another key. `state` is the one before the event.
 */
export async function checkSeal(
  { host, leaves }: Pick<EngineContext, "host" | "leaves">,
  { program, state }: Pick<RunHandle, "program" | "state">,
  { facts = "" }: Pick<JournalRecord, "facts">,
  event: EventOf<"decision_closed">,
): Promise<void> {
  if (event.status !== "answered") return;
  const held = own(state.decisions, event.decision);
  if (held?.sealed !== true || leaves.runtimeOf({ program, state }, state.strands[held.strand]?.scope)?.checksSeals === true) return;
  const text = sealedText(state.id, held.id, held.revision, textOf(event.answer ?? null).trim());
  const seal = sealIn(facts);
  if (seal === undefined || !(await host.isSealed(text, seal))) throw unsealedAnswer(state.id, held, host.sealKeys);
}

/**
 * Whether the very answer of this seal was refused before. A seal covers run, question, revision and words, so the same one again is
 * the same wrong answer to the same question, also from another person.
 */
export async function wasRefused(context: EngineContext, run: string, seal: string): Promise<boolean> {
  for await (const { facts = "" } of recordsWith(context, run, ['"answer_refused"'])) if (sealIn(facts) === seal) return true;
  return false;
}

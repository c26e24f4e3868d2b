import type { EngineContext } from "../context.ts";
import type { RunHandle } from "../run-cache.ts";

/** Stands for an answer in the seal of a question that a person declined. */
export const declinedMark = "\u0000declined";

/** What a person's answer is sealed over: a record that was put into the store by hand has no seal, or one of another answer. */
export function sealedText(run: string, decision: string, revision: number, answer: string): string {
  return ["waymark.answer", run, decision, String(revision), answer].join("\n");
}

interface GivenAnswer {
  readonly decision: string;
  readonly answer: string;
  /** Default the newest one. */
  readonly revision?: number;
}

/** Whether this answer to a question was given to Waymark by a person, and reads as it did then. */
export async function isSealed({ store, host }: EngineContext, handle: RunHandle, given: GivenAnswer): Promise<boolean> {
  const { decision, answer } = given;
  const revision = given.revision ?? handle.state.decisions[decision]?.revision ?? 1;
  const record = await store.findRecord(handle.id, `answer:${decision}:${revision}`);
  const seal = record?.facts === undefined ? undefined : sealIn(record.facts);
  return seal !== undefined && seal === (await host.seal(sealedText(handle.id, decision, revision, answer)));
}

/** Facts that no engine wrote may be anything. */
function sealIn(facts: string): string | undefined {
  try {
    const { seal } = JSON.parse(facts) as { readonly seal?: unknown };
    return typeof seal === "string" ? seal : undefined;
  } catch {
    return undefined;
  }
}

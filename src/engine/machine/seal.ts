import { questionNamed } from "../../kernel/index.ts";
import type { EngineContext } from "../context.ts";
import type { RunHandle } from "../run-cache.ts";
import type { MachineJob } from "./machine-job.ts";
import type { PassedGate } from "./machine-memory.ts";

/** Stands for an answer in the seal of a question that a person declined. */
export const declinedMark = "\u0000declined";

/** What a person's answer is sealed over: a record that was put into the store by hand has no seal, or one of another answer. */
export function sealedText(run: string, decision: string, revision: number, answer: string): string {
  return ["waymark.answer", run, decision, String(revision), answer].join("\n");
}

/** The revision that was asked last in this strand, and its id where that is not the gate's own. */
export function askedAs(
  { handle, effect }: Pick<MachineJob, "handle" | "effect">,
  gate: string,
): Pick<PassedGate, "decision" | "revision"> {
  const { id = gate, revision = 1 } = questionNamed(handle.state, effect.strand, gate) ?? {};
  return id === gate ? { revision } : { decision: id, revision };
}

interface GivenAnswer {
  readonly decision: string;
  readonly answer: string;
  readonly revision: number;
}

/** Whether this answer to a question was given to Waymark by a person, and reads as it did then. */
export async function isSealed({ store, host }: EngineContext, handle: RunHandle, given: GivenAnswer): Promise<boolean> {
  const { decision, answer, revision } = given;
  const record = await store.findRecord(handle.id, `answer:${decision}:${revision}`);
  const seal = record?.facts === undefined ? undefined : sealIn(record.facts);
  return seal !== undefined && seal === (await host.seal(sealedText(handle.id, decision, revision, answer)));
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

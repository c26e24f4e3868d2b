import { questionNamed } from "../../../kernel/index.ts";
import { type EngineContext, type RunHandle, sealedText, sealIn } from "../../../engine/index.ts";
import type { MachineJob } from "./machine-job.ts";
import type { PassedGate } from "./machine-memory.ts";

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

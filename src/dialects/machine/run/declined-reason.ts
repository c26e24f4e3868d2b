import { questionNamed, type Event } from "../../../kernel/index.ts";
import { decodeJournal } from "../../../engine/index.ts";
import type { MachineJob } from "./machine-job.ts";

/** Why a question has no answer: in the person's words when there are any. */
export async function declinedReason(
  { context, handle, effect }: Pick<MachineJob, "context" | "handle" | "effect">,
  gate: string,
): Promise<string> {
  const held = questionNamed(handle.state, effect.strand, gate);
  const decision = held?.id ?? gate;
  if (held?.attempts !== undefined && (held.attemptsLeft ?? 0) <= 0) return "no valid answer was given";
  const record = await context.store.findRecord(handle.id, `answer:${decision}:${held?.revision ?? 1}`);
  const events = record === undefined ? [] : await decodeJournal<readonly Event[]>(context.store, record.events);
  const closed = events.find((event) => event.type === "decision_closed" && event.decision === decision);
  const said = closed?.type === "decision_closed" ? (closed.reason ?? "").trim() : "";
  return said === "" ? "no response provided" : said;
}

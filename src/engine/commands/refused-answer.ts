import { asSentence, type JsonObject } from "../../base/index.ts";
import type { Decision as Question, Event } from "../../kernel/index.ts";
import { standingOf } from "../../views/index.ts";
import { refused } from "../codes.ts";
import type { EngineContext } from "../context.ts";
import { decodeJournal } from "../journal-codec.ts";
import type { RunHandle } from "../run-cache.ts";

type Asked = Pick<Question, "id" | "step" | "strand">;

/** Kept with an answer that may be the last one allowed, for the reply when it is sent again. */
export function lastTryFacts({ step, strand, attempts, attemptsLeft }: Question): JsonObject {
  return attempts !== undefined && (attemptsLeft ?? attempts) <= 1 ? { step, strand } : {};
}

/** The key of a refusal that closed its question; others can be told apart by the question, which is still open. */
export function refusalKey({ id, revision }: Pick<Question, "id" | "revision">, events: readonly Event[]): string | undefined {
  return events.some((event) => event.type === "decision_closed" && event.decision === id) ? `refused:${id}:${revision}` : undefined;
}

/** The refusal that closed a question, for everybody who answers it again. */
export async function refusedAnswerBefore(
  { store }: EngineContext,
  handle: RunHandle,
  { id, revision = 1 }: { readonly id: string; readonly revision?: number },
): Promise<Error | undefined> {
  const record = await store.findRecord(handle.id, `refused:${id}:${revision}`);
  if (record === undefined) return undefined;
  const { step = id, strand = "" } = JSON.parse(record.facts ?? "{}") as Partial<Asked>;
  const events = await decodeJournal<readonly Event[]>(store, record.events);
  const why = events.find((event) => event.type === "answer_refused");
  return lastRefused(handle, { id, step, strand }, why?.type === "answer_refused" ? why.reason : "");
}

export function throwIfRefused(handle: RunHandle, held: Question, events: readonly Event[]): void {
  const refusedBy = events.find((event) => event.type === "answer_refused");
  if (refusedBy?.type !== "answer_refused") return;
  if (events.some((event) => event.type === "decision_closed" && event.decision === held.id))
    throw lastRefused(handle, held, refusedBy.reason);
  throw refusedOnce(handle, held, refusedBy.reason);
}

/** A wrong answer to a question that stays open. */
export function refusedOnce(handle: RunHandle, held: Question, reason: string): Error {
  const { attempts, attemptsLeft: left } = handle.state.decisions[held.id] ?? {};
  const tries = attempts === undefined || left === undefined ? "" : ` ${left} ${left === 1 ? "try is" : "tries are"} left.`;
  return refused("ANSWER_REFUSED", `${asSentence(reason)}${tries}`, `Ask again: ${held.question}`, { decision: held.id });
}

/** The last try: there is nothing to ask again, and the one who answered must not take what is open now for this question. */
function lastRefused({ id: run, state }: RunHandle, { id, step, strand }: Asked, reason: string): Error {
  const open = standingOf(state, strand);
  const now =
    open.kind === "question"
      ? { step: open.decision.step, id: open.decision.id }
      : open.kind === "action"
        ? { step: open.action.step, id: open.action.id }
        : undefined;
  const failed = state.status === "failed";
  const went = failed
    ? "the run has failed"
    : now === undefined
      ? "the run went on without an answer"
      : `the run went on to \`${now.step}\``;
  return refused(
    "ANSWER_REFUSED",
    `${asSentence(reason)} That was the last try: the question of \`${step}\` is closed, and ${went}.`,
    failed
      ? `To be asked again, retry the run: workflow_resume, or \`waymark retry ${run}\`.`
      : `Do not answer it again. Ask for the next step: workflow_next, or \`waymark next ${run}\`.`,
    { decision: id, closed: true, run_status: state.status, ...(now === undefined ? {} : { open_step: now.step, action_id: now.id }) },
  );
}

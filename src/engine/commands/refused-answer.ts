import { asSentence, isWaymarkError, type Json, type JsonObject } from "../../base/index.ts";
import type { Decision as Question, Event } from "../../kernel/index.ts";
import { readEvents } from "../../state/index.ts";
import { standingOf } from "../../views/index.ts";
import type { Caller } from "../caller.ts";
import { refused } from "../codes.ts";
import type { EngineContext } from "../context.ts";
import { recordsWith } from "../journal-records.ts";
import type { RunHandle } from "../run-cache.ts";

type Asked = Pick<Question, "id" | "step" | "strand">;

/** Kept with an answer that may be the last one allowed, for the reply when it is sent again. */
export function lastTryFacts({ step, strand, attempts, attemptsLeft, answerBy }: Question): JsonObject {
  return answerBy !== "person" && attempts !== undefined && (attemptsLeft ?? attempts) <= 1 ? { step, strand } : {};
}

/** Kept with an answer that is refused, to know it when it is sent again: a hash of it and its question. */
export interface RefusedWords {
  readonly words?: string;
}

export function refusedWords({ host }: EngineContext, { id, revision }: Question, answer: Json): RefusedWords {
  return { words: host.sha256(JSON.stringify([id, revision, answer])) };
}

/** Throws the stored refusal when these words were the last ones to the open question that were refused. */
export async function refuseRepeated(context: EngineContext, handle: RunHandle, held: Question, { words }: RefusedWords): Promise<void> {
  if (words === undefined) return;
  let last: { readonly reason: string; readonly facts: string } | undefined;
  for await (const { decoded, facts = "{}" } of recordsWith(context, handle.id, ['"answer_refused"']))
    for (const event of decoded) if (event.type === "answer_refused" && event.decision === held.id) last = { reason: event.reason, facts };
  const before = JSON.parse(last?.facts ?? "{}") as RefusedWords;
  if (last !== undefined && before.words === words) throw refusedOnce(handle, held, last.reason);
}

/** Sends an answer. The same words again with nothing asked for since are the same call, unless it `isNew`: its refusal is thrown again. */
export async function refusingOnce<T>(
  { handOuts }: EngineContext,
  caller: Caller,
  { run, id, said, isNew }: { readonly run: string; readonly id: string; readonly said: string; readonly isNew: boolean },
  send: () => Promise<T>,
): Promise<T> {
  const before = isNew ? undefined : handOuts.refusedBefore(caller, run, said);
  if (before?.id === id) throw before.error;
  return send().catch((error: unknown) => {
    if (isWaymarkError(error) && error.code === "ANSWER_REFUSED") handOuts.refused(caller, run, said, { id, error });
    throw error;
  });
}

/** The key of a refusal that closed its question; others are known by the question, which is still open. */
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
  const why = (await readEvents(store, record)).find((event) => event.type === "answer_refused");
  return lastRefused(handle, { id, step, strand }, why?.reason ?? "");
}

export function throwIfRefused(handle: RunHandle, held: Question, events: readonly Event[]): void {
  const refusedBy = events.find((event) => event.type === "answer_refused");
  if (refusedBy === undefined) return;
  if (events.some((event) => event.type === "decision_closed" && event.decision === held.id))
    throw lastRefused(handle, held, refusedBy.reason);
  throw refusedOnce(handle, held, refusedBy.reason);
}

/** A wrong answer to a question that stays open. */
export function refusedOnce(handle: RunHandle, held: Question, reason: string): Error {
  const { attempts, attemptsLeft: left } = handle.state.decisions[held.id] ?? {};
  const tries =
    held.answerBy === "person" || attempts === undefined || left === undefined
      ? ""
      : ` ${left} ${left === 1 ? "try is" : "tries are"} left.`;
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
      ? "the run continued without an answer"
      : `the run continued with \`${now.step}\``;
  return refused(
    "ANSWER_REFUSED",
    `${asSentence(reason)} That was the last try: the question of \`${step}\` is closed, and ${went}.`,
    failed
      ? `To be asked again, retry the run: workflow_resume, or \`waymark retry ${run}\`.`
      : `Do not answer it again. Ask for the next step: workflow_next, or \`waymark next ${run}\`.`,
    { decision: id, closed: true, run_status: state.status, ...(now === undefined ? {} : { open_step: now.step, action_id: now.id }) },
  );
}

import { defined, isObject, own, textOf, type Json, type JsonObject, cutText } from "../../base/index.ts";
import { mainScope, wrongOption, type Decision as Question } from "../../kernel/index.ts";
import { readEvents, testPattern } from "../../state/index.ts";
import { stampOf, type Caller } from "../caller.ts";
import { fromRejected, refused } from "../codes.ts";
import type { EngineContext } from "../context.ts";
import { commitInputs, wakeDue } from "../commit-inputs.ts";
import { readLife } from "../holding.ts";
import { keepRefusal } from "../keep-refusal.ts";
import { taskFacts } from "../resolve-strand.ts";
import type { RunHandle } from "../run-cache.ts";
import { declinedMark, sealedText, wasRefused } from "../seal.ts";
import {
  lastTryFacts,
  refusalKey,
  refusedAnswerBefore,
  refusedOnce,
  refusedWords,
  refuseRepeated,
  throwIfRefused,
  type RefusedWords,
} from "./refused-answer.ts";

export interface AnswerRequest {
  readonly run: string;
  readonly decision: string;
  readonly answer: Json;
  /** Revision the person saw; default the current one. */
  readonly revision?: number;
  /** An agent carries a person's answer. */
  readonly relayed: boolean;
  /** The answer is what the caller wrote to the paths of the question, and is not written again. */
  readonly stored?: true;
  /** It may be a call of before this process: the last refused answer again gets its refusal again, and costs no try. */
  readonly unknown?: boolean;
  /** Why there will be no answer; then `answer` does not count. */
  readonly declined?: string;
  /** Why the answer is what it is, where the question takes a reason. */
  readonly reason?: string;
}

export interface Answered {
  readonly recorded: "now" | "before";
  readonly decision: string;
  /** The one that counts. */
  readonly answer: Json;
  /** It is another one than was given now. */
  readonly differs?: true;
}

/** Answers an open question. Wrong answers are recorded and refused with the question's own message. */
export async function answer(context: EngineContext, caller: Caller, given: AnswerRequest): Promise<Answered> {
  const handle = await context.runs.open(given.run);
  await wakeDue(context, handle);
  const held = own(handle.state.decisions, given.decision);
  const request = held === undefined ? given : await asAnswered(context, handle, held, given);
  if (held?.status !== "pending") return notOpen(context, caller, handle, request);
  const repeated = await repeatedRound(context, handle, held, request);
  if (repeated !== undefined) return repeated;
  const { valid, ...wrong } = await judge(context, held, request);
  refuseNothing(handle, held, request, valid && wrongOption(held, request.answer) === undefined);
  refuseReason(held, request);
  const seal = await sealOf(context, handle, held, request);
  // A caller without a terminal may be anybody who can start a process: at best they carry what a person said.
  const relayed = request.relayed || caller.surface === "cli";
  // The same wrong answer again costs no further try.
  if (!valid && !relayed && seal !== undefined && (await wasRefused(context, handle.id, seal)))
    throw refusedOnce(handle, held, held.patternMessage ?? "This answer was refused before.");
  if (request.unknown === true) await refuseRepeated(context, handle, held, wrong);
  const decision = await commitInputs(context, handle, [
    {
      input: {
        type: "answer",
        decision: held.id,
        revision: request.revision ?? held.revision,
        answer: request.answer,
        valid,
        relayed,
        ...(await stampOf(context, caller)),
        ...defined({
          stored: request.stored,
          declined: request.declined,
          reason: request.reason,
          left: await leftHolder(context, handle, held),
        }),
      },
      ...factsOf(handle, held, { seal, wrong, ...(request === given ? {} : { said: given.answer }) }),
      keyAfter: (events) =>
        events.some((event) => event.type === "answer_refused") ? refusalKey(held, events) : `answer:${held.id}:${held.revision}`,
    },
  ]);
  if (decision.kind === "rejected") {
    const known =
      decision.rejected.code === "DECISION_CLOSED" ? await answeredBefore(context, handle.id, held.id, held.revision) : undefined;
    if (known !== undefined) return tooLate(context, caller, handle, { known, request });
    if (held.answerBy === "person") await keepRefusal(context, caller, handle, { what: `answer ${held.id}`, ...decision.rejected });
    throw fromRejected(decision.rejected);
  }
  if (decision.kind === "accepted") throwIfRefused(handle, held, decision.events);
  return { recorded: "now", decision: held.id, answer: request.answer };
}

/** The number of the holder of the question's strand, when it is gone: what the answer leads to is handed out to the next one as not begun. */
async function leftHolder(context: EngineContext, { id, state }: RunHandle, { strand }: Question): Promise<number | undefined> {
  const held = state.strands[strand];
  if (held?.holder === undefined) return undefined;
  return (await readLife(context, id, held)).alive === undefined ? held.fence : undefined;
}

/** Nothing is not an answer to a step's question and costs no try, unless the question has a rule that it keeps. An empty list may be one. */
function refuseNothing(
  { program }: RunHandle,
  { block, id, step, question, pattern, options }: Question,
  { answer: given, declined }: AnswerRequest,
  isValid: boolean,
) {
  const asking = program.blocks[block ?? ""];
  if (declined !== undefined || asking?.kind !== "do" || asking.what !== "user_input") return;
  const isEmpty = typeof given === "string" ? given.trim() === "" : isObject(given) && Object.keys(given).length === 0;
  const keepsRule = isValid && (pattern ?? options) !== undefined;
  if (given !== null && (!isEmpty || keepsRule)) return;
  throw refused(
    "ENGINE_BAD_VALUE",
    `\`${step}\` asks a person: ${question} The answer is empty, so it was not recorded.`,
    "Ask the person, then report their answer as the result.",
    { action_id: id, fill_in: { result: "the user's answer, exactly as given" } },
  );
}

/** A reason that nothing reads would be lost. */
function refuseReason({ id, reasons }: Question, { reason }: AnswerRequest): void {
  if (reason === undefined || reasons === true) return;
  throw refused("ENGINE_BAD_VALUE", `The question \`${id}\` takes no reason. Nothing was recorded.`, "Give the answer without a reason.");
}

/** The request with the answer that the dialect of the question takes it for. */
async function asAnswered(context: EngineContext, handle: RunHandle, question: Question, request: AnswerRequest): Promise<AnswerRequest> {
  const scope = scopeOf(handle, question);
  const runtime = context.leaves.runtimeOf(handle, scope);
  // What an agent asks is not a question of the workflow.
  if (runtime?.answer === undefined || request.declined !== undefined || question.kind === "asked") return request;
  const taken = await runtime.answer(context.leaves.at(context, handle, scope), question, request.answer);
  return taken === request.answer ? request : { ...request, answer: taken };
}

/**
 * Whether a text is one of the words that the question lists, as it has them or as its dialect takes them. What only keeps a rule is not: it
 * may be meant as something else.
 */
export async function isListedAnswer(context: EngineContext, handle: RunHandle, question: Question, text: string): Promise<boolean> {
  const words = listedWords(question.pattern ?? "");
  if (words.length === 0) return false;
  const request = { run: handle.id, decision: question.id, answer: text, relayed: true };
  const { answer: taken } = await asAnswered(context, handle, question, request);
  return words.includes(textOf(taken)) && (await judge(context, question, { ...request, answer: taken })).valid;
}

/** What can be chosen as an answer: options, or the words that the rule of the question lists. Parts of a rule that take a text are none. */
export function listedChoices({ kind, options, pattern = "" }: Pick<Question, "kind" | "options" | "pattern">): readonly string[] {
  if (kind === "budget") return [];
  return options?.map(({ value }) => value) ?? listedWords(pattern).filter((word) => /^[\p{L}\p{N} _-]+$/u.test(word));
}

/** `retry` and `stop` of `^(?:retry|stop|guidance:.+)$`, beside parts that are not words and match no text of their own spelling. */
function listedWords(pattern: string): readonly string[] {
  const [, listed] = /^\^\((?:\?:)?([^]+)\)\$$/.exec(pattern) ?? [];
  return listed?.split("|").map((word) => word.replaceAll(/\\(\W)/g, "$1")) ?? [];
}

function scopeOf({ state }: RunHandle, { strand }: Question): string {
  return state.strands[strand]?.scope ?? mainScope;
}

/** What no event tells: the task, that a person gave the answer, which step a last try was about, and a wrong answer's words. */
function factsOf(
  handle: RunHandle,
  held: Question,
  { seal, wrong, ...said }: { readonly seal: string | undefined; readonly wrong: RefusedWords; readonly said?: Json },
): { readonly facts?: JsonObject } {
  const sealed = seal === undefined ? {} : { seal, ...said };
  const facts = { ...taskFacts(handle, handle.state.strands[held.strand]).facts, ...sealed, ...wrong, ...lastTryFacts(held) };
  return Object.keys(facts).length === 0 ? {} : { facts };
}

/** Binds a person's answer to this run and question: the store alone cannot make one up. undefined where an agent may give it. */
async function sealOf(
  { host }: EngineContext,
  handle: RunHandle,
  { id, revision, answerBy }: Question,
  { answer: given, declined }: AnswerRequest,
): Promise<string | undefined> {
  if (answerBy !== "person") return undefined;
  return host.seal(sealedText(handle.id, id, revision, declined === undefined ? textOf(given).trim() : declinedMark));
}

/** Whether the answer keeps the question's rule, and the words of one that will be refused. */
async function judge(
  context: EngineContext,
  held: Question,
  { answer: given, declined }: AnswerRequest,
): Promise<RefusedWords & { readonly valid: boolean }> {
  if (declined !== undefined) return { valid: true };
  const checked = held.pattern === undefined ? undefined : await testPattern(context.sandbox, held.pattern, textOf(given));
  const valid = checked === undefined || (checked.ok && checked.matches);
  return valid && wrongOption(held, given) === undefined ? { valid } : { valid, ...refusedWords(context, held, given) };
}

/** Another answer was first: this one changes nothing. That a person's question got a different one is kept. */
async function tooLate(
  context: EngineContext,
  caller: Caller,
  handle: RunHandle,
  { known, request }: { readonly known: Answered; readonly request: AnswerRequest },
): Promise<Answered> {
  const differs = request.declined !== undefined || textOf(known.answer).trim() !== textOf(request.answer).trim();
  if (differs && own(handle.state.decisions, known.decision)?.answerBy === "person") {
    const message = `\`${known.decision}\` was answered before, and otherwise: ${cutText(textOf(request.answer), 200, " ...")}`;
    await keepRefusal(context, caller, handle, { what: `answer ${known.decision}`, code: "DECISION_CLOSED", message });
  }
  return differs ? { ...known, differs } : known;
}

async function notOpen(context: EngineContext, caller: Caller, handle: RunHandle, request: AnswerRequest): Promise<Answered> {
  const revision = request.revision ?? own(handle.state.decisions, request.decision)?.revision ?? 1;
  const known = await answeredBefore(context, handle.id, request.decision, revision);
  if (known !== undefined) return tooLate(context, caller, handle, { known, request });
  const before = await refusedAnswerBefore(context, handle, { id: request.decision, revision });
  if (before !== undefined) throw before;
  const why = await context.leaves.runtimeOf(handle)?.whyClosed?.(context.leaves.at(context, handle, mainScope), request.decision);
  const open = Object.values(handle.state.decisions)
    .filter((decision) => decision.status === "pending")
    .map((decision) => decision.id);
  const list = open.length === 0 ? "It has no open questions." : `Open: ${open.join(", ")}.`;
  throw refused(
    "ENGINE_NO_DECISION",
    why === undefined
      ? `Run \`${handle.id}\` has no question \`${request.decision}\`. ${list}`
      : `The question \`${request.decision}\` was closed: ${why} Nothing was changed. ${list}`,
    `Ask for the next step: workflow_next, or \`waymark next ${handle.id}\`. It shows what is open now.`,
    { open_decisions: open },
  );
}

/** The same answer to an earlier asking of this question is the same call again; it says nothing about what is asked now. */
async function repeatedRound(
  context: EngineContext,
  handle: RunHandle,
  held: Question,
  { revision = held.revision, answer: given, declined }: AnswerRequest,
): Promise<Answered | undefined> {
  const known =
    revision === held.revision || declined !== undefined ? undefined : await answeredBefore(context, handle.id, held.id, revision);
  return known !== undefined && textOf(known.answer).trim() === textOf(given).trim() ? known : undefined;
}

/** The answer that is in the journal, by whichever caller. */
async function answeredBefore(context: EngineContext, run: string, decision: string, revision: number): Promise<Answered | undefined> {
  const record = await context.store.findRecord(run, `answer:${decision}:${revision}`);
  if (record === undefined) return undefined;
  const closings = (await readEvents(context.store, record)).filter((event) => event.type === "decision_closed");
  return { recorded: "before", decision, answer: closings.find((event) => event.decision === decision)?.answer ?? null };
}

import { isWaymarkError, type Json } from "../base/index.ts";
import { answer, isUnshown, status, type Answered, type EngineContext, type RunHandle } from "../engine/index.ts";
import { cliCaller } from "./cli-caller.ts";
import { failure } from "./codes.ts";
import type { Session } from "./session.ts";

export type Question = RunHandle["state"]["decisions"][string];

/** The question a report is about, when it is about one: named by its id or step, or the one its strand waits for. */
export async function openQuestion(
  context: EngineContext,
  request: { readonly run: string; readonly action?: string; readonly step?: string; readonly task?: string },
): Promise<Question | undefined> {
  const { handle, strands } = await status(context, request.run);
  const open = Object.values(handle.state.decisions).filter((decision) => decision.status === "pending");
  if (request.action !== undefined) return open.find((decision) => decision.id === request.action);
  const strand = strands.find((entry) =>
    request.task === undefined ? entry.strand === "main" : entry.task === request.task || entry.strand === request.task,
  );
  // A question that nobody was shown yet is not what an answer without a name is about; the report refuses it.
  if (strand !== undefined && request.step === undefined && isUnshown(handle.state, strand.strand)) return undefined;
  const asked = strand?.standing.kind === "question" ? strand.standing.decision : undefined;
  return asked === undefined || (request.step !== undefined && request.step !== asked.step) ? undefined : asked;
}

/**
 * Records an answer. Only stdin and stdout on a terminal make it a person's own; without one a question that may be relayed is
 * recorded as relayed, and an answer to a question for a person is refused; the journal keeps the attempt.
 */
export async function answerQuestion(
  { world }: Session,
  context: EngineContext,
  request: { readonly run: string; readonly question: Question; readonly answer: Json; readonly declined?: string },
): Promise<Answered> {
  const { run, question } = request;
  if (!world.isTerminal && question.answerBy === "person") {
    // The engine refuses it as well, and keeps that somebody tried.
    await answer(context, cliCaller(world, context), { run, decision: question.id, answer: request.answer, relayed: true }).catch(
      (error: unknown) => {
        if (!isWaymarkError(error)) throw error;
      },
    );
    throw failure(
      "CLI_PERSON_ONLY",
      `Only a person at a terminal can answer \`${question.id}\`: ${question.question} Here stdin or stdout is not a terminal. No answer was counted.`,
      `A person runs this in a terminal: waymark decide ${run} ${question.id}`,
    );
  }
  return answer(context, cliCaller(world, context), {
    run,
    decision: question.id,
    revision: question.revision,
    answer: request.answer,
    relayed: !world.isTerminal,
    ...(request.declined === undefined ? {} : { declined: request.declined }),
  });
}

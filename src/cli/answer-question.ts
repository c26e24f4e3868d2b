import { defined, isWaymarkError, type Json } from "../base/index.ts";
import { answer, type Answered, type RunHandle } from "../engine/index.ts";
import { decideCommand } from "../views/index.ts";
import { failure } from "./codes.ts";
import type { Desk } from "./command-share.ts";

export type Question = RunHandle["state"]["decisions"][string];

interface GivenAnswer {
  readonly run: string;
  readonly question: Question;
  readonly answer: Json;
}

/** Without a terminal an answer to a question for a person is refused; the journal keeps the attempt. */
export async function refusePersonOnly({ session, context, caller }: Desk, { run, question, answer: given }: GivenAnswer): Promise<void> {
  if (session.world.isTerminal || question.answerBy !== "person") return;
  // The engine refuses it as well, and keeps the attempt.
  await answer(context, caller, { run, decision: question.id, answer: given, relayed: true }).catch((error: unknown) => {
    if (!isWaymarkError(error)) throw error;
  });
  throw failure(
    "CLI_PERSON_ONLY",
    `Only a person at a terminal can answer \`${question.id}\`: ${question.question} Here stdin or stdout is not a terminal. No answer was counted.`,
    `A person runs this in a terminal: ${decideCommand(run, question)}`,
  );
}

/** Records an answer. Only stdin and stdout on a terminal make it a person's own; without one it is recorded as relayed, or refused. */
export async function answerQuestion(
  desk: Desk,
  request: GivenAnswer & { readonly declined?: string; readonly revision?: number },
): Promise<Answered> {
  const { run, question, answer: given, declined, revision = question.revision } = request;
  await refusePersonOnly(desk, request);
  const relayed = !desk.session.world.isTerminal;
  return answer(desk.context, desk.caller, { run, decision: question.id, revision, answer: given, relayed, ...defined({ declined }) });
}

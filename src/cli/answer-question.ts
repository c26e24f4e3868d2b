import { decideCommand } from "../views/index.ts";
import { isWaymarkError, type Json } from "../base/index.ts";
import { answer, type Answered, type EngineContext, type RunHandle } from "../engine/index.ts";
import { cliCaller } from "./cli-caller.ts";
import { failure } from "./codes.ts";
import type { Session } from "./session.ts";

export type Question = RunHandle["state"]["decisions"][string];

interface Given {
  readonly run: string;
  readonly question: Question;
  readonly answer: Json;
}

/** Without a terminal an answer to a question for a person is refused; the journal keeps the attempt. */
export async function refusePersonOnly({ world }: Session, context: EngineContext, { run, question, answer: given }: Given): Promise<void> {
  if (world.isTerminal || question.answerBy !== "person") return;
  // The engine refuses it as well, and keeps that somebody tried.
  await answer(context, cliCaller(world, context), { run, decision: question.id, answer: given, relayed: true }).catch((error: unknown) => {
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
  session: Session,
  context: EngineContext,
  request: Given & { readonly declined?: string; readonly revision?: number },
): Promise<Answered> {
  const { run, question, answer: given, declined, revision = question.revision } = request;
  const { world } = session;
  await refusePersonOnly(session, context, request);
  return answer(context, cliCaller(world, context), {
    run,
    decision: question.id,
    revision,
    answer: given,
    relayed: !world.isTerminal,
    ...(declined === undefined ? {} : { declined }),
  });
}

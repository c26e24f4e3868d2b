import type { InputRequiredResult } from "@modelcontextprotocol/server";
import { isWaymarkError, type Json, type JsonObject, type WaymarkError } from "../../base/index.ts";
import { answerBot, callBot, closeAction, tellsWork } from "../../dialects/bots/run/index.ts";
import { refused, type Caller } from "../../engine/index.ts";
import { closeView } from "../../dialects/bots/views/index.ts";
import { noAnswer } from "../codes.ts";
import type { Reply, ToolCall } from "../tool.ts";
import { refuseStrange, resultOf, textIn } from "./bot-arguments.ts";
import type { BotNames } from "./bot-names.ts";
import { botReply } from "./bot-reply.ts";
import { calledRefusal } from "./called-refusal.ts";
import { answerShown } from "./answer-shown.ts";
import { lastShown, rememberSaid, saidBefore } from "./shown-actions.ts";

/**
 * The person's "done". An agent passes it on where the bot allows that; else the client asks its user, and where it cannot, the
 * command for the person is told. The work itself is reported either way, so nothing is lost.
 */
export async function closeCurrent(call: ToolCall, names: BotNames, parameters: JsonObject): Promise<Reply | InputRequiredResult> {
  const { desk } = call;
  const reply = desk.reply;
  if (reply !== undefined && reply.action !== "accept")
    throw noAnswer(
      `The user ${reply.action === "decline" ? "declined to answer" : "closed"} the question \`${reply.decision}\`. It stays open.`,
      `Let the person run: waymark bot close ${names.bot} ${reply.decision}`,
      { decision: reply.decision, action: reply.action },
    );
  const said = reply?.answer ?? parameters["answer"] ?? "done";
  const person = reply === undefined ? undefined : call.person;
  // A person's word counts for the very question that they were shown.
  const asked = reply?.decision;
  if (said !== "done" && said !== true) return answered(call, names, { answer: said === false ? "redo" : said, person, asked });
  return closed(call, names, { parameters, person, asked });
}

interface Closing {
  readonly parameters: JsonObject;
  readonly person: Caller | undefined;
  readonly asked: string | undefined;
}

interface Said {
  readonly answer: Json;
  readonly person: Caller | undefined;
  readonly asked: string | undefined;
}

async function answered(call: ToolCall, names: BotNames, { answer, person, asked }: Said): Promise<Reply> {
  if (asked === undefined) return botReply(call, names, await answerShown(call, names.bot, answer));
  const request = {
    ...call.waiting,
    bot: names.bot,
    answer,
    decision: asked,
    ...(person === undefined ? {} : { person }),
  };
  return botReply(call, names, await answerBot(call.engine, call.caller, request));
}

/** Who does not say which action is done means the one that was shown last; the same words again mean the same one. */
async function closed(call: ToolCall, names: BotNames, { parameters, person, asked }: Closing): Promise<Reply | InputRequiredResult> {
  const shown = lastShown(call.caller, names.bot);
  const words = JSON.stringify(parameters);
  const named = textIn(parameters, "action", "action_id");
  const result = resultOf(parameters, shown?.parameters ?? {});
  const saysNothing = !tellsWork(resultOf(parameters, {}));
  if (saysNothing) refuseStrange(names.closeTool, parameters);
  const known = asked ?? named ?? saidBefore(call.caller, names.bot, words);
  const action = known ?? shown?.action;
  try {
    const done = await closeAction(call.engine, call.caller, {
      ...call.waiting,
      bot: names.bot,
      combined: true,
      result,
      saysNothing,
      unclear: known === undefined && shown?.beside === true,
      ...(action === undefined ? {} : { action }),
      ...(person === undefined ? {} : { person }),
    });
    if (named === undefined) rememberSaid(call.caller, names.bot, words, action ?? `${done.completed.behaviour}.${done.completed.action}`);
    return await botReply(call, names, done.position, { before: closeView(done) });
  } catch (error) {
    if (!isWaymarkError(error)) throw error;
    if (error.details["open_step"] !== undefined && named === undefined)
      rememberSaid(call.caller, names.bot, words, String(error.details["place"]));
    return notClosed(call, names, error, person);
  }
}

/** A close that came to nothing: the question that it left open, or the refusal with what is open instead. */
async function notClosed(
  call: ToolCall,
  names: BotNames,
  error: WaymarkError,
  person: Caller | undefined,
): Promise<Reply | InputRequiredResult> {
  // Recorded, and not all of it could be done: the question says so, and stays open.
  if (error.details["not_done"] !== undefined)
    return botReply(call, names, await callBot(call.engine, call.caller, { bot: names.bot }, call.waiting));
  if (error.details["open_step"] !== undefined) throw await calledRefusal(call, names, error);
  if (error.code !== "DECISION_FOR_PERSON" || person !== undefined) throw error;
  return askPerson(call, names);
}

/** The results are recorded and the question is open: whoever may answer it is asked. */
async function askPerson(call: ToolCall, names: BotNames): Promise<InputRequiredResult> {
  const { standing, run } = await callBot(call.engine, call.caller, { bot: names.bot }, call.waiting);
  if (standing.kind !== "question") throw new Error("The question that was open a moment ago is gone.");
  const { id: decision, revision, question: text, options = [] } = standing.decision;
  if (call.desk.canAsk) return call.desk.ask({ run, decision, revision, text, options });
  throw refused(
    "DECISION_FOR_PERSON",
    `The work is recorded; only a person can say that it is done: ${text}`,
    `Ask the person to run: waymark bot close ${names.bot} ${decision}. Then call ${names.botTool}.`,
    {
      decision,
      question: text,
      command_for_person: `waymark bot close ${names.bot} ${decision}`,
      options: options.map((option) => option.value),
    },
  );
}

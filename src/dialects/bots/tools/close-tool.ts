import { defined, isWaymarkError, WaymarkError, type Json, type JsonObject } from "../../../base/index.ts";
import { answerBot, callBot, closeAction, tellsWork } from "../run/index.ts";
import { next, refused, type Caller, type Position } from "../../../engine/index.ts";
import { closeView } from "../views/index.ts";
import { askUserText, followingText, positionView, type Following } from "../../../views/index.ts";
import { notAnswered, type ToolCall, type ToolResult } from "../../../mcp/index.ts";
import { refuseStrange, resultOf, textIn, lastShown, type BotNames } from "./bot-arguments.ts";
import { botReply } from "./bot-reply.ts";

/**
 * The person's "done". An agent passes it on where the bot allows that; else the client asks its user, and where it cannot, the reply
 * gives the command for the person. The work itself is reported either way, so nothing is lost.
 */
export async function closeCurrent(call: ToolCall, names: BotNames, parameters: JsonObject): Promise<ToolResult> {
  const { reply } = call.desk();
  if (reply !== undefined && reply.action !== "accept")
    throw notAnswered(reply, "", `Let the person run: ${closeCommand(names, reply.decision)}`);
  const said = reply?.answer ?? parameters["answer"] ?? "done";
  // A person's word counts for the very question that they were shown.
  const person = reply === undefined ? undefined : call.person;
  if (said === "done" || said === true) return closed(call, names, parameters, { person, asked: reply?.decision });
  const answer = said === false ? "redo" : said;
  if (reply === undefined) return botReply(call, names, await answerShown(call, names.bot, answer));
  const request = { ...call.waiting, bot: names.bot, answer, decision: reply.decision, ...defined({ person }) };
  return botReply(call, names, await answerBot(call.engine, call.caller, request));
}

function closeCommand({ bot }: BotNames, decision: string): string {
  return `waymark bot close ${bot} ${decision}`;
}

/** Answers the question that a bot waits with. The same answer again, with nothing asked for since, does not answer the next one. */
export async function answerShown(call: ToolCall, bot: string, answer: Json): Promise<Position> {
  const words = JSON.stringify([answer]);
  if (saidBefore(call, bot, words) !== undefined) return callBot(call.engine, call.caller, { bot }, call.waiting);
  const position = await answerBot(call.engine, call.caller, { ...call.waiting, bot, answer });
  rememberSaid(call, bot, words, bot);
  return position;
}

/** What the same words were about a moment ago, when nothing was asked for since: then they are the same call again. */
function saidBefore({ engine, caller }: ToolCall, bot: string, words: string): string | undefined {
  return engine.handOuts.saidBefore(caller, placeOf(bot), words)?.action;
}

/** Remembers the last close or answer that did not name what it is about. */
function rememberSaid({ engine, caller }: ToolCall, bot: string, words: string, about: string): void {
  engine.handOuts.said(caller, placeOf(bot), words, { action: about, step: about });
}

/** The client asked where the bot is: what it says next is about that. */
export function forgetSaid({ engine, caller }: ToolCall, bot: string): void {
  engine.handOuts.asked(caller, placeOf(bot));
}

/** Tools of bots name no run, so what was said to a bot is kept under its name. */
function placeOf(bot: string): string {
  return `bot ${bot}`;
}

/** Who does not say which action is done means the one that was shown last; the same words again mean the same one. */
async function closed(
  call: ToolCall,
  names: BotNames,
  parameters: JsonObject,
  { person, asked }: { readonly person: Caller | undefined; readonly asked: string | undefined },
): Promise<ToolResult> {
  const shown = lastShown(call.caller, names.bot);
  const words = JSON.stringify(parameters);
  const named = textIn(parameters, "action", "action_id");
  const saysNothing = !tellsWork(resultOf(parameters, {}));
  if (saysNothing) refuseStrange(names.closeTool, parameters);
  const known = asked ?? named ?? saidBefore(call, names.bot, words);
  const action = known ?? shown?.action;
  try {
    const done = await closeAction(call.engine, call.caller, {
      ...call.waiting,
      bot: names.bot,
      combined: true,
      result: resultOf(parameters, shown?.parameters ?? {}),
      saysNothing,
      unclear: known === undefined && shown?.beside === true,
      ...defined({ action, person }),
    });
    if (named === undefined) rememberSaid(call, names.bot, words, action ?? `${done.completed.behaviour}.${done.completed.action}`);
    return await botReply(call, names, done.position, { before: closeView(done) });
  } catch (error) {
    if (!isWaymarkError(error)) throw error;
    if (error.details["open_step"] !== undefined && named === undefined)
      rememberSaid(call, names.bot, words, String(error.details["place"]));
    return notClosed(call, names, error, person);
  }
}

/** A close that came to nothing: the question that it left open, or the refusal with what is open instead. */
async function notClosed(call: ToolCall, names: BotNames, error: WaymarkError, person: Caller | undefined): Promise<ToolResult> {
  // Recorded, and not all of it could be done: the question says so, and stays open.
  if (error.details["not_done"] !== undefined)
    return botReply(call, names, await callBot(call.engine, call.caller, { bot: names.bot }, call.waiting));
  if (error.details["open_step"] !== undefined) throw await calledRefusal(call, names, error);
  if (error.code !== "DECISION_FOR_PERSON" || person !== undefined) throw error;
  return askPerson(call, names);
}

/** The refusal of a close while a step of a called workflow is open, with that step and the calls that show and report it. */
async function calledRefusal(call: ToolCall, { botTool }: BotNames, error: WaymarkError): Promise<WaymarkError> {
  const { code, message, details } = error;
  const position = await next(call.engine, call.caller, { ...call.waiting, run: String(details["run_id"]) });
  const { data, textFor } = positionView(position, (tool) => call.offers(tool));
  const { next_call: report, fill_in: fill, later: _later, ...shown } = data as typeof data & Following;
  // Another agent has reported it meanwhile.
  if (report === undefined || data["action_id"] !== details["action_id"]) return error;
  const following = { next_call: report, ...defined({ fill_in: fill }) };
  const show = { tool: botTool, arguments: {} };
  return new WaymarkError({
    code,
    message: `${message}\n${textFor(shown, "")}`,
    fix: followingText(following, "Do that step, then report it:").join(" "),
    details: { ...details, next_call: show, later: { when: "when the step is done", ...report } },
  });
}

/** The results are recorded and the question is open: the person who may answer it is asked. */
async function askPerson(call: ToolCall, names: BotNames): Promise<ToolResult> {
  const { standing, run } = await callBot(call.engine, call.caller, { bot: names.bot }, call.waiting);
  if (standing.kind !== "question") throw new Error("The question that was open a moment ago is gone.");
  const { id: decision, revision, question: text, options = [] } = standing.decision;
  const desk = call.desk();
  if (desk.canAsk(text)) return desk.ask({ run, decision, revision, text, options });
  const command = closeCommand(names, decision);
  throw refused("DECISION_FOR_PERSON", `The work is recorded; only a person can say that it is done: ${text}`, askUserText(command), {
    later: { when: "when they have answered", tool: names.botTool, arguments: {} },
    decision,
    question: text,
    command_for_person: command,
    options: options.map((option) => option.value),
  });
}

import type { Json } from "../../base/index.ts";
import { answerBot, callBot } from "../../dialects/bots/run/index.ts";
import type { Position } from "../../engine/index.ts";
import type { ToolCall } from "../tool.ts";
import { rememberSaid, saidBefore } from "./shown-actions.ts";

/** Answers the question that a bot waits with. The same answer again, with nothing asked for since, does not answer the next one. */
export async function answerShown(call: ToolCall, bot: string, answer: Json): Promise<Position> {
  const words = JSON.stringify([answer]);
  if (saidBefore(call.caller, bot, words) !== undefined) return callBot(call.engine, call.caller, { bot }, call.waiting);
  const position = await answerBot(call.engine, call.caller, { ...call.waiting, bot, answer });
  rememberSaid(call.caller, bot, words, bot);
  return position;
}

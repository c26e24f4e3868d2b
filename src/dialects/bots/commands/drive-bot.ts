import { defined, isObject, isWaymarkError, type Json, type JsonObject } from "../../../base/index.ts";
import { callBot, type BotCall } from "../run/index.ts";
import { status, type Position } from "../../../engine/index.ts";
import { exitCodes, loadCommandKit, type Desk } from "../../../cli/index.ts";
import { showBot } from "./show-bot.ts";

const { askUntilValid, jsonOrText, reportStep, taskOf, waiting } = await loadCommandKit();

export interface BotDesk extends Desk {
  readonly bot: string;
}

/** Shows where the bot is; on a terminal it asks what came of the work and whether it is done, until the person leaves. */
export async function driveBot(desk: BotDesk, call: BotCall): Promise<number> {
  const { session, bot } = desk;
  const asks = session.world.isTerminal && !session.out.json;
  let position = await openPosition(desk, call);
  for (;;) {
    const { view, code } = await showBot(desk, { bot, position }, !asks);
    const { standing, run } = position;
    if (!asks || view === undefined) return code;
    session.out.line();
    if (standing.kind === "question") await askUntilValid(desk, run, standing.decision);
    else if (standing.kind !== "action" || !(await reportWork(desk, position, standing.action.id))) return leave(desk, code);
    position = await openPosition(desk, { bot });
  }
}

/** Where another agent drives the bot, it is only looked at; a question can be answered all the same. */
async function openPosition({ session, context, caller, bot }: BotDesk, call: BotCall): Promise<Position> {
  try {
    return await callBot(context, caller, call, waiting(session));
  } catch (error) {
    if (!isWaymarkError(error) || error.code !== "STRAND_HELD") throw error;
    const [run] = await context.store.listRuns({ workflow: bot, status: ["running"] });
    const { handle, strands } = await status(context, run?.id ?? "");
    const main = strands.find((entry) => entry.strand === "main");
    if (main?.standing.kind !== "question") throw error;
    session.out.aside(error.message);
    const { id, program, state, head } = handle;
    return { run: id, program, state, head, strand: "main", standing: main.standing };
  }
}

/** Answers whether something was reported. */
async function reportWork(desk: BotDesk, position: Position, action: string): Promise<boolean> {
  const { session } = desk;
  session.out.line("Do this, then type what came of it (text, or JSON with summary, inputs, outputs, content); nothing leaves it open.");
  const typed = (await session.prompter.ask("> ")).trim();
  if (typed === "") return false;
  const named = { run: position.run, action, ...defined({ task: taskOf(position) }) };
  await reportStep(desk, { ...named, outcome: { as: "done", result: resultOf(typed) }, wait: waiting(session) });
  return true;
}

/** What was typed as a result: an object as it is, anything else is its summary. */
export function resultOf(typed: string): JsonObject {
  const value: Json = jsonOrText(typed);
  return isObject(value) ? value : { summary: typed };
}

function leave({ session, bot }: BotDesk, code: number): number {
  if (code === exitCodes.done) session.out.hint(`→ Left as it is; \`waymark bot ${bot}\` comes back to this place.`);
  return code;
}

import { isObject, isWaymarkError, type Json, type JsonObject } from "../../base/index.ts";
import { callBot, type BotCall } from "../../dialects/bots/run/index.ts";
import { status, type Position } from "../../engine/index.ts";
import { exitCodes } from "../codes.ts";
import { askUntilValid } from "../commands/decide.ts";
import { waiting } from "../drive.ts";
import { jsonOrText } from "../parse-values.ts";
import { taskOf } from "../printed-lines.ts";
import { reportStep } from "../reporting/report-step.ts";
import type { Reporter } from "../reporting/step-report.ts";
import { showBot } from "./show-bot.ts";

export interface BotDriver extends Reporter {
  readonly bot: string;
}

/** Shows where the bot is; on a terminal it asks what came of the work and whether it is done, until the person leaves. */
export async function driveBot(driver: BotDriver, call: BotCall): Promise<number> {
  const { session, context, bot } = driver;
  const asks = session.world.isTerminal && !session.out.json;
  let position = await openPosition(driver, call);
  for (;;) {
    const { view, code } = await showBot(session, context, { bot, position }, !asks);
    const { standing, run } = position;
    if (!asks || view === undefined) return code;
    session.out.line();
    if (standing.kind === "question") await askUntilValid(session, context, run, standing.decision);
    else if (standing.kind !== "action" || !(await reportWork(driver, position, standing.action.id))) return leave(driver, code);
    position = await openPosition(driver, { bot });
  }
}

/** Where somebody else drives the bot, it is only looked at; a question can be answered all the same. */
async function openPosition({ session, context, caller, bot }: BotDriver, call: BotCall): Promise<Position> {
  try {
    return await callBot(context, caller, call, waiting(session, {}));
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
async function reportWork(driver: BotDriver, position: Position, action: string): Promise<boolean> {
  const { session } = driver;
  session.out.line("Do this, then type what came of it (text, or JSON with summary, inputs, outputs, content); nothing leaves it open.");
  const typed = (await session.prompter.ask("> ")).trim();
  if (typed === "") return false;
  const task = taskOf(position);
  const named = { run: position.run, action, ...(task === undefined ? {} : { task }) };
  await reportStep(driver, { ...named, outcome: { as: "done", result: resultOf(typed) }, wait: waiting(session, {}) });
  return true;
}

/** What was typed as a result: an object as it is, anything else is its summary. */
export function resultOf(typed: string): JsonObject {
  const value: Json = jsonOrText(typed);
  return isObject(value) ? value : { summary: typed };
}

function leave({ session, bot }: BotDriver, code: number): number {
  if (code === exitCodes.done) session.out.hint(`→ Left as it is; \`waymark bot ${bot}\` comes back to this place.`);
  return code;
}

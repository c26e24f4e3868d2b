import type { Json } from "../../base/index.ts";
import { mainStrand } from "../../kernel/index.ts";
import { standingOf } from "../../views/index.ts";
import type { Caller } from "../caller.ts";
import { refused } from "../codes.ts";
import { answer } from "../commands/answer.ts";
import type { EngineContext } from "../context.ts";
import type { Position } from "../position.ts";
import { openRun, settledPosition, type Waiting } from "./bot-position.ts";
import { requireBot } from "./bot-run.ts";
import { chosenArea } from "./project-area.ts";

/** Answers the question that a bot waits with, and continues. A project area is checked before it is taken. */
export async function answerBot(
  context: EngineContext,
  caller: Caller,
  request: Waiting & { readonly bot: string; readonly answer: Json; readonly person?: Caller; readonly decision?: string },
): Promise<Position> {
  const handle = await openRun(context, request.bot);
  requireBot(handle);
  const standing = standingOf(handle.state, mainStrand);
  if (standing.kind !== "question" || (request.decision !== undefined && request.decision !== standing.decision.id))
    throw refused("ENGINE_NO_DECISION", `\`${request.bot}\` has no such open question.`, "Ask the bot where it is.", {});
  const { decision } = standing;
  const given = decision.step === "project_area" ? checkedArea(context, request.answer) : request.answer;
  const who = request.person ?? caller;
  await answer(context, who, { run: handle.id, decision: decision.id, answer: given, relayed: who.holder.kind !== "person" });
  return settledPosition(context, caller, handle, request);
}

export function checkedArea({ host }: EngineContext, given: Json): string {
  const chosen = chosenArea(host.workspace, typeof given === "string" ? given : "");
  if ("area" in chosen) return chosen.area;
  throw refused("ENGINE_NO_AREA", `${chosen.refused} Nothing was changed.`, "Name a folder inside the workspace.", {});
}

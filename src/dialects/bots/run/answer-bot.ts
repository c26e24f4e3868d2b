import type { Json } from "../../../base/index.ts";
import { mainScope, mainStrand, type Decision } from "../../../kernel/index.ts";
import { decideCommand, standingOf, type Standing } from "../../../views/index.ts";
import { type Caller, refused, answer, type EngineContext, keepRefusal, type Position, type RunHandle } from "../../../engine/index.ts";
import { openRun, settledPosition, type Waiting } from "./bot-position.ts";
import { requireBot } from "./bot-run.ts";
import { openJumps } from "./jump-questions.ts";
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
  const jumps = openJumps(handle, mainScope);
  if (request.decision === undefined && isAboutJump(standing, jumps, request.answer)) throw await forPerson(context, caller, handle, jumps);
  if (standing.kind !== "question" || (request.decision !== undefined && request.decision !== standing.decision.id))
    throw refused("ENGINE_NO_DECISION", `\`${request.bot}\` has no such open question.`, "Ask the bot where it is.", {});
  const { decision } = standing;
  const given = decision.step === "project_area" ? checkedArea(context, request.answer) : request.answer;
  const who = request.person ?? caller;
  await answer(context, who, { run: handle.id, decision: decision.id, answer: given, relayed: who.holder.kind !== "person" });
  return settledPosition(context, caller, handle, request);
}

/** Whether an answer is about a jump: nothing else is asked, or it is one of its options and none of those that are asked for. */
function isAboutJump(standing: Standing, jumps: readonly Decision[], given: Json): boolean {
  const isOption = ({ options = [] }: Decision): boolean => options.some((option) => option.value === given);
  if (jumps.length === 0 || standing.kind !== "question") return jumps.length > 0;
  return standing.decision.options !== undefined && !isOption(standing.decision) && jumps.some(isOption);
}

/** Whether the bot leaves its place is never passed on. That somebody tried is kept. */
async function forPerson(context: EngineContext, caller: Caller, handle: RunHandle, jumps: readonly Decision[]): Promise<Error> {
  const message = `Only a person can answer this: ${jumps.map(({ question }) => question).join(" ")} Nothing was changed.`;
  const commands = jumps.map((jump) => decideCommand(handle.id, jump));
  const [first] = jumps;
  await keepRefusal(context, caller, handle, { what: `answer ${first?.id ?? ""}`, code: "DECISION_FOR_PERSON", message });
  return refused("DECISION_FOR_PERSON", message, `Ask the person to run: ${commands.join(", or ")}. Then ask the bot where it is.`, {
    decision: first?.id ?? "",
    command_for_person: commands[0] ?? "",
    options: (first?.options ?? []).map((option) => option.value),
  });
}

export function checkedArea({ host }: EngineContext, given: Json): string {
  const chosen = chosenArea(host.workspace, typeof given === "string" ? given : "");
  if ("area" in chosen) return chosen.area;
  throw refused("ENGINE_NO_AREA", `${chosen.refused} Nothing was changed.`, "Name a folder inside the workspace.", {});
}

import { mainScope, mainStrand, type Action } from "../../../kernel/index.ts";
import { standingOf } from "../../../views/index.ts";
import { refused, next, report, type RunHandle } from "../../../engine/index.ts";
import { currentPlace, settledPosition, watchedPosition } from "./bot-position.ts";
import { placeOf, type BotPlace } from "./bot-run.ts";
import type { CloseRequest } from "./close-action.ts";
import type { ClosedAction, Closing } from "./closed-action.ts";
import { needsAnswer, saysNothing } from "./close-refusals.ts";

/** An independent action that is handed out and not reported yet. */
interface OpenBeside {
  readonly place: BotPlace;
  readonly action: Action;
}

function openBeside({ state }: RunHandle): readonly OpenBeside[] {
  return Object.values(state.strands).flatMap(({ id, entry, scope, frames }) => {
    const standing = standingOf(state, id);
    if (entry !== "independent" || scope !== mainScope || standing.kind !== "action") return [];
    return [{ place: placeOf(frames[0]?.locals?.["item"]), action: standing.action }];
  });
}

/** The independent action that a close names by its id. */
export function besideNamed(handle: RunHandle, id: string | undefined): OpenBeside | undefined {
  return openBeside(handle).find(({ action }) => action.id === id);
}

/** What came of the work does not tell which action it is of, once an independent one is open beside the sequence. */
export function refuseUnnamed({ handle, run }: Closing): void {
  const place = currentPlace(handle);
  const waits = handle.state.strands[mainStrand]?.waits;
  const id = waits?.on === "action" || waits?.on === "decision" ? waits.id : undefined;
  // What a called workflow hands out is none of the bot's actions: a close that would mean it is refused as such.
  if (waits?.on === "action" && handle.state.actions[waits.id]?.what !== "bot_action") return;
  const beside = openBeside(handle).map((each) => [nameOf(each.place), each.action.id] as const);
  if (place === undefined || id === undefined || beside.length === 0) return;
  const open = [[nameOf(place), id] as const, ...beside];
  const { name: bot } = run.definition;
  throw refused(
    "ENGINE_WRONG_STEP",
    `\`${bot}\` has ${open.length} actions open, and the close does not say which one is done: ${open.map((each) => `${each[0]} (${each[1]})`).join(", ")}. Nothing was changed.`,
    `Close it again with the id as \`action\`. On the command line: waymark bot close ${bot} <id> --result <what was done>`,
    { open: Object.fromEntries(open) },
  );
}

function nameOf({ behaviour, action }: BotPlace): string {
  return `${behaviour}.${action}`;
}

/** Reports an independent action. The place of the bot stays as it is. */
export async function closeBeside(closing: Closing, { place, action }: OpenBeside, request: CloseRequest): Promise<ClosedAction> {
  const { context, caller, handle, run } = closing;
  const { strand } = action;
  const { standing } = await next(context, caller, { ...request, run: handle.id, strand });
  if (standing.kind === "question") throw needsAnswer(standing.decision);
  if (request.saysNothing === true) throw saysNothing(place, action.id);
  await report(context, caller, { run: handle.id, action: action.id, result: { status: "completed", ...request.result } });
  await watchedPosition(context, caller, handle, { ...request, strand });
  const position = await settledPosition(context, caller, handle, request);
  return { bot: run.definition.name, completed: place, finished: position.state.status === "completed", position, repeated: false };
}

import { defined } from "../../../base/index.ts";
import { combinedAfter, currentPlace, firstAfter, type ClosedFacts, idOf, isSame, type BotPlace } from "../views/index.ts";
import { isMinted, mainStrand, handOutId, type Action, type Decision } from "../../../kernel/index.ts";
import { findEvent, refused, storedRows, type Caller, type EngineContext, type Position, type RunHandle } from "../../../engine/index.ts";
import { isIndependent, recordedActivity } from "./activity.ts";
import { positionOf } from "./bot-position.ts";
import { type BotRun } from "./bot-run.ts";

export interface ClosedAction extends ClosedFacts {
  readonly position: Position;
}

/** A close in the making. */
export interface Closing {
  readonly context: EngineContext;
  readonly caller: Caller;
  readonly handle: RunHandle;
  readonly run: BotRun;
}

/** A repeat is answered with what was recorded; anything else is not there to be closed. */
export async function closedBefore(
  closing: Closing,
  { action: named, bot, combined }: { readonly bot: string; readonly action?: string; readonly combined?: boolean },
): Promise<ClosedAction> {
  const { context, handle, run } = closing;
  const place = currentPlace(handle);
  const all = await recordedActivity(storedRows(context, handle.id), run);
  const entries = all.map(({ entry }) => entry).filter((entry) => entry.actionState === "completed");
  const by = await openedStep(closing, named);
  const completed = entries.filter((entry) => by !== undefined || !isIndependent(run, entry));
  const meant = completed.findLast((entry) => named === undefined || [entry.action, idOf(entry)].includes(by ?? named));
  const over = handle.state.status !== "running";
  if (meant === undefined || (named === undefined && !over)) {
    if (run.area === "" && !over)
      throw refused(
        "ENGINE_NO_AREA",
        `\`${bot}\` has no project area yet, so there is nothing to close.`,
        `Choose the project area first: answer the bot's question, or run \`waymark bot ${bot} --area <folder>\`.`,
      );
    const now = place === undefined ? "" : ` Current is \`${place.behaviour}.${place.action}\`.`;
    const what =
      named === undefined
        ? `\`${bot}\` has no open action.`
        : `\`${named}\` is not the current action of \`${bot}\`, nor was it completed.`;
    throw refused("ENGINE_NO_ACTION", `${what}${now} Nothing was changed.`, "Ask the bot where it is.");
  }
  const position = await positionOf(context, handle, mainStrand);
  if (isIndependent(run, meant)) return { bot: run.definition.name, completed: placeIn(meant), finished: over, position, repeated: true };
  const together = combined === true ? combinedAfter(run.definition, meant) : [];
  const open = together.findIndex((each) => !completed.some((entry) => isSame(entry, each)));
  const last = together.slice(0, open < 0 ? together.length : open).at(-1) ?? meant;
  const passed = last.behaviour === meant.behaviour ? {} : { completedBehaviour: meant.behaviour };
  return { ...passed, ...asOfNow(after(closing, placeIn(last), position), place), repeated: true };
}

function placeIn({ behaviour, action }: BotPlace): BotPlace {
  return { behaviour, action };
}

/** What followed once is said only while the bot is there: else it would be done again. */
function asOfNow(closed: Omit<ClosedAction, "repeated">, now: BotPlace | undefined): Omit<ClosedAction, "repeated"> {
  const { next, nextBehaviour, ...rest } = closed;
  const following = next === undefined ? nextBehaviour : { behaviour: closed.completed.behaviour, action: next };
  if (now === undefined) return rest;
  return following !== undefined && isSame(following, now) ? closed : { ...rest, now };
}

/** The step of an action or question with this id, wherever in the journal it was opened. */
export async function openedStep({ context, handle }: Closing, id: string | undefined): Promise<string | undefined> {
  if (id === undefined || !isMinted(id)) return undefined;
  return findEvent(context, handle.id, id, (event) => {
    const opened = event.type === "action_opened" ? event.action : event.type === "decision_opened" ? event.decision : undefined;
    return opened?.id === id ? opened.step : undefined;
  });
}

/** What follows a place that was completed. */
export function after({ run: { definition }, handle }: Closing, place: BotPlace, position: Position): Omit<ClosedAction, "repeated"> {
  const actions = definition.behaviours.find(({ name }) => name === place.behaviour)?.actions ?? [];
  const own = actions.slice(actions.findIndex((each) => each.name === place.action) + 1).find((each) => each.setting !== "skip");
  const shared = { bot: definition.name, completed: place, finished: position.state.status === "completed", position };
  const now = currentPlace(handle);
  const upcoming = now?.behaviour === place.behaviour && !isSame(now, place) ? now.action : own?.name;
  if (upcoming !== undefined) return { ...shared, next: upcoming };
  const following = firstAfter(definition, place.behaviour);
  const nextBehaviour = following && { behaviour: following.behaviour.name, action: following.action.name };
  return { ...shared, completedBehaviour: place.behaviour, ...defined({ nextBehaviour }) };
}

export function saysNothing({ action }: BotPlace, id: string): Error {
  return refused(
    "ENGINE_NO_RESULT",
    `\`${action}\` is not done without word of what was done. Nothing was changed.`,
    "Close it again with its `summary`.",
    { action_id: id, fill_in: { "parameters.summary": "what was done" } },
  );
}

export function needsAnswer(decision: Decision): Error {
  return refused("ENGINE_NEEDS_ANSWER", `A question must be answered first: ${decision.question}`, "Answer it, then close the action.", {
    decision: decision.id,
    options: (decision.options ?? []).map((option) => option.value),
  });
}

/** What is open is a step of the workflow that the action calls: only its own report closes it. `open_step` tells this refusal from others. */
export function opensCalled({ behaviour, action }: BotPlace, run: string, { id, step }: Action): Error {
  const open = handOutId(step, id);
  return refused(
    "ENGINE_WRONG_STEP",
    `\`${action}\` calls a workflow, whose step \`${open}\` is open: a close does not report it. Nothing was changed.`,
    `Do that step and report it; \`${action}\` is completed when the workflow ends. On the command line: waymark next ${run}`,
    { place: `${behaviour}.${action}`, run_id: run, action_id: id, open_step: open },
  );
}

export function opensNothing({ action }: BotPlace): Error {
  return refused(
    "ENGINE_NO_ACTION",
    `Nothing of \`${action}\` is handed out at the moment, so there is nothing to close. Nothing was changed.`,
    "Ask the bot where it is.",
  );
}

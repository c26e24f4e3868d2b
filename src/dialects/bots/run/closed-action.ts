import { isMinted, mainStrand, type Event } from "../../../kernel/index.ts";
import { type Caller, refused, type EngineContext, storedRows, type Position, type RunHandle } from "../../../engine/index.ts";
import { isIndependent, recordedActivity } from "./activity.ts";
import { currentPlace, positionOf } from "./bot-position.ts";
import { behaviourOf, isSame, type BotPlace, type BotRun } from "./bot-run.ts";
import { combinedAfter } from "./combined-actions.ts";

export interface ClosedAction {
  readonly bot: string;
  readonly completed: BotPlace;
  /** The action after it, when the behaviour has one. */
  readonly next?: string;
  readonly completedBehaviour?: string;
  readonly nextBehaviour?: BotPlace;
  /** Where the bot is, when that is not what follows the action: a close of long ago is repeated. */
  readonly now?: BotPlace;
  readonly finished: boolean;
  readonly position: Position;
  /** It was closed before: nothing was changed. */
  readonly repeated: boolean;
  /** What of the report could not be done, where nobody was asked about it. */
  readonly left?: readonly string[];
}

/** A close in the making. */
export interface Closing {
  readonly context: EngineContext;
  readonly caller: Caller;
  readonly handle: RunHandle;
  readonly run: BotRun;
}

interface NamedAction {
  readonly bot: string;
  readonly action?: string;
  readonly combined?: boolean;
}

/** A repeat is answered with what was recorded; anything else is not there to be closed. */
export async function closedBefore(closing: Closing, { action: named, bot, combined }: NamedAction): Promise<ClosedAction> {
  const { context, handle, run } = closing;
  const place = currentPlace(handle);
  const all = await recordedActivity(storedRows(context, handle.id), run);
  const entries = all.map(({ entry }) => entry).filter((entry) => entry.actionState === "completed");
  const by = await openedStep(closing, named);
  const completed = entries.filter((entry) => by !== undefined || !isIndependent(run, entry));
  const meant = completed.findLast(
    (entry) => named === undefined || [entry.action, `${entry.behaviour}.${entry.action}`].includes(by ?? named),
  );
  const over = handle.state.status !== "running";
  if (meant === undefined || (named === undefined && !over)) {
    if (run.area === "" && !over)
      throw refused(
        "ENGINE_NO_AREA",
        `\`${bot}\` has no project area yet, so there is nothing to close.`,
        `Choose the project area first: answer the bot's question, or run \`waymark bot ${bot} --area <folder>\`.`,
        {},
      );
    const now = place === undefined ? "" : ` Current is \`${place.behaviour}.${place.action}\`.`;
    const what =
      named === undefined
        ? `\`${bot}\` has no open action.`
        : `\`${named}\` is not the current action of \`${bot}\`, nor was it completed.`;
    throw refused("ENGINE_NO_ACTION", `${what}${now} Nothing was changed.`, "Ask the bot where it is.", {});
  }
  const position = await positionOf(context, handle, mainStrand);
  if (isIndependent(run, meant)) return { bot: run.definition.name, completed: placeIn(meant), finished: over, position, repeated: true };
  const together = combined === true ? combinedAfter(run, meant) : [];
  const open = together.findIndex((each) => !completed.some((entry) => isSame(entry, each)));
  const last = together.slice(0, open < 0 ? together.length : open).at(-1) ?? meant;
  const passed = last.behaviour === meant.behaviour ? {} : { completedBehaviour: meant.behaviour };
  return { ...passed, ...asOfNow(after(closing, placeIn(last), position), place), repeated: true };
}

function placeIn({ behaviour, action }: BotPlace): BotPlace {
  return { behaviour, action };
}

/** What followed once is told only while the bot is there: else it would be done again. */
function asOfNow(told: Omit<ClosedAction, "repeated">, now: BotPlace | undefined): Omit<ClosedAction, "repeated"> {
  const { next, nextBehaviour, ...rest } = told;
  const following = next === undefined ? nextBehaviour : { behaviour: told.completed.behaviour, action: next };
  if (now === undefined) return rest;
  return following !== undefined && isSame(following, now) ? told : { ...rest, now };
}

/** The step of an action or question with this id, wherever in the journal it was opened. */
export async function openedStep({ context, handle }: Closing, id: string | undefined): Promise<string | undefined> {
  if (id === undefined || !isMinted(id)) return undefined;
  for (let from = 0; ;) {
    const records = await context.store.readRecords(handle.id, from, 500);
    for (const { events } of records) {
      if (!events.includes(`"${id}"`)) continue;
      for (const event of JSON.parse(events) as readonly Event[]) {
        const opened = event.type === "action_opened" ? event.action : event.type === "decision_opened" ? event.decision : undefined;
        if (opened?.id === id) return opened.step;
      }
    }
    const last = records.at(-1);
    if (last === undefined) return undefined;
    from = last.position;
  }
}

/** What follows a place that was completed. */
export function after({ run, handle }: Closing, place: BotPlace, position: Position): Omit<ClosedAction, "repeated"> {
  const finished = position.state.status === "completed";
  const { definition } = run;
  const actions = behaviourOf(run, place.behaviour)?.actions ?? [];
  const own = actions.slice(actions.findIndex((each) => each.name === place.action) + 1).find((each) => each.setting !== "skip");
  const shared = { bot: definition.name, completed: place, finished, position };
  const now = currentPlace(handle);
  const upcoming = now?.behaviour === place.behaviour && !isSame(now, place) ? now.action : own?.name;
  if (upcoming !== undefined) return { ...shared, next: upcoming };
  const at = definition.behaviours.findIndex((behaviour) => behaviour.name === place.behaviour);
  const following = definition.behaviours.slice(at + 1).find((behaviour) => behaviour.setting !== "skip");
  const first = following?.actions.find((each) => each.setting !== "skip");
  return {
    ...shared,
    completedBehaviour: place.behaviour,
    ...(following === undefined || first === undefined ? {} : { nextBehaviour: { behaviour: following.name, action: first.name } }),
  };
}

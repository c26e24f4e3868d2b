import { isList, isObject, fieldOf, type Json, type JsonObject } from "../../../base/index.ts";
import { findAction, idOf, objectIn, placeOf, textsIn, type BotPlace } from "../views/index.ts";
import type { ActivityEntry } from "../definition/index.ts";
import type { Effect } from "../../../kernel/index.ts";
import type { Item } from "../../../program/index.ts";
import type { Rows, RunHandle } from "../../../engine/index.ts";
import { type BotRun } from "./bot-run.ts";

/** One start or completion with the id that orders it. */
export interface Activity {
  readonly id: string;
  readonly entry: ActivityEntry;
}

/** What one record says. Its time is that of the effect, so that a repeat after a crash says the same. */
export function entryOf({ definition }: BotRun, effect: Effect): Activity {
  const { item, report, submitted, started } = effect.args;
  const completed = effect.args["state"] === "completed";
  const begun = Date.parse(fieldOf(started, "at"));
  return {
    id: `1${effect.id.slice(1).padStart(9, "0")}`,
    entry: {
      timestamp: new Date(effect.openedAt).toISOString(),
      bot: definition.name,
      ...placeOf(item),
      actionState: completed ? "completed" : "started",
      inputs: completed ? { ...objectIn(item, "parameters"), ...objectIn(report, "inputs") } : objectIn(item, "parameters"),
      outputs: completed ? outputsOf(report, submitted) : {},
      duration: completed && Number.isFinite(begun) ? Math.max(0, (effect.openedAt - begun) / 1000) : null,
      kept: {},
    },
  };
}

/** What the action says it left behind; its summary is the result when there is nothing else. */
function outputsOf(report: Json | undefined, submitted: Json | undefined): JsonObject {
  const files = isObject(submitted) && isList(submitted["files"]) ? submitted["files"] : [];
  const summary = fieldOf(report, "summary");
  return { ...(summary !== "" && { summary }), ...objectIn(report, "outputs"), ...(files.length > 0 && { files }) };
}

export function activityRow({ lists }: BotRun, { id, entry }: Activity, more: JsonObject = {}): Item {
  return {
    list: lists.activity,
    id,
    order: id,
    status: "completed",
    data: { ...(entry as unknown as JsonObject), ...more },
    facets: { state: entry.actionState },
    root: id,
    attempts: 0,
    waitsFor: 0,
  };
}

/** Why a record does not count any more: the bot was called again in the same run. */
export const earlierCall = "an earlier call";

/** What was started and completed in this call of the bot, oldest first. */
export async function recordedActivity(rows: Rows, { lists }: BotRun): Promise<readonly Activity[]> {
  const found = await rows.select({ list: lists.activity, query: {}, limit: 1_000_000 });
  const own = found.filter((row) => row.reason !== earlierCall);
  return own.map((row) => ({ id: row.id, entry: row.data as unknown as ActivityEntry }));
}

/** Records that are being made now, by any process: they are written as if they were made, since nothing can keep them from it. */
export function openActivity({ state }: Pick<RunHandle, "state">, run: BotRun): readonly Activity[] {
  return Object.values(state.effects)
    .filter((effect) => effect.what === "bot_record")
    .map((effect) => entryOf(run, effect));
}

export function inOrder(all: readonly Activity[]): readonly Activity[] {
  const byId = new Map(all.map((each) => [each.id, each]));
  return [...byId.values()].sort((a, b) => (a.id < b.id ? -1 : a.id > b.id ? 1 : 0));
}

/** Whether an entry is of an action outside of the sequence, which never changes the place. */
export function isIndependent(run: BotRun, { behaviour, action }: Pick<ActivityEntry, "behaviour" | "action">): boolean {
  return findAction(run.definition, { behaviour, action })?.action.workflow === false;
}

/** What an action left undone that nobody is asked about, as a line of the bot's problems. */
export function leftLine(place: BotPlace, problem: string): string {
  return `Not done in ${idOf(place)}: ${problem}`;
}

/** Such lines that the bot still shows for these actions. */
export function leftLines({ raw }: BotRun, places: readonly BotPlace[]): readonly string[] {
  return textsIn(raw["bot_problems"]).filter((line) => places.some((place) => line.startsWith(leftLine(place, ""))));
}

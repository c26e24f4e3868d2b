import { isObject, type Json, type JsonObject, fieldOf } from "../../../base/index.ts";
import { idOf, type BotPlace } from "../views/index.ts";
import { writeWorkflowState, type ActivityEntry, type CompletedAction, type Confirmation } from "../definition/index.ts";
import type { Item } from "../../../program/index.ts";
import { isIndependent, type Activity } from "./activity.ts";
import type { BotRun } from "./bot-run.ts";

export function sameEntry(a: ActivityEntry, b: ActivityEntry): boolean {
  const key = (entry: ActivityEntry): string =>
    JSON.stringify([entry.timestamp, entry.behaviour, entry.action, entry.actionState, entry.inputs, entry.outputs, entry.duration]);
  return key(a) === key(b);
}

/** Entries of other bots stay where their time puts them; the order of one's own is that of the journal. */
export function mergeOthers({ definition }: BotRun, own: readonly Activity[], others: readonly ActivityEntry[]): readonly ActivityEntry[] {
  const merged: ActivityEntry[] = [];
  const waiting = others.filter(({ bot }) => bot !== definition.name);
  for (const { entry } of own) {
    while (waiting[0] !== undefined && (waiting[0].timestamp ?? "") <= (entry.timestamp ?? "")) merged.push(...waiting.splice(0, 1));
    merged.push(entry);
  }
  return [...merged, ...waiting];
}

/** Where the bot is: the last event of an action of the sequence. */
export function currentOf(
  run: BotRun,
  all: readonly Activity[],
): (BotPlace & { readonly state: ActivityEntry["actionState"] }) | undefined {
  const last = all.findLast(({ entry }) => !isIndependent(run, entry))?.entry;
  return last === undefined ? undefined : { behaviour: last.behaviour, action: last.action, state: last.actionState };
}

/** Rows as they will be when these completions are recorded. */
export function withCompleted(actions: readonly Item[], records: readonly Activity[]): readonly Item[] {
  const done = new Set(records.filter(({ entry }) => entry.actionState === "completed").map(({ entry }) => idOf(entry)));
  return actions.map((row) => (done.has(row.id) ? { ...row, status: "completed" as const } : row));
}

/** Every completion of actions that count as completed now; going back takes later ones out, and the log keeps them. */
export function completedOf(all: readonly Activity[], actions: readonly Item[]): readonly CompletedAction[] {
  const done = actions.filter((row) => row.status === "completed");
  const ids = new Set(done.map((row) => row.id));
  const logged = all
    .map(({ entry }) => entry)
    .filter((entry) => entry.actionState === "completed" && ids.has(idOf(entry)))
    .map(({ behaviour, action, timestamp }): CompletedAction => ({ behaviour, action, timestamp, kept: {} }));
  const inLog = new Set(logged.map(({ behaviour, action }) => `${behaviour}.${action}`));
  const brought = done
    .filter((row) => !inLog.has(row.id))
    .map((row): CompletedAction => {
      const at = fieldOf(row.data, "completed_at");
      return { behaviour: fieldOf(row.data, "behaviour"), action: fieldOf(row.data, "action"), timestamp: at === "" ? null : at, kept: {} };
    });
  return [...brought, ...logged];
}

/** The state with the records that are being made counted as made, as in the log. */
export function stateText(
  run: BotRun,
  {
    all,
    actions,
    open,
    kept,
  }: Readonly<Record<"all" | "open", readonly Activity[]>> & { readonly actions: readonly Item[]; readonly kept: JsonObject },
): string {
  const current = currentOf(run, all);
  return writeWorkflowState({
    bot: run.definition.name,
    currentBehaviour: current?.behaviour ?? null,
    currentAction: current?.action ?? null,
    actionState: current?.state ?? null,
    timestamp: all.at(-1)?.entry.timestamp ?? null,
    completedActions: completedOf(all, withCompleted(actions, open)),
    confirmations: confirmationsOf(run.raw["bot_confirmations"]),
    kept,
  });
}

function confirmationsOf(held: JsonObject[string] | undefined): Readonly<Record<string, Confirmation>> {
  if (!isObject(held)) return {};
  const read = (each: Json): Confirmation => ({
    confirmedAt: fieldOf(each, "confirmed_at"),
    confirmedBy: "human",
    originalBehaviour: fieldOf(each, "original_behavior"),
    kept: {},
  });
  return Object.fromEntries(Object.entries(held).map(([behaviour, each]) => [behaviour, read(each)]));
}

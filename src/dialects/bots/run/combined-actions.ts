import type { ActionDefinition } from "../definition/index.ts";
import { isSame, type BotPlace, type BotRun } from "./bot-run.ts";

interface Placed extends Pick<ActionDefinition, "setting" | "calls"> {
  readonly place: BotPlace;
}

/** All actions that are not skipped, in order. */
function sequence({ definition }: BotRun): readonly Placed[] {
  const entered = definition.behaviours.filter((each) => each.setting !== "skip");
  return entered.flatMap((behaviour) =>
    behaviour.actions
      .filter((each) => each.setting !== "skip")
      .map((each) => ({ ...each, place: { behaviour: behaviour.name, action: each.name } })),
  );
}

/** Actions that are handed out together with the first one: up to the first that wants a word of its own. */
export function combinedAfter(run: BotRun, first: BotPlace): readonly BotPlace[] {
  const chain: BotPlace[] = [];
  const actions = sequence(run);
  const at = actions.findIndex((each) => isSame(each.place, first));
  if (at < 0) return chain;
  for (let next = at + 1; actions[next - 1]?.setting === "combine"; next += 1) {
    const upcoming = actions[next];
    if (upcoming === undefined || upcoming.calls !== undefined) break;
    chain.push(upcoming.place);
  }
  return chain;
}

/** Actions that were handed out together with the last one, ahead of it. */
export function combinedBefore(run: BotRun, last: BotPlace): readonly BotPlace[] {
  return sequence(run)
    .map(({ place }) => place)
    .filter((place) => combinedAfter(run, place).some((each) => isSame(each, last)));
}

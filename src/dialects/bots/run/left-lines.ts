import { isList, textOf } from "../../../base/index.ts";
import type { BotPlace, BotRun } from "./bot-run.ts";

function headOf({ behaviour, action }: BotPlace): string {
  return `Not done in ${behaviour}.${action}: `;
}

/** What an action left undone that nobody is asked about, as a line of the bot's problems. */
export function leftLine(place: BotPlace, problem: string): string {
  return `${headOf(place)}${problem}`;
}

/** Such lines that the bot still tells of these actions. */
export function leftLines({ raw }: BotRun, places: readonly BotPlace[]): readonly string[] {
  const told = isList(raw["bot_problems"]) ? raw["bot_problems"].map(textOf) : [];
  return told.filter((line) => places.some((place) => line.startsWith(headOf(place))));
}

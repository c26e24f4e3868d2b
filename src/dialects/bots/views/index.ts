/**
 * What agents and people read of a bot: where it is, its instructions and what became of an action. Pure. Begin with `bot-view.ts`.
 */
export { botResultWanted, botShown, reportHint } from "./bot-action.ts";
export {
  type BotPlace,
  combinedAfter,
  combinedBefore,
  currentPlace,
  findAction,
  firstAfter,
  idOf,
  isSame,
  leftUndone,
  objectIn,
  placeOf,
  textsIn,
} from "./bot-place.ts";
export { type BotView, botView } from "./bot-view.ts";
export { type ClosedFacts, closeView } from "./close-view.ts";

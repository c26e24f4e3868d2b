/**
 * What agents and people read of a bot: where it is, its instructions and what became of an action. Pure. Begin with `bot-view.ts`.
 */
export { leftUndone } from "./bot-place.ts";
export { botResultWanted, botShown, reportHint } from "./bot-step.ts";
export { type BotView, botView } from "./bot-view.ts";
export { closeView } from "./close-view.ts";

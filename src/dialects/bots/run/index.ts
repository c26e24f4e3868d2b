/**
 * What a run of a bot does: effects that keep its state and log in the project area, jumps, and the commands that only bots have. Begin with
 * `runtime.ts`, then `call-bot.ts` and `close-action.ts`.
 */
export { undoContent } from "./bot-content.ts";
export { type ListedBot, answerBot, listBots, openBot } from "./bot-position.ts";
export { type BotCall, botProblems, callBot } from "./call-bot.ts";
export { closeAction, tellsWork } from "./close-action.ts";
export { botsRuntime } from "./runtime.ts";

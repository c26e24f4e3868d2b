/**
 * Bots: a folder of JSON files in, a definition and a program out. `parse-bot.ts` reads and checks, `lower.ts` lowers, `formats/` reads and
 * writes the files that a bot's run keeps in the project. Never reads a file itself. Begin with `parse-bot.ts`.
 */
export type { ActionDefinition, BehaviourDefinition, BotDefinition, TriggerDefinition } from "./bot-definition.ts";
export { type BotTools, botToolNames } from "./bot-tool-names.ts";
export { botsDialect } from "./bots-dialect.ts";
export {
  type ActivityEntry,
  type CompletedAction,
  type Confirmation,
  type WorkflowState,
  logFiles,
  stateFiles,
  writeActivityLog,
  writeWorkflowState,
} from "./formats/bot-views.ts";
export { readActivityLog, readWorkflowState } from "./formats/read-views.ts";
export type { botLists } from "./lower.ts";
export { parseBot } from "./parse-bot.ts";
export { recogniseBot } from "./read/bot-reading.ts";
export { fillPlaceholders } from "./read/read-instructions.ts";

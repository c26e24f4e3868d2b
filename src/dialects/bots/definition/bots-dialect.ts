import type { Dialect } from "../../../source/index.ts";
import { calledByBot, loadBot } from "./parse-bot.ts";
import { recogniseBot } from "./read/bot-reading.ts";
import { configFiles, settingsFile } from "./vocabulary.ts";

export const botsDialect: Dialect = {
  name: "bots",
  places: [
    {
      endings: [".json", ".md", ".txt"],
      whole: { markers: configFiles, beside: ["base_actions"], workspaceFiles: [settingsFile] },
    },
  ],
  owns: ({ path }) => recogniseBot(path) !== undefined,
  references: (file) => ({ workflows: calledByBot(file), files: [] }),
  load: loadBot,
  unknownCall: "BOTS_UNKNOWN_WORKFLOW",
  // Its actions are rows of the run: two bots at once could not tell theirs apart.
  alone: { word: "bot", when: "at once" },
};

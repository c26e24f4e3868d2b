/** What bots add to the command line: the command `bot`, and the tour `bot`. */
import type { DialectCommands } from "../../../cli/index.ts";
import { commandDefinitions } from "./command-definitions.ts";

export const botsCommands: DialectCommands = {
  dialect: "bots",
  commands: commandDefinitions,
  failures: ["the report of a bot's action left files out"],
  tours: [
    {
      name: "bot",
      about: "leaves a bot in the middle of an action and comes back",
      load: async () => (await import("./bot-tour.ts")).botTour,
    },
  ],
  share: async () => ({ fillIns: ["folder", "what was done", (await import("../views/index.ts")).botResultWanted] }),
};

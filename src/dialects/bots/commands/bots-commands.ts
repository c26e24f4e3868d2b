/** What bots add to the command line: the command `bot`, and the tour `bot`. */
import type { DialectCommands } from "../../../cli/index.ts";

export const botsCommands: DialectCommands = {
  dialect: "bots",
  commands: [
    {
      usage: "bot <bot> [behaviour] [action]",
      group: "Bots:",
      summary: "Go to where a bot is, or to one of its behaviours or actions, and show what is to be done there.",
      details: [
        "On a terminal you type what came of the work and say whether it is done; leave with an empty line or Ctrl-C, nothing is lost.",
        "Another place than the current one is asked for first. Three words are commands and not bots:",
        "",
        "  waymark bot tools [bot]           the tools that are made from the bots on disk",
        "  waymark bot close <bot> [action]  say that the current action is done",
        "  waymark bot undo <bot> [action]   take back the files that the last action wrote",
        "",
        "Without a terminal `close` records the report and ends with 0: the question waits for a person, who runs the printed line. Work",
        "that is not recorded yet needs `--result`, on a terminal too; without it `close` ends with 2.",
      ].join("\n"),
      options: [
        { flags: "--area <folder>", description: "The project area, when the bot asks for it." },
        { flags: "-r, --result <value>", description: "Of `close`: what came of the work; JSON where it is JSON, else its summary." },
        { flags: "--compact", description: "Of `tools`: the three tools of the toolset `bots-compact`." },
      ],
      examples: [
        "waymark bot story_bot",
        "waymark bot story_bot shape",
        "waymark bot close story_bot --result 'asked the team'",
        "waymark bot tools --json",
      ],
      completes: "workflow",
      load: async () => (await import("./bot.ts")).botCommand,
    },
  ],
  failures: ["the report of a bot's action left files out"],
  tours: [
    {
      name: "bot",
      about: "leaves a bot in the middle of an action and comes back",
      load: async () => (await import("./bot-tour.ts")).botTour,
    },
  ],
  share: () => Promise.resolve({ fillIns: ["folder", "what was done"] }),
};

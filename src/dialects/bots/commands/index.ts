/** What this dialect adds to the command line. Begin with `bots-commands.ts`. */
export { botsCommands } from "./bots-commands.ts";

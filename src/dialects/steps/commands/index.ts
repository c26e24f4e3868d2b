/** What this dialect adds to the command line. Begin with `steps-commands.ts`. */
export { stepsCommands } from "./steps-commands.ts";

/** What this dialect adds to the command line. Begin with `machine-commands.ts`. */
export { machineCommands } from "./machine-commands.ts";

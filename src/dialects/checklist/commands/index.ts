/** What this dialect adds to the command line. Begin with `checklist-commands.ts`. */
export { checklistCommands } from "./checklist-commands.ts";

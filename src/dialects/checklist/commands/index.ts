/** What this dialect adds to the command line. Begin with `checklist-commands.ts`. */
export { checklistCommands, loadStatusBarChanges } from "./checklist-commands.ts";

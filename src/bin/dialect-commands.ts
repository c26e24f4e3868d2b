import { botsCommands } from "../cli/bots/index.ts";
import { checklistCommands, loadStatusBarChanges } from "../cli/checklist/index.ts";
import type { DialectCommands } from "../cli/index.ts";
import { machineCommands } from "../cli/machine/index.ts";
import { stepsCommands } from "../cli/steps/index.ts";

/** What each dialect adds to the command line, in the order of the help. */
export const dialectCommands: readonly DialectCommands[] = [stepsCommands, checklistCommands, botsCommands, machineCommands];

/** Who has something to say to status bars about a run. */
export const statusBarChanges: readonly (typeof loadStatusBarChanges)[] = [loadStatusBarChanges];

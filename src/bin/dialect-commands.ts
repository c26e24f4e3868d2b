import { botsCommands } from "../dialects/bots/commands/index.ts";
import { checklistCommands, loadStatusBarChanges } from "../dialects/checklist/commands/index.ts";
import type { DialectCommands } from "../cli/index.ts";
import { machineCommands } from "../dialects/machine/commands/index.ts";
import { stepsCommands } from "../dialects/steps/commands/index.ts";

/** What each dialect adds to the command line, in the order of the help. */
export const dialectCommands: readonly DialectCommands[] = [stepsCommands, checklistCommands, botsCommands, machineCommands];

/** Who has something to say to status bars about a run. */
export const statusBarChanges: readonly (typeof loadStatusBarChanges)[] = [loadStatusBarChanges];

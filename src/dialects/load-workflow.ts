import { botsDialect } from "./bots/load-bot.ts";
import { checklistDialect } from "./checklist/load-checklist.ts";
import {
  linkWorkflow,
  type Dialect,
  type ExpressionChecker,
  type FolderFile,
  type LoweredWorkflow,
  type References,
  type SourceFile,
  type SourceSet,
} from "../source/index.ts";
import { machineDialect } from "./machine/load-machine.ts";
import { stepsDialect } from "./steps/load-calling.ts";

/** Asked in this order; what is nobody's is judged as steps, which say what they miss. */
const dialects: readonly Dialect[] = [botsDialect, machineDialect, checklistDialect, stepsDialect];

function ownerOf(file: SourceFile): Dialect {
  return dialects.find((dialect) => dialect.owns(file)) ?? stepsDialect;
}

/** Whose file this is. */
export function dialectOf(file: SourceFile): Dialect["name"] {
  return ownerOf(file).name;
}

/** Workflows and files that a file names. Texts for people and agents are part of a workflow, but name nothing themselves. */
export function referencesOf(file: FolderFile): References {
  return /\.(?:md|txt)$/i.test(file.path) ? { workflows: [], files: [] } : ownerOf(file).references(file);
}

/**
 * Parses, checks and lowers a workflow of any dialect, with everything it calls. Never throws for what files hold. `named` answers what
 * files refer to, for a caller that knows it already.
 */
export function loadWorkflow(
  set: SourceSet,
  checker?: ExpressionChecker,
  named: (file: FolderFile) => References = referencesOf,
): LoweredWorkflow {
  return linkWorkflow({ dialectOf: ownerOf, referencesOf: named }, set, checker);
}

import { createLinker, type Dialect, type FolderFile, type Linker, type WorkflowPlace } from "../source/index.ts";
import { botsDialect } from "./bots/dialect.ts";
import { checklistDialect } from "./checklist/dialect.ts";
import { machineDialect } from "./machine/dialect.ts";
import { stepsDialect } from "./steps/dialect.ts";

/** Asked in this order whose file it is. */
export const dialects: readonly Dialect[] = [botsDialect, machineDialect, checklistDialect, stepsDialect];

/** Where workflows of all of them are found. */
export const workflowPlaces: readonly WorkflowPlace[] = dialects.flatMap(({ places }) => places);

const linker: Linker = createLinker(dialects);

/** Name of the dialect whose file this is. */
export const dialectOf = (file: FolderFile): string => linker.dialectOf(file).name;
export const referencesOf: Linker["referencesOf"] = linker.referencesOf;
export const loadWorkflow: Linker["load"] = linker.load;

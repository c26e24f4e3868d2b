/** What the generated pages are made from, all rooms in one bundle. */
import type { Catalogue } from "../../src/base/index.ts";
import { dialectTools } from "../../src/bin/dialect-tools.ts";
import { cliCodes } from "../../src/cli/index.ts";
import { botsCodes } from "../../src/dialects/bots/codes.ts";
import { checklistCodes } from "../../src/dialects/checklist/codes.ts";
import { machineCodes } from "../../src/dialects/machine/codes.ts";
import { stepsCodes } from "../../src/dialects/steps/codes.ts";
import { sourceCodes } from "../../src/source/index.ts";
import { engineCodes } from "../../src/engine/index.ts";
import { hostCodes } from "../../src/host/index.ts";
import { httpCodes } from "../../src/http/index.ts";
import { knowledgeCodes } from "../../src/knowledge/index.ts";
import { allTools, mcpCodes, toolsets as toolsetsOf } from "../../src/mcp/index.ts";
import { sandboxCodes } from "../../src/sandbox/index.ts";
import { finders, scanCodes } from "../../src/scan/index.ts";
import { stateCodes } from "../../src/state/index.ts";
import { storeCodes } from "../../src/store/index.ts";
import { workspaceCodes } from "../../src/workspace/index.ts";

export { commandSpecs, createCommandTree, exitCodeHelp, fileKeys, replyKeys, stepKeys } from "../../src/cli/index.ts";
export { checklistFeatures, checklistJsonSchema } from "../../src/dialects/checklist/definition/index.ts";
export { machineFeatures, machineJsonSchema } from "../../src/dialects/machine/definition/index.ts";
export { stepsFeatures, stepsJsonSchema } from "../../src/dialects/steps/definition/index.ts";
export { settings } from "../../src/host/index.ts";
export { describeTool } from "../../src/mcp/index.ts";

/** The tools with what every dialect adds, and the toolsets. */
export const tools = allTools(dialectTools);
export const toolsets = toolsetsOf(dialectTools);

/** Names under which patterns ask for a finder. */
export const finderIds: readonly string[] = [...finders.keys()];

/** Codes of definitions, by the dialect that gives them. */
const definitions: Readonly<Record<string, Catalogue>> = {
  "Definitions: steps": stepsCodes,
  "Definitions: machine": machineCodes,
  "Definitions: dialects": sourceCodes,
  "Definitions: checklist": checklistCodes,
  "Definitions: bots": botsCodes,
};

export const catalogues: Readonly<Record<string, Catalogue>> = {
  "Runs, steps and questions": engineCodes,
  ...definitions,
  Expressions: stateCodes,
  Sandbox: sandboxCodes,
  "Patterns and scanning": scanCodes,
  "Files of the workspace": workspaceCodes,
  Knowledge: knowledgeCodes,
  Store: storeCodes,
  "This computer": hostCodes,
  "MCP tools": mcpCodes,
  HTTP: httpCodes,
  "Command line": cliCodes,
};

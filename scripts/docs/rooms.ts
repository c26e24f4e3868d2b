/** What the generated pages are made from, all rooms in one bundle. */
import type { Catalogue } from "../../src/base/index.ts";
import { dialectCommands } from "../../src/bin/dialect-commands.ts";
import { cliCodes } from "../../src/cli/index.ts";
import * as dialects from "../../src/dialects/index.ts";
import { engineCodes } from "../../src/engine/index.ts";
import { hostCodes } from "../../src/host/index.ts";
import { httpCodes } from "../../src/http/index.ts";
import { knowledgeCodes } from "../../src/knowledge/index.ts";
import { mcpCodes } from "../../src/mcp/index.ts";
import { sandboxCodes } from "../../src/sandbox/index.ts";
import { finders, scanCodes } from "../../src/scan/index.ts";
import { stateCodes } from "../../src/state/index.ts";
import { storeCodes } from "../../src/store/index.ts";
import { workspaceCodes } from "../../src/workspace/index.ts";

export { dialectCommands };
export { commandSpecs, createCommandTree, exitCodeHelp, fileKeys, replyKeys, stepKeys } from "../../src/cli/index.ts";
export {
  checklistFeatures,
  checklistJsonSchema,
  machineFeatures,
  machineJsonSchema,
  stepsFeatures,
  stepsJsonSchema,
} from "../../src/dialects/index.ts";
export { settings } from "../../src/host/index.ts";
export { allTools, describeTool, toolsets } from "../../src/mcp/index.ts";

/** Names under which patterns ask for a finder. */
export const finderIds: readonly string[] = [...finders.keys()];

/** Each dialect exports its catalogue as `<dialect>Codes`. */
const definitions: Readonly<Record<string, Catalogue>> = Object.fromEntries(
  Object.entries(dialects)
    .filter(([name]) => name.endsWith("Codes"))
    .map(([name, codes]) => [`Definitions: ${name.slice(0, -"Codes".length)}`, codes as Catalogue] as const)
    .toSorted(([a], [b]) => (a < b ? 1 : -1)),
);

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
  "Command line": Object.assign({}, cliCodes, ...dialectCommands.map(({ codes }) => codes)),
};

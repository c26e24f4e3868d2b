/** What the generated pages are made from, all rooms in one bundle. */
import { cliCodes } from "../../src/cli/index.ts";
import { stepsCodes } from "../../src/dialects/index.ts";
import { engineCodes } from "../../src/engine/index.ts";
import { hostCodes } from "../../src/host/index.ts";
import { httpCodes } from "../../src/http/index.ts";
import { mcpCodes } from "../../src/mcp/index.ts";
import { sandboxCodes } from "../../src/sandbox/index.ts";
import { stateCodes } from "../../src/state/index.ts";
import { storeCodes } from "../../src/store/index.ts";

export { commandSpecs, createCommandTree, exitCodeHelp, fileKeys, replyKeys, stepKeys } from "../../src/cli/index.ts";
export { stepsFeatures, stepsJsonSchema } from "../../src/dialects/index.ts";
export { settings } from "../../src/host/index.ts";
export { allTools, describeTool, toolsets } from "../../src/mcp/index.ts";

export const catalogues = {
  "Runs, steps and questions": engineCodes,
  Definitions: stepsCodes,
  Expressions: stateCodes,
  Sandbox: sandboxCodes,
  Store: storeCodes,
  "This computer": hostCodes,
  "MCP tools": mcpCodes,
  HTTP: httpCodes,
  "Command line": cliCodes,
};

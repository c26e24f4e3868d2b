/** What the generated pages are made from, all rooms in one bundle. */
import type { Catalogue } from "../../src/base/index.ts";
import { dialectCodes, dialectCommands, dialects, dialectTools } from "../../test/support/all-dialects.ts";
import { agentCodes } from "../../src/agents/index.ts";
import { chatCodes } from "../../src/chat/index.ts";
import { cliCodes } from "../../src/cli/index.ts";
import { engineCodes } from "../../src/engine/index.ts";
import { findingsCodes } from "../../src/findings/index.ts";
import { hostCodes } from "../../src/host/index.ts";
import { httpCodes } from "../../src/http/index.ts";
import { knowledgeCodes } from "../../src/knowledge/index.ts";
import { allTools, mcpCodes, toolsets as toolsetsOf } from "../../src/mcp/index.ts";
import { runnerCodes } from "../../src/runner/index.ts";
import { sandboxCodes } from "../../src/sandbox/index.ts";
import { finders, scanCodes } from "../../src/scan/index.ts";
import { sourceCodes } from "../../src/source/index.ts";
import { stateCodes } from "../../src/state/index.ts";
import { storeCodes } from "../../src/store/index.ts";
import { workspaceCodes } from "../../src/workspace/index.ts";

export { kindByPath, kindByText } from "../../src/scan/file-kinds.ts";
export { languageOf } from "../../src/scan/index.ts";
export { dialectCommands, dialects };
export { commandSpecs, createCommandTree, exitCodeHelp, fileKeys, replyKeys, stepKeys } from "../../src/cli/index.ts";
export { knownAgents } from "../../src/agents/index.ts";
export { settings } from "../../src/host/index.ts";
export { askTool, describeTool } from "../../src/mcp/index.ts";

/** The tools with what every dialect adds, and the toolsets. */
export const tools = allTools(dialectTools);
export const toolsets = toolsetsOf(dialectTools);

/** Words of a dialect that other rooms know, by where they are written. */
export const moreWords: Readonly<Record<string, Readonly<Record<string, readonly string[]>>>> = {
  checklist: { "`finder`": [...finders.keys()] },
};

/** Of each dialect, and of what links them. */
const definitions: Readonly<Record<string, Catalogue>> = Object.fromEntries(
  [...Object.entries(dialectCodes), ["dialects", sourceCodes] as const]
    .toSorted(([a], [b]) => (a < b ? 1 : -1))
    .map(([name, codes]) => [`Definitions: ${name}`, codes]),
);

export const catalogues: Readonly<Record<string, Catalogue>> = {
  "Runs, steps and questions": engineCodes,
  ...definitions,
  Expressions: stateCodes,
  Sandbox: sandboxCodes,
  "Patterns and scanning": scanCodes,
  "Files of the workspace": workspaceCodes,
  "Findings of tools": findingsCodes,
  Knowledge: knowledgeCodes,
  Store: storeCodes,
  "This computer": hostCodes,
  "Coding agents": agentCodes,
  "Driven runs": runnerCodes,
  Chats: chatCodes,
  "MCP tools": mcpCodes,
  HTTP: httpCodes,
  "Command line": Object.assign({}, cliCodes, ...dialectCommands.map(({ codes }) => codes)),
};

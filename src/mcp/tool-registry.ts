import { unknownToolset } from "./codes.ts";
import { listedSchema } from "./read-arguments.ts";
import { toolsetNames, type Tool, type Toolset } from "./tool.ts";
import { batchTool } from "./tools/batch-tool.ts";
import { decideTool } from "./tools/decide-tool.ts";
import { debugInfoTool, explainPlanTool, testTransformationTool, traceTool } from "./tools/debug-tools.ts";
import { nextTool, progressTool, startTool } from "./tools/drive-tools.ts";
import { infoTool, listTool } from "./tools/find-tools.ts";
import { analyzeAlTool, analyzeTool, askExpertTool, retrieveBcTool, retrieveTool } from "./tools/knowledge-tools.ts";
import { abortTool, checkpointTool, completeTool, resumeTool, retryTool } from "./tools/lifecycle-tools.ts";
import { statusTool } from "./tools/look-tools.ts";
import { cancelTool, getInfoTool, getNextStepTool, loadDefinitionTool, stepCompleteTool } from "./tools/seed-tools.ts";
import { tellTool } from "./tools/tell-tool.ts";
import { stateDependenciesTool, stateReadTool, stateUpdateTool } from "./tools/state-tools.ts";

/** Every tool there is, in the order in which they are listed. */
export const allTools: readonly Tool[] = [
  listTool,
  infoTool,
  startTool,
  nextTool,
  progressTool,
  statusTool,
  batchTool,
  completeTool,
  decideTool,
  resumeTool,
  retryTool,
  abortTool,
  checkpointTool,
  tellTool,
  stateReadTool,
  stateUpdateTool,
  stateDependenciesTool,
  traceTool,
  debugInfoTool,
  testTransformationTool,
  explainPlanTool,
  getInfoTool,
  getNextStepTool,
  stepCompleteTool,
  loadDefinitionTool,
  cancelTool,
  analyzeAlTool,
  analyzeTool,
  retrieveBcTool,
  retrieveTool,
  askExpertTool,
];

/** Names that `--tools` takes, with what each adds. */
export const toolsets: readonly { readonly name: string; readonly adds: string }[] = [
  { name: "default", adds: "The canonical tools. They are always offered." },
  { name: "state", adds: "Reading and writing a run's state directly." },
  { name: "debug", adds: "Looking into a run's computed fields, and into workflows before they run." },
  { name: "seed", adds: "The older names of the canonical tools, with their own inputs and outputs, and the state tools." },
  { name: "knowledge", adds: "Analysing code, and looking things up in the topics. A step that asks for one of these may call it anyway." },
  { name: "bots", adds: "The tools of the bots found on disk: one per bot, behaviour and action, and one to close the current action." },
  { name: "bots-compact", adds: "The same with three tools per bot." },
  { name: "all", adds: "Everything; of the bots all tools." },
];

/** Which tools of bots these toolsets ask for. They are made from what is on disk, so they are in no list here. */
export function botModeOf(names: readonly string[]): "bots" | "bots-compact" | undefined {
  const wanted = names.map((name) => name.trim());
  if (wanted.includes("bots") || wanted.includes("all")) return "bots";
  return wanted.includes("bots-compact") ? "bots-compact" : undefined;
}

/** The tools of these toolsets beside the canonical ones. Throws `MCP_UNKNOWN_TOOLSET`. */
export function toolsOf(names: readonly string[], readonly: boolean): readonly Tool[] {
  const known = toolsets.map((entry) => entry.name);
  const wanted = new Set<Toolset>(["default"]);
  for (const name of names.map((entry) => entry.trim()).filter((entry) => entry !== "")) {
    if (!known.includes(name)) throw unknownToolset(name, known);
    for (const toolset of name === "all" ? toolsetNames : [name as Toolset]) wanted.add(toolset);
  }
  return allTools.filter((tool) => (!readonly || tool.reads) && tool.toolsets.some((toolset) => wanted.has(toolset)));
}

/** The canonical spelling of a tool's name: dots are understood, since some clients and documents use them. */
export function plainToolName(name: string): string {
  return name.replaceAll(".", "_");
}

export interface ListedTool {
  readonly name: string;
  readonly description: string;
  readonly inputSchema: Readonly<Record<string, unknown>> & { readonly type: "object" };
  readonly annotations: {
    readonly readOnlyHint: boolean;
    readonly destructiveHint: boolean;
    readonly idempotentHint: boolean;
    readonly openWorldHint: boolean;
  };
  readonly _meta?: Readonly<Record<string, unknown>>;
}

const listed = new Map<string, ListedTool>();

/** Calls that bring the rest of a reply carry `part`: clients may leave out what a schema does not list. */
function withPart(schema: ListedTool["inputSchema"]): ListedTool["inputSchema"] {
  const properties = schema["properties"] as Readonly<Record<string, unknown>> | undefined;
  return { ...schema, properties: { ...properties, part: {} } };
}

/** A tool as `tools/list` shows it. Made once: over HTTP a server is built for every request. */
export function describeTool(tool: Tool): ListedTool {
  const known = listed.get(tool.name);
  if (known !== undefined) return known;
  const made: ListedTool = {
    name: tool.name,
    description: tool.description,
    inputSchema: tool.givesParts ? withPart(listedSchema(tool.shape)) : listedSchema(tool.shape),
    annotations: { readOnlyHint: tool.reads, destructiveHint: tool.destroys, idempotentHint: tool.repeatable, openWorldHint: false },
    ...(tool.entry ? { _meta: { "anthropic/alwaysLoad": true } } : {}),
  };
  listed.set(tool.name, made);
  return made;
}

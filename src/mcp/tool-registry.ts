import type { Tool as ProtocolTool } from "@modelcontextprotocol/server";
import * as z from "zod";
import { unknownToolset } from "./codes.ts";
import { listedSchema } from "./read-arguments.ts";
import { partsOf, toolsetNames, type DialectTools, type ListedToolset, type Tool, type Toolset } from "./tool.ts";
import { decideTool } from "./tools/decide-tool.ts";
import { debugTools } from "./tools/debug-tools.ts";
import { driveTools } from "./tools/drive-tools.ts";
import { findTools } from "./tools/find-tools.ts";
import { knowledgeTools } from "./tools/knowledge-tools.ts";
import { completeTool, runTools } from "./tools/run-tools.ts";
import { statusTool } from "./tools/status-tool.ts";
import { seedTools } from "./tools/seed-tools.ts";
import { stateTools } from "./tools/state-tools.ts";

/** The general tools, in the order in which they are listed. */
const general: readonly Tool[] = [
  ...findTools,
  ...driveTools,
  statusTool,
  completeTool,
  decideTool,
  ...runTools,
  ...stateTools,
  ...debugTools,
  ...seedTools,
  ...knowledgeTools,
];

const composed = new WeakMap<readonly DialectTools[], readonly Tool[]>();

/** Every tool with what these dialects add, in the order in which they are listed. Made once: over HTTP a server is built for every request. */
export function allTools(dialects: readonly DialectTools[]): readonly Tool[] {
  const known = composed.get(dialects);
  if (known !== undefined) return known;
  const tools = general.map((tool) => withParts(tool, dialects));
  for (const tool of dialects.flatMap((dialect) => dialect.tools ?? []))
    tools.splice(tools.findIndex(({ name }) => name === tool.after) + 1 || tools.length, 0, tool);
  composed.set(dialects, tools);
  return tools;
}

function withParts(tool: Tool, dialects: readonly DialectTools[]): Tool {
  const parts = partsOf(dialects, tool.name);
  if (parts.length === 0) return tool;
  const added: Readonly<Record<string, z.ZodType>> = Object.assign({}, ...parts.map(({ fields }) => fields));
  const fields = tool.shape.shape as Readonly<Record<string, z.ZodType>>;
  const names = Object.keys(fields);
  const at = tool.fieldsAfter === undefined ? names.length : names.indexOf(tool.fieldsAfter) + 1;
  const inOrder = [...names.slice(0, at), ...Object.keys(added), ...names.slice(at)];
  const shape = z.object(Object.fromEntries(inOrder.map((name) => [name, added[name] ?? fields[name] ?? z.unknown()])));
  const returns = [tool.returns, ...parts.flatMap((part) => part.returns ?? [])].join("; ");
  return { ...tool, shape, returns };
}

/** Names that `--tools` takes, with what each adds. */
export function toolsets(dialects: readonly DialectTools[]): readonly ListedToolset[] {
  return [
    { name: "default", adds: "The canonical tools. They are always offered." },
    { name: "state", adds: "Reading and writing a run's state directly." },
    { name: "debug", adds: "Looking into a run's computed fields, and into workflows before they run." },
    { name: "seed", adds: "The older names of the canonical tools, with their own inputs and outputs, and the state tools." },
    {
      name: "knowledge",
      adds: "Analysing code, and looking things up in the topics. A step that asks for one of these may call it anyway.",
    },
    ...dialects.flatMap((dialect) => dialect.toolsets ?? []),
    { name: "all", adds: "Everything. Of tools that come in a full and a compact form, the full one." },
  ];
}

/** The tools of these toolsets beside the canonical ones. Throws `MCP_UNKNOWN_TOOLSET`. */
export function toolsOf(dialects: readonly DialectTools[], names: readonly string[]): readonly Tool[] {
  const known = toolsets(dialects).map((entry) => entry.name);
  const wanted = new Set<Toolset>(["default"]);
  for (const name of names.map((entry) => entry.trim()).filter((entry) => entry !== "")) {
    if (!known.includes(name)) throw unknownToolset(name, known);
    for (const toolset of name === "all" ? toolsetNames : [name as Toolset]) wanted.add(toolset);
  }
  return allTools(dialects).filter((tool) => tool.toolsets.some((toolset) => wanted.has(toolset)));
}

type ListedTool = ProtocolTool & { readonly annotations: NonNullable<ProtocolTool["annotations"]> };
const listed = new WeakMap<Tool, ListedTool>();

/** A tool as `tools/list` shows it. Made once, like the tools. */
export function describeTool(tool: Tool): ListedTool {
  const known = listed.get(tool);
  if (known !== undefined) return known;
  const schema = { ...(tool.inputSchema ?? listedSchema(tool.shape)), type: "object" as const };
  // Calls that bring the rest of a reply carry `part`: clients may leave out what a schema does not list.
  const parts = tool.givesParts ? { properties: { ...(schema as { properties?: object }).properties, part: {} } } : {};
  const made: ListedTool = {
    name: tool.name,
    description: tool.description,
    inputSchema: { ...schema, ...parts },
    annotations: { readOnlyHint: tool.reads, destructiveHint: tool.destroys, idempotentHint: tool.repeatable, openWorldHint: false },
    ...(tool.entry ? { _meta: { "anthropic/alwaysLoad": true } } : {}),
  };
  listed.set(tool, made);
  return made;
}

import * as z from "zod";
import { isWaymarkError, type JsonObject, counted, cutText, visibleText } from "../../base/index.ts";
import { errorsIn, lineOfRun, requirePermission, whatItRuns, type LoadedWorkflow } from "../../engine/index.ts";
import { followingData, shownInputs, type Following } from "../../views/index.ts";
import { heavyReply, listReply, nextLines } from "../reply.ts";
import { joinLines, plainText } from "../reply-text.ts";
import { defineTool, workflowName, type Reply, type Tool, type ToolCall } from "../tool.ts";
import { routeTool } from "./route-tool.ts";

const listTool: Tool = defineTool({
  name: "workflow_list",
  description: "List the workflows that can be started here, with what each does.",
  returns: "`workflows` with `name`, `description`, `source`, `path`, and `shadowed` or `problems` where they apply",
  reads: true,
  shape: z.object({
    include_global: z.boolean().optional().describe("Also the user's own; default true."),
    after: z.string().optional().describe("Only those after this name."),
  }),
  async run(call, { include_global, after }) {
    const listed = await call.engine.catalog.list(include_global ?? true);
    const from = after === undefined ? 0 : listed.findLastIndex((entry) => entry.name === after) + 1;
    const entries = listed.slice(from).map((entry) => ({
      name: entry.name,
      description: cutText(entry.description, 1000),
      source: entry.source,
      path: entry.path,
      ...(entry.shadowed ? { shadowed: true } : {}),
      ...(entry.problems > 0 ? { problems: entry.problems } : {}),
    }));
    const none = `No workflows${after === undefined ? "" : ` after ${after}`}. Put one into .waymark/workflows.`;
    return listReply(call, {
      head: entries.length === 0 ? none : `${counted(entries.length, "workflow")}:`,
      key: "workflows",
      entries,
      line: lineOf,
      more: (last, left) => ({
        text: `${left} more: workflow_list({"after":${JSON.stringify(last["name"])}})`,
        data: { more: left, next_call: { tool: "workflow_list", arguments: { after: last["name"] ?? "" } } },
      }),
      tail: entries.length === 0 ? "" : "Next: workflow_info for inputs, or workflow_start.",
    });
  },
});

function lineOf({ name, source, description, shadowed, problems }: JsonObject): string {
  const marks = `${shadowed === true ? ", shadowed" : ""}${problems === undefined ? "" : `, ${plainText(problems)} problems`}`;
  return `- ${plainText(name)} (${plainText(source)}${marks}): ${plainText(description)}`;
}

export const infoTool: Tool = defineTool({
  name: "workflow_info",
  description: "Describe one workflow: purpose, inputs, whether it may run here.",
  returns:
    "`name`, `description`, `version`, `inputs`, `found_at`, `source`, `engine_runs`, and `next_call`, `later` with `fill_in`, or `cannot_start`",
  reads: true,
  shape: z.object({ workflow: workflowName }),
  run: (call, { workflow }) => infoReply(call, workflow),
});

/** What the seed's `get_info` gives, with what an agent should know before it starts the workflow. */
async function infoReply(call: ToolCall, workflow: string): Promise<Reply> {
  const loaded = await call.engine.catalog.load(workflow);
  const { info, diagnostics, path, source } = loaded;
  const { name, version, description } = info;
  const runs = loaded.program === undefined ? [] : whatItRuns(call.engine, loaded.program).map(lineOfRun);
  const shownRuns = runs.slice(0, 5).map((line) => cutText(visibleText(line), 120));
  const more = runs.length > 5 ? ` and ${runs.length - 5} more` : "";
  const starting = startingOf(info);
  const wrong = diagnostics.some((problem) => problem.severity === "error") ? errorsIn(diagnostics) : undefined;
  const blocked =
    wrong === undefined ? await refusalOf(call, loaded) : `It has ${wrong.count} and cannot start: ${cutText(wrong.first, 1500)}`;
  return heavyReply(call, {
    head: joinLines([
      `${name} ${version} (${source}, ${path}): ${cutText(description, 1000)}`,
      runs.length === 0 ? "" : `The engine runs: ${shownRuns.join("; ")}${more}`,
    ]),
    heavy: ["inputs"],
    render: (data) => inputLines(data["inputs"] as JsonObject),
    data: {
      name,
      description: cutText(description, 1000),
      version,
      inputs: shownInputs(info.inputs),
      found_at: path,
      source,
      ...(runs.length === 0 ? {} : { engine_runs: shownRuns }),
      ...(blocked === undefined ? followingData(starting) : { cannot_start: blocked }),
    },
    tail: blocked ?? nextLines(starting).join("\n"),
  });
}

async function refusalOf(call: ToolCall, loaded: LoadedWorkflow): Promise<string | undefined> {
  if (loaded.program === undefined) return undefined;
  try {
    await requirePermission(call.engine, { ...loaded, program: loaded.program });
    return undefined;
  } catch (error) {
    if (isWaymarkError(error) && error.code === "ENGINE_NOT_ALLOWED") return `It may not run here yet. ${error.fix ?? ""}`;
    throw error;
  }
}

function inputLines(inputs: JsonObject): string {
  const names = Object.entries(inputs).map(([name, held]) => {
    const spec = (typeof held === "object" ? held : {}) as JsonObject;
    const preset = spec["default"] === undefined ? "" : `, default ${JSON.stringify(spec["default"])}`;
    return `- ${name} (${plainText(spec["type"] ?? held)}${spec["required"] === true ? ", required" : ""}${preset}) ${plainText(spec["description"] ?? "")}`.trimEnd();
  });
  return names.length === 0 ? "It has no inputs." : ["Inputs:", ...names].join("\n");
}

/** A start that needs inputs waits for them: nothing is started with a placeholder. */
function startingOf({ name, inputs }: LoadedWorkflow["info"]): Following {
  const required = Object.entries(inputs).filter(([, spec]) => spec.required && spec.default === undefined);
  const start = { tool: "workflow_start", arguments: { workflow: name } };
  if (required.length === 0) return { next_call: start };
  const wanted = required.slice(0, 12).map(([input, spec]) => `${input} (${spec.type})`);
  return { fill_in: { inputs: `an object with ${wanted.join(", ")}` }, later: { when: "when you have its inputs", ...start } };
}

export const findTools: readonly Tool[] = [listTool, routeTool, infoTool];

import * as z from "zod";
import { defined } from "../../base/index.ts";
import { dependencies, readOpenState, readState, updateState, type ReadState, type StateUpdate } from "../../engine/index.ts";
import { heavyReply } from "../reply.ts";
import { defineTool, hiddenText, runId, taskId, type Reply, type Tool, type ToolCall } from "../tool.ts";

const stateReadTool: Tool = defineTool({
  name: "workflow_state_read",
  toolsets: ["state", "seed"],
  description: "Read the state of a run as one flat object: state, raw and computed fields. Unknown paths come back as null.",
  returns:
    "the flat state itself; with `paths` exactly these keys; inside an included workflow that workflow's state, named in the text, and with `of: \"run\"` the run's own; with `task_id` what a task sees",
  reads: true,
  shape: z.object({
    workflow_id: runId,
    paths: z.array(z.string()).optional().describe("Only these, e.g. file_count or raw.files."),
    task_id: hiddenText,
    of: z.literal("run").optional().meta({ hidden: true }),
  }),
  async run(call, { workflow_id, paths, task_id, of }) {
    const asked = { run: workflow_id, ...defined({ task: task_id, paths }) };
    const read = of === "run" ? readState(call.engine, workflow_id, paths) : readOpenState(call.engine, asked);
    return flatReply(call, workflow_id, await read);
  },
});

/** The structured part is the state and nothing else, as the seed says; version and owner are in the text and in the result's `_meta`. */
async function flatReply(call: ToolCall, run: string, { state, version, of }: ReadState): Promise<Reply> {
  const reply = await heavyReply(call, {
    head:
      of === undefined
        ? `State of ${run}, version ${version}:`
        : `State of \`${of}\` in ${run}, version ${version} (\`of: "run"\` reads the run's own):`,
    data: state,
    heavy: [""],
    render: (shown) => JSON.stringify(Object.fromEntries(Object.entries(shown).filter(([name]) => Object.hasOwn(state, name)))),
  });
  return { ...reply, meta: { "waymark/run_id": run, "waymark/version": version, ...defined({ "waymark/of": of }) } };
}

const update = z.strictObject({
  path: z.string().min(1).describe("Below raw. or state."),
  operation: z.enum(["set", "append", "increment", "decrement", "multiply", "merge"]).optional().describe("Default set."),
  value: z.unknown().optional().describe("Any JSON value."),
});

const stateUpdateTool: Tool = defineTool({
  name: "workflow_state_update",
  toolsets: ["state", "seed"],
  description: "Write to the state of a run you drive, all updates or none; computed fields follow at once.",
  returns:
    "`success`, `version`, `recorded`, the computed fields that `changed`, and `of`, the step, when it is the state of an included workflow",
  shape: z.object({
    workflow_id: runId,
    updates: z.array(update).min(1),
    task_id: taskId,
    expected_version: z.number().optional().describe("Refuse if the state has another version."),
    key: z.string().optional().describe("Makes a repeat of this call harmless: the same key, task and updates are written once."),
  }),
  async run(call, { workflow_id, updates, task_id, expected_version, key }) {
    const done = await updateState(call.engine, call.caller, {
      run: workflow_id,
      updates: updates as readonly StateUpdate[],
      ...defined({ task: task_id, expectedVersion: expected_version, key }),
    });
    const { version, recorded, of, changed } = done;
    const none = Object.keys(changed).length === 0;
    const whose = of === undefined ? workflow_id : `\`${of}\` in ${workflow_id}`;
    return heavyReply(call, {
      head:
        recorded === "before"
          ? `Written before with key ${key ?? ""}; nothing was changed.`
          : `Written. The state of ${whose} is at version ${version}.${none ? "" : " Computed fields that changed:"}`,
      heavy: ["changed"],
      data: { success: true, run_id: workflow_id, version, recorded, ...defined({ of }), changed },
      render: ({ changed: shown }) => (none ? "" : JSON.stringify(shown)),
      tail: "If this finishes the open step, report it with workflow_progress (or workflow_step_complete) without a result.",
      // The fields that changed are not the first ones of the state: without one of them the whole of it is read.
      rest: ({ path, ...part }) => ({
        tool: stateReadTool.name,
        arguments: {
          workflow_id,
          ...defined({ task_id }),
          ...(path === "changed" ? {} : { part: { ...part, path: path.replace(/^changed\.?/, "") } }),
        },
      }),
    });
  },
});

const stateDependenciesTool: Tool = defineTool({
  name: "workflow_state_dependencies",
  toolsets: ["state", "seed"],
  description: "Show what a computed field depends on and what depends on it.",
  returns: "`direct_deps`, `all_deps`, `dependents`",
  reads: true,
  shape: z.object({ workflow_id: runId, field: z.string().min(1) }),
  async run(call, { workflow_id, field }) {
    const { direct_deps, all_deps, dependents } = await dependencies(call.engine, workflow_id, field);
    return heavyReply(call, {
      head: `${field} depends on ${direct_deps.join(", ") || "nothing"}; on it depend ${dependents.join(", ") || "no fields"}.`.slice(
        0,
        2000,
      ),
      heavy: ["direct_deps", "all_deps", "dependents"],
      data: { direct_deps: [...direct_deps], all_deps: [...all_deps], dependents: [...dependents] },
      render: ({ all_deps: all }) => `All dependencies: ${JSON.stringify(all)}`,
    });
  },
});

export const stateTools: readonly Tool[] = [stateReadTool, stateUpdateTool, stateDependenciesTool];

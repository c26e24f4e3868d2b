import * as z from "zod";
import { defined, type Json, type JsonObject, counted } from "../../base/index.ts";
import { attemptMeant, end, report, runs, taskAfter, tasksTaken } from "../../engine/index.ts";
import { callText, followingData, reportedBeforeText } from "../../views/index.ts";
import { badArgument } from "../codes.ts";
import { taskOf } from "../read-arguments.ts";
import { heavyReply } from "../reply.ts";
import { defineTool, hiddenText, runId, workflowName, type NextCall, type Reply, type Tool } from "../tool.ts";
import { fieldsOf, nextReply, plainStatus } from "./drive-tools.ts";
import { infoTool } from "./find-tools.ts";
import { abortReply } from "./run-tools.ts";

const subAgentContext = z.looseObject({ task_id: z.string().optional() }).optional().describe("Only for sub-agents.");

const getInfoTool: Tool = {
  ...infoTool,
  name: "workflow_get_info",
  toolsets: ["seed"],
  canonical: infoTool.name,
  description: "Describe one workflow: name, purpose, inputs, version and where it was found.",
  returns: "`name`, `description`, `inputs`, `version`, `found_at`",
};

const getNextStepTool: Tool = defineTool({
  name: "workflow_get_next_step",
  toolsets: ["seed"],
  canonical: "workflow_next",
  description: "Get the next atomic step of a run. The step is null when none is left; then call workflow_complete.",
  returns:
    "`step`, or null when none is left; no `step` at all while the engine is still at work (`status` says so); `write_call`, which with `updates` makes the writes of the step that are left",
  repeatable: true,
  shape: z.object({ workflow_id: runId, sub_agent_context: subAgentContext, task_id: hiddenText }),
  async run(call, { workflow_id, sub_agent_context, task_id }) {
    return withSeedCall(await nextReply(call, { run: workflow_id, task: task_id ?? taskOf(sub_agent_context) }));
  },
});

/** The same reply with the seed's own tools: a step that was read here is completed here, by its id. */
function withSeedCall(reply: Reply): Reply {
  const { id } = (reply.data["step"] ?? {}) as JsonObject;
  let { text, data } = reply;
  for (const name of ["next_call", "later"]) {
    const call = data[name] as (JsonObject & NextCall) | undefined;
    if (call === undefined) continue;
    const own = inSeedWords(call, id);
    text = text.replace(callText(call), callText(own));
    data = { ...data, [name]: { ...call, ...own } };
  }
  return { ...reply, text, data };
}

function inSeedWords({ tool, arguments: args }: NextCall, step: Json | undefined): NextCall {
  const { run_id: run = "", task_id: task, part } = args;
  if (tool === "workflow_next" && part === undefined) return toNextStep(run, task);
  if (tool !== "workflow_progress" || step === undefined) return { tool, arguments: args };
  return { tool: "workflow_step_complete", arguments: { ...seedPlace(run, task), step_id: step } };
}

function seedPlace(run: Json, task: Json | undefined): JsonObject {
  return { workflow_id: run, ...(task === undefined ? {} : { sub_agent_context: { task_id: task } }) };
}

function toNextStep(run: Json, task: Json | undefined): NextCall {
  return { tool: "workflow_get_next_step", arguments: seedPlace(run, task) };
}

const stepCompleteTool: Tool = defineTool({
  name: "workflow_step_complete",
  toolsets: ["seed"],
  canonical: "workflow_progress",
  description: "Mark a step as done or failed, with its result unless workflow_state_update stored it.",
  returns: "`success`",
  repeatable: true,
  shape: z.object({
    workflow_id: runId,
    step_id: z.string().min(1),
    status: z.enum(["success", "failed", "completed", "skipped"]).optional(),
    result: z.unknown().optional().describe("What the step asks for."),
    sub_agent_context: subAgentContext,
    error: z.string().optional().describe("Why it failed."),
    task_id: hiddenText,
    action_id: hiddenText,
  }),
  async run(call, args) {
    const { workflow_id: run, step_id: step, status, result, sub_agent_context: context, error, task_id, action_id: action, ...own } = args;
    const task = task_id ?? taskOf(context);
    const named = { run, step, ...defined({ action, task }) };
    const tasks = await tasksTaken(call.engine, call.caller, { ...named, ...plainStatus(status) });
    if (tasks !== undefined) return continueReply(run, task, `${tasks.step} ends by itself when its tasks are done. Continue beside it.`);
    const meant = await attemptMeant(call.engine, call.caller, {
      ...named,
      shownOnly: true,
      ...call.waiting,
      ...defined({ result: result as Json | undefined, error }),
      ...(await fieldsOf(call, "workflow_step_complete", named, { status, own })),
    });
    const done = await report(call.engine, call.caller, meant);
    const { recorded } = done;
    const said = recorded === "before" ? reportedBeforeText(done.step, done.by) : `${done.step} is recorded.`;
    return continueReply(meant.run, (await taskAfter(call.engine, meant.run, done.action)) ?? task, said, { recorded });
  },
});

/** What became of the report, and the call for the next step. */
function continueReply(run: string, task: string | undefined, said: string, facts: JsonObject = {}): Reply {
  const next = toNextStep(run, task);
  const data = { success: true, run_id: run, ...facts, ...followingData({ next_call: next }) };
  return { text: `${said}\nNext: ${callText(next)}`, data };
}

const loadDefinitionTool: Tool = defineTool({
  name: "workflow_load_definition",
  toolsets: ["seed"],
  description: "Read a workflow's whole definition with its imports merged in.",
  returns: "`name`, `steps`, `state_schema`, `sub_agent_tasks`, `loaded_from`, `source`, `resolved_imports`",
  reads: true,
  shape: z.object({ workflow: workflowName }),
  async run(call, { workflow }) {
    const loaded = await call.engine.catalog.load(workflow);
    const { definition, name } = loaded.info;
    const { raw = {}, state, computed = {} } = (definition["state_schema"] ?? {}) as JsonObject;
    return heavyReply(call, {
      head: `${name}, loaded from ${loaded.path}:`,
      heavy: ["steps", "state_schema", "sub_agent_tasks", "resolved_imports"],
      data: {
        name,
        steps: definition["steps"] ?? [],
        state_schema: { raw, ...defined({ state }), computed },
        sub_agent_tasks: definition["sub_agent_tasks"] ?? {},
        loaded_from: loaded.path,
        source: loaded.source,
        resolved_imports: [...loaded.imports],
      },
    });
  },
});

const runsPerPage = 100;

const cancelTool: Tool = defineTool({
  name: "workflow_cancel",
  toolsets: ["seed"],
  canonical: "workflow_abort",
  description: "Cancel a run for good, or every open run of this workspace; only when the user asks for it.",
  returns: "`success`, `status`; with cancel_all `cancelled`, the ids",
  destroys: true,
  repeatable: true,
  shape: z.object({ session_id: z.string().optional(), cancel_all: z.boolean().optional(), reason: z.string().optional() }),
  async run(call, { session_id, cancel_all, reason }) {
    if ((session_id === undefined) === (cancel_all !== true))
      throw badArgument("workflow_cancel", ["it takes either `session_id` or `cancel_all: true`"], "session_id or cancel_all, reason?");
    if (session_id !== undefined) return abortReply(call, session_id, reason);
    const cancelled: string[] = [];
    for (;;) {
      const open = await runs(call.engine, { status: ["running"], limit: runsPerPage });
      const left = open.filter(({ id }) => !cancelled.includes(id));
      if (left.length === 0) break;
      for (const { id } of left) {
        await end(call.engine, call.caller, { run: id, status: "cancelled", ...defined({ reason }) });
        cancelled.push(id);
      }
    }
    const instruction = `${counted(cancelled.length, "run is", "runs are")} cancelled. Journals and states are kept.`;
    return { text: instruction, data: { success: true, status: "cancelled", cancelled: cancelled.slice(0, 50), instruction } };
  },
});

export const seedTools: readonly Tool[] = [getInfoTool, getNextStepTool, stepCompleteTool, loadDefinitionTool, cancelTool];

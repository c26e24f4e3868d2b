import * as z from "zod";
import type { Json, JsonObject } from "../../base/index.ts";
import { attemptMeant, end, report, runs, taskAfter, tasksTaken, type Reported } from "../../engine/index.ts";
import { callText } from "../../views/index.ts";
import { taskOf } from "../read-arguments.ts";
import { heavyReply } from "../reply.ts";
import { hiddenText, runId, workflowName } from "../shapes.ts";
import { defineTool, type Reply, type Tool } from "../tool.ts";
import { badArgument } from "../codes.ts";
import { addedTopic, finding, proposedChange } from "../checklist/report-checklist.ts";
import { fieldsOf, plainStatus } from "../report-fields.ts";
import { nextReply } from "./drive-tools.ts";
import { infoReply } from "./find-tools.ts";
import { abortReply } from "./lifecycle-tools.ts";

const subAgentContext = z.looseObject({ task_id: z.string().optional() }).optional().describe("Only for sub-agents.");

export const getInfoTool: Tool = defineTool({
  name: "workflow_get_info",
  toolsets: ["seed"],
  canonical: "workflow_info",
  description: "Describe one workflow: name, purpose, inputs, version and where it was found.",
  returns: "`name`, `description`, `inputs`, `version`, `found_at`",
  reads: true,
  shape: z.object({ workflow: workflowName }),
  run: (call, { workflow }) => infoReply(call, workflow),
});

export const getNextStepTool: Tool = defineTool({
  name: "workflow_get_next_step",
  toolsets: ["seed"],
  canonical: "workflow_next",
  description: "Get the next atomic step of a run. The step is null when none is left; then call workflow_complete.",
  returns:
    "`step`, or null when none is left; no `step` at all while the engine is still at work (`status` says so), or for a checklist's own entries, which come as `next_action`; `write_call`, which with `updates` makes the writes of the step that are left",
  repeatable: true,
  shape: z.object({
    workflow_id: runId,
    sub_agent_context: subAgentContext,
    task_id: hiddenText,
  }),
  async run(call, { workflow_id, sub_agent_context, task_id }) {
    return withSeedCall(await nextReply(call, { run: workflow_id, task: task_id ?? taskOf(sub_agent_context) }));
  },
});

type Call = { readonly tool: string; readonly arguments: JsonObject };

/** The same reply with the seed's own tools: a step that was read here is completed here, by its id. */
function withSeedCall(reply: Reply): Reply {
  const { next_call: next, later, step } = reply.data as JsonObject & { readonly next_call?: Call; readonly later?: Call };
  const { id } = (step ?? {}) as JsonObject;
  const [now, then] = [next, later].map((call) => (call === undefined ? undefined : inSeedWords(call, id)));
  let { text } = reply;
  for (const [from, to] of [
    [next, now],
    [later, then],
  ])
    if (from !== undefined && to !== undefined) text = text.replace(callText(from), callText(to));
  return {
    ...reply,
    text,
    data: {
      ...reply.data,
      ...(now === undefined ? {} : { next_call: now }),
      ...(then === undefined ? {} : { later: { ...later, ...then } }),
    },
  };
}

function inSeedWords({ tool, arguments: args }: Call, step: Json | undefined): Call {
  const { run_id: run, task_id: task, part } = args;
  const own = { workflow_id: run ?? "", ...(task === undefined ? {} : { sub_agent_context: { task_id: task } }) };
  if (tool === "workflow_next" && part === undefined) return { tool: "workflow_get_next_step", arguments: own };
  if (tool !== "workflow_progress" || step === undefined) return { tool, arguments: args };
  return { tool: "workflow_step_complete", arguments: { ...own, step_id: step } };
}

export const stepCompleteTool: Tool = defineTool({
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
    skip_reason: z.string().optional(),
    findings: z.array(finding).optional().meta({ hidden: true }),
    proposed_changes: z.array(proposedChange).optional().meta({ hidden: true }),
    expand_checklist: z.array(addedTopic).optional().meta({ hidden: true }),
  }),
  async run(call, args) {
    const { workflow_id: run, step_id: step, error, action_id: action } = args;
    const { skip_reason, findings, proposed_changes, expand_checklist } = args;
    const task = args.task_id ?? taskOf(args.sub_agent_context);
    const named = { run, step, ...(action === undefined ? {} : { action }), ...(task === undefined ? {} : { task }) };
    const tasks = await tasksTaken(call.engine, call.caller, { ...named, ...plainStatus(args.status) });
    if (tasks !== undefined) return onBesideReply(run, tasks.step, task);
    const { status, more } = await fieldsOf(call, "workflow_step_complete", named, {
      status: args.status,
      own: { skip_reason, findings, proposed_changes, expand_checklist },
    });
    const meant = await attemptMeant(call.engine, call.caller, {
      ...named,
      shownOnly: true,
      ...call.waiting,
      ...(args.result === undefined ? {} : { result: args.result as Json }),
      ...(status === undefined ? {} : { status }),
      ...(more === undefined ? {} : { more }),
      ...(error === undefined ? {} : { error }),
    });
    const done = await report(call.engine, call.caller, meant);
    return completedReply(meant.run, done, (await taskAfter(call.engine, meant.run, done.action)) ?? task);
  },
});

function completedReply(run: string, done: Reported, task: string | undefined): Reply {
  const next = toNextStep(run, task);
  const said = done.recorded === "before" ? `${done.step} was reported before; nothing was changed.` : `${done.step} is recorded.`;
  return { text: `${said}\nNext: ${callText(next)}`, data: { success: true, run_id: run, recorded: done.recorded, next_call: next } };
}

function toNextStep(run: string, task: string | undefined): Call {
  const own = task === undefined ? {} : { sub_agent_context: { task_id: task } };
  return { tool: "workflow_get_next_step", arguments: { workflow_id: run, ...own } };
}

/** Nobody waits for the tasks of the step: its holder continues. */
function onBesideReply(run: string, step: string, task: string | undefined): Reply {
  const next = toNextStep(run, task);
  return {
    text: `${step} ends by itself when its tasks are done. Continue beside it.\nNext: ${callText(next)}`,
    data: { success: true, run_id: run, next_call: next },
  };
}

export const loadDefinitionTool: Tool = defineTool({
  name: "workflow_load_definition",
  toolsets: ["seed"],
  description: "Read a workflow's whole definition with its imports merged in.",
  returns: "`name`, `steps`, `state_schema`, `sub_agent_tasks`, `loaded_from`, `source`, `resolved_imports`",
  reads: true,
  shape: z.object({ workflow: workflowName }),
  async run(call, { workflow }) {
    const loaded = await call.engine.catalog.load(workflow);
    const { definition, name } = loaded.info;
    const schema = (definition["state_schema"] ?? {}) as JsonObject;
    return heavyReply(call, {
      head: `${name}, loaded from ${loaded.path}:`,
      heavy: ["steps", "state_schema", "sub_agent_tasks", "resolved_imports"],
      data: {
        name,
        steps: definition["steps"] ?? [],
        state_schema: {
          raw: schema["raw"] ?? {},
          ...(schema["state"] === undefined ? {} : { state: schema["state"] }),
          computed: schema["computed"] ?? {},
        },
        sub_agent_tasks: definition["sub_agent_tasks"] ?? {},
        loaded_from: loaded.path,
        source: loaded.source,
        resolved_imports: [...loaded.imports],
      },
    });
  },
});

const runsPerPage = 100;

export const cancelTool: Tool = defineTool({
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
        await end(call.engine, call.caller, { run: id, status: "cancelled", ...(reason === undefined ? {} : { reason }) });
        cancelled.push(id);
      }
    }
    const instruction = `${cancelled.length} ${cancelled.length === 1 ? "run is" : "runs are"} cancelled. Journals and states are kept.`;
    return { text: instruction, data: { success: true, status: "cancelled", cancelled: cancelled.slice(0, 50), instruction } };
  },
});

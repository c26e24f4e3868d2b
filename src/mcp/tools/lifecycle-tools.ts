import * as z from "zod";
import { isWaymarkError, type JsonObject } from "../../base/index.ts";
import { checkpoint, end, maskSecrets, readState, resume, retry, type RunHandle } from "../../engine/index.ts";
import { lastCheckpoint, resumeText } from "../../views/index.ts";
import { cutText, cutValue } from "../cut-value.ts";
import { plainText } from "../plain-text.ts";
import { positionReply, type ReplyLimit } from "../position-reply.ts";
import { heavyReply } from "../reply.ts";
import { resumeView } from "../resume-view.ts";
import { roughTokens } from "../rough-tokens.ts";
import { runId, taskId } from "../shapes.ts";
import { defineTool, type Reply, type Tool, type ToolCall } from "../tool.ts";

export const completeTool: Tool = defineTool({
  name: "workflow_complete",
  toolsets: ["default"],
  description:
    "Finish a run that has no steps left and get its final state. Refused while steps are open, unless it ends as failed or cancelled.",
  returns: "`success`, `status`, `final_state`",
  entry: true,
  repeatable: true,
  shape: z.object({ run_id: runId, status: z.enum(["success", "failed", "cancelled"]).optional().describe("Default success.") }),
  async run(call, { run_id, status = "success" }) {
    const ended = await end(call.engine, call.caller, { run: run_id, status: status === "success" ? "completed" : status });
    return finalReply(call, run_id, ended);
  },
});

async function finalReply(call: ToolCall, run: string, ended: { readonly status: string; readonly final: JsonObject }): Promise<Reply> {
  const text = `${JSON.stringify(ended.final, null, 2)}\n`;
  return heavyReply(call, {
    head: `Run ${run} is ${ended.status}. Final state:`,
    heavy: ["final_state"],
    data: { success: true, run_id: run, status: ended.status, final_state: ended.final },
    tail: "Summarise the result for the user.",
    pointer: async () =>
      `The state is cut here; all ${text.length} characters are in ${await call.engine.host.views.write(`final/${run}.json`, text)}.`,
  });
}

export const abortTool: Tool = defineTool({
  name: "workflow_abort",
  toolsets: ["default"],
  description: "Cancel a run for good; only when the user asks for it.",
  returns: "`success`, `status`",
  destroys: true,
  repeatable: true,
  shape: z.object({ run_id: runId, reason: z.string().optional() }),
  async run(call, { run_id, reason }) {
    const ended = await end(call.engine, call.caller, { run: run_id, status: "cancelled", ...(reason === undefined ? {} : { reason }) });
    const instruction = `Run ${run_id} is ${ended.status}. Its journal and state are kept.`;
    return { text: instruction, data: { success: true, run_id, status: ended.status, instruction } };
  },
});

export const retryTool: Tool = defineTool({
  name: "workflow_retry",
  toolsets: ["default"],
  description: "Let a failed or blocked run go on where it stopped, after its cause is mended.",
  returns: "what `workflow_next` gives",
  shape: z.object({ run_id: runId, reset_counts: z.boolean().optional().describe("Count retries from zero.") }),
  async run(call, { run_id, reset_counts }) {
    return positionReply(call, await retry(call.engine, call.caller, { run: run_id, ...call.waiting, resetCounts: reset_counts === true }));
  },
});

/** What both parts of a resume may cost together, by the rough estimate. */
const inTokens: ReplyLimit = { most: 780, chars: 1800, measure: ({ text, data }) => roughTokens(text) + roughTokens(JSON.stringify(data)) };

export const resumeTool: Tool = defineTool({
  name: "workflow_resume",
  toolsets: ["default"],
  description: "Take over a run in a new conversation and get its state in short and its open step. Whoever drove it before loses it.",
  returns: "`workflow_id`, `status`, `state` in short, `last_checkpoint`, and the open `step`; at most 800 tokens",
  repeatable: true,
  shape: z.object({ run_id: runId, task_id: taskId }),
  async run(call, { run_id, task_id }) {
    const position = await resume(call.engine, call.caller, {
      run: run_id,
      ...call.waiting,
      ...(task_id === undefined ? {} : { task: task_id }),
    });
    const { state: flat } = await readState(call.engine, run_id);
    const { state, around } = resumeView(position, flat);
    const mark = lastCheckpoint(position.program, position.state);
    return positionReply(call, position, inTokens, {
      data: (level) => ({
        workflow_id: run_id,
        status: position.state.status,
        state: level === undefined ? state : cutValue(state, level),
        last_checkpoint: level === undefined ? mark : cutValue(mark, { chars: 60, entries: 5, depth: 1 }),
        ...(level === undefined ? around : (cutValue(around, level) as JsonObject)),
      }),
      lines: (level) => [
        `Resumed run ${run_id}; last checkpoint at ${cutText(plainText(mark["step_id"]), 60)}.`,
        ...Object.entries(around).map(([key, value]) => `${key}: ${JSON.stringify(level === undefined ? value : cutValue(value, level))}`),
        `State: ${JSON.stringify(level === undefined ? state : cutValue(state, level))}`,
      ],
    });
  },
});

export const checkpointTool: Tool = defineTool({
  name: "workflow_checkpoint",
  toolsets: ["default"],
  description: "Save a named checkpoint when your context is nearly full, and get the text for the next conversation.",
  returns: "`checkpoint_id`, `state_path`, `resume_text`, and the `message` of the workflow for this case",
  shape: z.object({
    run_id: runId,
    reason: z.string().optional(),
    step_id: z.string().optional().describe("Default: the open step."),
  }),
  async run(call, { run_id, reason, step_id }) {
    const before = await call.engine.runs.open(run_id);
    const policy = before.program.parts[before.program.main]?.onHighContext;
    const { mark, statePath, handle } = await checkpoint(call.engine, call.caller, {
      run: run_id,
      reason: reason ?? policy?.reason ?? "asked for by the agent",
      ...(step_id === undefined ? {} : { step: step_id }),
    });
    const text = resumeText(run_id, handle.state.workflow);
    const message =
      policy === undefined ? undefined : cutText(await renderMessage(call, handle, policy.message), Math.floor(call.replyChars / 4));
    const instruction = "Show the user this, then stop. The run goes on in a new conversation that begins with the resume text.";
    return {
      text: [
        `Checkpoint ${mark.id} of run ${run_id}; state in ${statePath}`,
        instruction,
        ...(message === undefined ? [] : [message]),
        `Resume text: ${text}`,
      ].join("\n"),
      data: {
        checkpoint_id: mark.id,
        state_path: statePath,
        resume_text: text,
        run_id,
        status: handle.state.status,
        instruction,
        ...(message === undefined ? {} : { message }),
      },
    };
  },
});

/** The workflow's message with its templates filled in; as written when they cannot be. */
async function renderMessage(call: ToolCall, handle: RunHandle, message: string): Promise<string> {
  const { program, state, id } = handle;
  const at = await call.engine.store.now();
  try {
    const outcome = await call.engine.evaluator.evaluate({
      run: id,
      program,
      scopes: state.scopes,
      scope: "run",
      exprs: { message: { as: "text", of: message } },
      locals: {},
      globals: { workflow_id: id },
      functions: { now: () => new Date(at).toISOString(), uuid: () => call.engine.host.uuid() },
    });
    return outcome.ok ? maskSecrets(plainText(outcome.values["message"] ?? message), program, state) : message;
  } catch (error) {
    if (isWaymarkError(error)) return message;
    throw error;
  }
}

import * as z from "zod";
import { defined, type JsonObject, counted, cutText } from "../../base/index.ts";
import { checkpoint, end, note, resume, retryWithCalled } from "../../engine/index.ts";
import { becameText, resumeText } from "../../views/index.ts";
import type { ReplyLimit } from "../page-reply.ts";
import { highContextMessage, isChosen, resumeData, resumePart } from "../part-of-run.ts";
import { around, dialectAt, nothingAround, ownReply, positionReply } from "../position-reply.ts";
import { heavyReply } from "../reply.ts";
import { plainText } from "../reply-text.ts";
import { roughTokens } from "../rough-tokens.ts";
import { defineTool, runId, taskId, type Reply, type Surrounding, type Tool, type ToolCall } from "../tool.ts";

export const completeTool: Tool = defineTool({
  name: "workflow_complete",
  description:
    "Finish a run that has no steps left and get its final state. Refused while steps are open, unless it ends as failed or cancelled.",
  returns: "`success`, `status`, `final_state`",
  entry: true,
  repeatable: true,
  givesParts: true,
  shape: z.object({
    run_id: runId,
    status: z.enum(["success", "failed", "cancelled"]).optional().describe("Default success."),
  }),
  async run(call, args) {
    const { run_id: run, status = "success" } = args;
    const reply = await ownReply(call, "workflow_complete", args);
    if (reply !== undefined) return reply;
    const ended = await end(call.engine, call.caller, { run, status: status === "success" ? "completed" : status });
    return finalReply(call, run, ended);
  },
});

/** The end of a run with its final state, and with what its dialects add: short fields, and lists of them that may be cut. */
export function finalReply(
  call: ToolCall,
  run: string,
  ended: { readonly status: string; readonly final: JsonObject },
  { data, heavy, lines }: Surrounding = nothingAround,
): Promise<Reply> {
  return heavyReply(call, {
    head: [`Run ${run} ${becameText(ended.status)}.`, ...lines(data), "Final state:"].join(" "),
    heavy: ["final_state", ...heavy],
    data: { success: true, run_id: run, status: ended.status, final_state: ended.final, ...data },
    tail: "Summarise the result for the user.",
  });
}

const abortTool: Tool = defineTool({
  name: "workflow_abort",
  description: "Cancel a run for good; only when the user asks for it.",
  returns: "`success`, `status`",
  destroys: true,
  repeatable: true,
  shape: z.object({ run_id: runId, reason: z.string().optional() }),
  run: (call, { run_id, reason }) => abortReply(call, run_id, reason),
});

export async function abortReply(call: ToolCall, run: string, reason: string | undefined): Promise<Reply> {
  const ended = await end(call.engine, call.caller, { run, status: "cancelled", ...defined({ reason }) });
  const instruction = `Run ${run} ${becameText(ended.status)}. Its journal and state are kept.`;
  return { text: instruction, data: { success: true, run_id: run, status: ended.status, instruction } };
}

const retryTool: Tool = defineTool({
  name: "workflow_retry",
  description: "Continue a failed or blocked run where it stopped, once its cause is fixed.",
  returns: "what `workflow_next` gives",
  shape: z.object({ run_id: runId, reset_counts: z.boolean().optional().describe("Count retries from zero.") }),
  async run(call, args) {
    const reply = await ownReply(call, "workflow_retry", args);
    if (reply !== undefined) return reply;
    const request = { run: args.run_id, ...call.waiting, resetCounts: args.reset_counts === true };
    const { opened, position } = await retryWithCalled(call.engine, call.caller, request);
    return positionReply(call, position, opened === 0 ? nothingAround : aroundOpened(opened));
  },
});

/** How much of what failed is open again. */
export function aroundOpened(opened: number): Surrounding {
  return around({ reopened: opened }, opened === 0 ? [] : [`${counted(opened, "file or item is", "files and items are")} open again.`]);
}

/** What both parts of a resume may cost together, by the rough estimate. */
const inTokens: ReplyLimit = { most: 790, chars: 1800, measure: ({ text, data }) => roughTokens(text) + roughTokens(JSON.stringify(data)) };

/** Characters of a field that the author chose and that stays where a step is cut for want of room. */
const shortField = 200;

const resumeTool: Tool = defineTool({
  name: "workflow_resume",
  description:
    "Continue a run in a new conversation and get its state in short and its open step. Refused while another agent works on it.",
  returns: "`workflow_id`, `status`, `state` as far as there is room, `last_checkpoint`, and the open `step`; at most 800 tokens",
  repeatable: true,
  shape: z.object({ run_id: runId, task_id: taskId }),
  async run(call, { run_id, task_id }) {
    const position = await resume(call.engine, call.caller, { run: run_id, ...call.waiting, ...defined({ task: task_id }) });
    const { run } = position;
    const standing = dialectAt(call, position)?.standing;
    if (standing !== undefined) return standing(call, position, around({ workflow_id: run }, [`Resumed run ${run}.`]));
    const fields = await resumeData(call, position);
    const mark = fields["last_checkpoint"] as JsonObject;
    const heavy = Object.keys(fields);
    const beside = heavy.filter((key) => key !== "last_checkpoint" && key !== "state");
    const surrounding = {
      data: { workflow_id: run, status: position.state.status, ...fields },
      heavy,
      spare: isChosen(position) ? beside.filter((key) => plainText(fields[key]).length > shortField) : beside,
      under: resumePart,
      lines: (shown: JsonObject) => [
        `Resumed run ${run}; last checkpoint at ${cutText(plainText(mark["step_id"]), 60)}.`,
        ...beside.filter((key) => key in shown).map((key) => `${key}: ${JSON.stringify(shown[key])}`),
        `State: ${JSON.stringify(shown["state"] ?? null)}`,
      ],
    };
    return positionReply(call, position, surrounding, inTokens);
  },
});

const checkpointTool: Tool = defineTool({
  name: "workflow_checkpoint",
  description: "Save a named checkpoint when your context is nearly full, and get the text for the next conversation.",
  returns: "`checkpoint_id`, `state_path`, `resume_text`, and the `message` of the workflow for this case",
  shape: z.object({
    run_id: runId,
    reason: z.string().optional(),
    step_id: z.string().optional().describe("Default: the open step."),
  }),
  async run(call, { run_id: run, reason, step_id: step }) {
    const { program } = await call.engine.runs.open(run);
    const { mark, statePath, handle } = await checkpoint(call.engine, call.caller, {
      run,
      reason: reason ?? program.parts[program.main]?.onHighContext?.reason ?? "asked for by the agent",
      ...defined({ step }),
    });
    const text = resumeText(run, handle.state.workflow);
    const message = await highContextMessage(call, handle);
    const instruction = "Show the user this, then stop. The run continues in a new conversation that begins with the resume text.";
    const status = { run_id: run, status: handle.state.status };
    return heavyReply(call, {
      head: `Checkpoint ${mark.id} of run ${run}; state in ${statePath}\n${instruction}`,
      data: { checkpoint_id: mark.id, state_path: statePath, resume_text: text, ...status, instruction, ...defined({ message }) },
      heavy: ["message"],
      render: ({ message: shown }) => plainText(shown),
      tail: `Resume text: ${text}`,
      rest: (part) => ({ tool: "workflow_next", arguments: { run_id: run, part: { ...part } } }),
    });
  },
});

const tellTool: Tool = defineTool({
  name: "workflow_tell",
  description: "Pass on what the user said about a run. It is kept and shown with the step it concerns; it answers no question.",
  returns: "`noted`, `run_id`, and `for` when it waits for a state, role, task or step",
  shape: z.object({
    run_id: runId,
    message: z.string().trim().min(1).describe("In the user's words."),
    for: z.string().optional().describe("State, role, task or step. Default: the next step."),
  }),
  async run(call, { run_id, message, for: target }) {
    const { known } = await note(call.engine, call.caller, { run: run_id, text: message, ...defined({ target }) });
    const when = target === undefined ? "the next step" : `\`${target}\`${known ? "" : ", if something is called so later"}`;
    return {
      text: `Noted for run ${run_id}: it is shown with ${when}. Continue with workflow_next.`,
      data: { noted: true, run_id, ...defined({ for: target }) },
    };
  },
});

export const runTools: readonly Tool[] = [resumeTool, retryTool, abortTool, checkpointTool, tellTool];

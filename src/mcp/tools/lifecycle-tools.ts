import * as z from "zod";
import type { JsonObject } from "../../base/index.ts";
import { begunRuns, checklistOf, reopenFailed, retryWithCalled } from "../../dialects/checklist/run/index.ts";
import { checkpoint, end, next, resume } from "../../engine/index.ts";
import { resumeText } from "../../views/index.ts";
import { checklistReply, isChecklist } from "../checklist/checklist-reply.ts";
import { calledReport, finishChecklist } from "../checklist/finish-checklist.ts";
import { standingReply } from "../checklist/standing-reply.ts";
import { badArgument } from "../codes.ts";
import { cutText } from "../cut-text.ts";
import { inCharacters, pageReply, type ReplyLimit } from "../page-reply.ts";
import { highContextMessage, resumeData, resumePart } from "../part-of-run.ts";
import { plainText } from "../plain-text.ts";
import { around, nothingAround, positionReply } from "../position-reply.ts";
import { heavyReply } from "../reply.ts";
import { isChosen } from "../resume-view.ts";
import { roughTokens } from "../rough-tokens.ts";
import { runId, taskId } from "../shapes.ts";
import { defineTool, type Reply, type Tool, type ToolCall } from "../tool.ts";

export const completeTool: Tool = defineTool({
  name: "workflow_complete",
  toolsets: ["default"],
  description:
    "Finish a run that has no steps left and get its final state. Refused while steps are open, unless it ends as failed or cancelled.",
  returns:
    "`success`, `status`, `final_state`; of a checklist `summary`, `report`, `report_path`, `top_issues`, `recommendations`; of a run that called checklists also `report_path`, `top_issues`",
  entry: true,
  repeatable: true,
  givesParts: true,
  shape: z.object({
    run_id: runId,
    status: z.enum(["success", "failed", "cancelled"]).optional().describe("Default success."),
    generate_report: z.boolean().optional().meta({ hidden: true }),
    report_format: z.enum(["markdown", "json", "html"]).optional(),
    apply_changes: z.boolean().optional().describe("Write what was proposed."),
    interim: z.boolean().optional().describe("Report without ending."),
  }),
  async run(call, args) {
    const { run_id: run, status = "success", generate_report: report = true, report_format: format = "markdown" } = args;
    const handle = await call.engine.runs.open(run);
    const isOwn = checklistOf(handle) !== undefined;
    const calls = !isOwn && begunRuns(handle).length > 0;
    if (!isOwn) refuseWishes(args, calls);
    if (status !== "success") return finalReply(call, run, await end(call.engine, call.caller, { run, status }));
    const [interim, applyChanges] = [args.interim === true, args.apply_changes === true];
    if (interim && applyChanges) throw badArgument("workflow_complete", ["an interim report applies nothing"], "interim, or apply_changes");
    if (isOwn || (calls && interim)) return finishChecklist(call, { run, report, format, applyChanges, interim });
    const ended = await end(call.engine, call.caller, { run, status: "completed" });
    return finalReply(call, run, ended, calls && report ? await calledReport(call, run, format) : {});
  },
});

/** Of a run that is not of a checklist: what it calls can be reported, but its proposed changes are not applied. */
function refuseWishes(args: Readonly<Record<string, unknown>>, calls: boolean): void {
  const wishes = calls ? ["apply_changes"] : ["generate_report", "report_format", "apply_changes", "interim"];
  const given = wishes.filter((name) => args[name] !== undefined);
  if (given.length === 0) return;
  throw badArgument(
    "workflow_complete",
    given.map((name) => `\`${name}\` is for checklists`),
    calls ? "run_id, status?, report_format?, interim?" : "run_id, status?",
  );
}

async function finalReply(
  call: ToolCall,
  run: string,
  ended: { readonly status: string; readonly final: JsonObject },
  held: JsonObject = {},
): Promise<Reply> {
  const report = held["report_path"] === undefined ? "" : ` The report of its checklists is in ${plainText(held["report_path"])}.`;
  return heavyReply(call, {
    head: `Run ${run} is ${ended.status}.${report} Final state:`,
    heavy: ["final_state", ...(held["top_issues"] === undefined ? [] : ["top_issues"])],
    data: { success: true, run_id: run, status: ended.status, final_state: ended.final, ...held },
    tail: "Summarise the result for the user.",
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
  run: (call, { run_id, reason }) => abortReply(call, run_id, reason),
});

export async function abortReply(call: ToolCall, run: string, reason: string | undefined): Promise<Reply> {
  const ended = await end(call.engine, call.caller, { run, status: "cancelled", ...(reason === undefined ? {} : { reason }) });
  const instruction = `Run ${run} is ${ended.status}. Its journal and state are kept.`;
  return { text: instruction, data: { success: true, run_id: run, status: ended.status, instruction } };
}

export const retryTool: Tool = defineTool({
  name: "workflow_retry",
  toolsets: ["default"],
  description: "Continue a failed or blocked run where it stopped, once its cause is fixed.",
  returns: "what `workflow_next` gives",
  shape: z.object({ run_id: runId, reset_counts: z.boolean().optional().describe("Count retries from zero.") }),
  async run(call, { run_id, reset_counts }) {
    if (checklistOf(await call.engine.runs.open(run_id)) !== undefined) return retryChecklist(call, run_id, reset_counts);
    const request = { run: run_id, ...call.waiting, resetCounts: reset_counts === true };
    const { opened, position } = await retryWithCalled(call.engine, call.caller, request);
    return positionReply(
      call,
      position,
      inCharacters(call),
      opened === 0 ? nothingAround : around({ reopened: opened }, [openedLine(opened)]),
    );
  },
});

/** What failed is open again; tries of a checklist always count from zero. */
async function retryChecklist(call: ToolCall, run: string, resetCounts: boolean | undefined): Promise<Reply> {
  if (resetCounts === false) throw badArgument("workflow_retry", ["a checklist always counts from zero"], "run_id");
  const opened = await reopenFailed(call.engine, call.caller, run);
  const position = await next(call.engine, call.caller, { run, ...call.waiting });
  return standingReply({ call }, position, around({ reopened: opened }, opened === 0 ? [] : [openedLine(opened)]));
}

function openedLine(opened: number): string {
  return `${opened} ${opened === 1 ? "file or item is" : "files and items are"} open again.`;
}

/** What both parts of a resume may cost together, by the rough estimate. */
const inTokens: ReplyLimit = { most: 780, chars: 1800, measure: ({ text, data }) => roughTokens(text) + roughTokens(JSON.stringify(data)) };

/** Characters of a field that the author chose and that stays where a step is cut for want of room. */
const shortField = 200;

export const resumeTool: Tool = defineTool({
  name: "workflow_resume",
  toolsets: ["default"],
  description: "Take over a run in a new conversation and get its state in short and its open step. Its former driver loses it.",
  returns: "`workflow_id`, `status`, `state` as far as there is room, `last_checkpoint`, and the open `step`; at most 800 tokens",
  repeatable: true,
  shape: z.object({ run_id: runId, task_id: taskId }),
  async run(call, { run_id, task_id }) {
    const position = await resume(call.engine, call.caller, {
      run: run_id,
      ...call.waiting,
      ...(task_id === undefined ? {} : { task: task_id }),
    });
    if (isChecklist(position))
      return checklistReply({ call }, position, { lines: [`Resumed run ${position.run}.`], data: { workflow_id: position.run } });
    const told = await resumeData(call, position);
    const mark = told["last_checkpoint"] as JsonObject;
    const heavy = Object.keys(told);
    const beside = heavy.filter((key) => key !== "last_checkpoint" && key !== "state");
    return positionReply(call, position, inTokens, {
      data: { workflow_id: position.run, status: position.state.status, ...told },
      heavy,
      spare: isChosen(position) ? beside.filter((key) => plainText(told[key]).length > shortField) : beside,
      under: resumePart,
      lines: (shown) => [
        `Resumed run ${position.run}; last checkpoint at ${cutText(plainText(mark["step_id"]), 60)}.`,
        ...beside.filter((key) => key in shown).map((key) => `${key}: ${JSON.stringify(shown[key])}`),
        `State: ${JSON.stringify(shown["state"] ?? null)}`,
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
    const message = await highContextMessage(call, handle);
    const instruction = "Show the user this, then stop. The run continues in a new conversation that begins with the resume text.";
    return pageReply(call, {
      data: {
        checkpoint_id: mark.id,
        state_path: statePath,
        resume_text: text,
        run_id,
        status: handle.state.status,
        instruction,
        ...(message === undefined ? {} : { message }),
      },
      heavy: [["message"]],
      render: ({ message: shown }, missing) =>
        [`Checkpoint ${mark.id} of run ${run_id}; state in ${statePath}`, instruction, plainText(shown), missing, `Resume text: ${text}`]
          .filter((line) => line !== "")
          .join("\n"),
      rest: (part) => ({ tool: "workflow_next", arguments: { run_id, part: { ...part } } }),
    });
  },
});

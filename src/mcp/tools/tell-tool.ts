import * as z from "zod";
import { note } from "../../engine/index.ts";
import { runId } from "../shapes.ts";
import { defineTool, type Tool } from "../tool.ts";

export const tellTool: Tool = defineTool({
  name: "workflow_tell",
  toolsets: ["default"],
  description: "Pass on what the user said about a run. It is kept and shown with the step it concerns; it answers no question.",
  returns: "`noted`, `run_id`, and `for` when it waits for a state, role, task or step",
  shape: z.object({
    run_id: runId,
    message: z.string().trim().min(1).describe("In the user's words."),
    for: z.string().optional().describe("State, role, task or step. Default: the next step."),
  }),
  async run(call, { run_id, message, for: target }) {
    await note(call.engine, call.caller, { run: run_id, text: message, ...(target === undefined ? {} : { target }) });
    const when = target === undefined ? "the next step" : `\`${target}\``;
    return {
      text: `Noted for run ${run_id}: it is shown with ${when}. Go on with workflow_next.`,
      data: { noted: true, run_id, ...(target === undefined ? {} : { for: target }) },
    };
  },
});

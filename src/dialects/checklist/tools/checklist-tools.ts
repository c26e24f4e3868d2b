import * as z from "zod";
import { checklistOf, reopenFailed, shownAsEverywhere } from "../run/index.ts";
import { next } from "../../../engine/index.ts";
import { aroundOpened, badArgument, type DialectTools, type ToolPart, standingReply } from "../../../mcp/index.ts";
import { batchTool } from "./batch-tool.ts";
import { checklistReply, startedReply } from "./checklist-reply.ts";
import { calledReport, finishedReply } from "./finish-checklist.ts";
import { reportFields, stepFields } from "./report-arguments.ts";
import { entryReported, setAside } from "./report-entry.ts";
import { startPart } from "./start-checklist.ts";
import { checklistStatus } from "./status-checklist.ts";

const statusPart: ToolPart = {
  fields: {
    after: z.string().optional().describe("Only runs older than this one, or files after it."),
    include_all_files: z.boolean().optional().describe("Of a checklist, paged."),
  },
  returns: "of a checklist `progress`, `summary`, `metrics`, `last_completed`, `next_action`, `files`",
  run: async (call, args) => {
    const { run_id: run, after, cursor } = args as Readonly<Record<"run_id" | "after" | "cursor", string>>;
    const allFiles = args["include_all_files"] === true;
    if (checklistOf(await call.engine.runs.open(run)) !== undefined)
      return checklistStatus(call, run, { allFiles: allFiles || (after ?? cursor) !== undefined, after: after ?? cursor });
    if (allFiles) throw badArgument("workflow_status", ["`include_all_files` is for checklists"], "run_id");
    return undefined;
  },
};

const completePart: ToolPart = {
  fields: {
    generate_report: z.boolean().optional().meta({ hidden: true }),
    report_format: z.enum(["markdown", "json", "html"]).optional(),
    apply_changes: z.boolean().optional().describe("Write what was proposed."),
    interim: z.boolean().optional().describe("Report without ending."),
  },
  returns:
    "of a checklist `summary`, `report`, `report_path`, `top_issues`, `recommendations`; of a run that called checklists also `report_path`, `top_issues`",
  run: finishedReply,
};

/** What failed is open again; tries of a checklist always count from zero. */
const retryPart: ToolPart = {
  run: async (call, args) => {
    const { run_id: run, reset_counts: resetCounts } = args as { readonly run_id: string; readonly reset_counts?: boolean };
    if (checklistOf(await call.engine.runs.open(run)) === undefined) return undefined;
    if (resetCounts === false) throw badArgument("workflow_retry", ["a checklist always counts from zero"], "run_id");
    const opened = await reopenFailed(call.engine, call.caller, run);
    const position = await next(call.engine, call.caller, { run, ...call.waiting });
    return standingReply(call, position, aroundOpened(opened));
  },
};

const topicsHint: ToolPart = { hint: "Inside a run, pass the topics on as expand_checklist: [{topic_id, relevance_score}]." };

/** Checklists over files: their batches, the fields of their reports, and replies in the form that their clients know. */
export const checklistTools: DialectTools = {
  dialect: "checklist",
  tools: [batchTool],
  instruction:
    "A checklist gives next_action: do that, then make next_call with what fill_in names. workflow_batch settles many instances at once.",
  workers: true,
  started: startedReply,
  standing: checklistReply,
  asEverywhere: shownAsEverywhere,
  reported: ({ denied }) => setAside(denied),
  report: calledReport,
  parts: {
    workflow_start: startPart,
    workflow_next: {
      fields: { worker: z.string().optional().describe("Your name, if several sub-agents share a checklist.") },
      returns: "of a checklist `progress`, `current_file`, `next_action`",
    },
    workflow_progress: {
      fields: reportFields,
      returns: "of a checklist `recorded` only when it is `before`",
      run: entryReported,
    },
    workflow_status: statusPart,
    workflow_complete: completePart,
    workflow_retry: retryPart,
    workflow_get_next_step: { returns: "a checklist's own entries come as `next_action`, without a `step`" },
    workflow_step_complete: { fields: stepFields },
    analyze_al_code: topicsHint,
    analyze_code: topicsHint,
  },
};

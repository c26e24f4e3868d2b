import * as z from "zod";
import { isObject, isWaymarkError, type JsonObject, type WaymarkError } from "../../../base/index.ts";
import { requireChecklist } from "../run/index.ts";
import {
  anyObject,
  asWorker,
  defineTool,
  runId,
  withDetails,
  type Arguments,
  type Reply,
  type Tool,
  type ToolCall,
} from "../../../mcp/index.ts";
import { sessionArguments } from "./standing-action.ts";
import { batchCommand, batchFilter, confirmationToken, wrong } from "./batch-arguments.ts";
import { groupReply } from "./instance-groups.ts";
import { confirmReply, previewReply, undoReply } from "./run-batch.ts";

const shape = z.object({
  run_id: runId,
  operation: z.string().optional().describe("apply_fixes, skip_instances, flag_for_review, group_by_type or undo"),
  filter: anyObject.optional().describe("instance_types, file_patterns, auto_fixable_only, status, guide, version_step"),
  dry_run: z.boolean().optional().describe("Default true without a token."),
  confirmation_token: z.string().optional(),
  full_diff: z.boolean().optional(),
  reason: z.string().optional().describe("For skips and flags."),
  batch: z.string().optional().describe("To undo; default the last."),
  after: z.string().optional(),
  worker: z.string().optional(),
});

export const batchTool: Tool = defineTool({
  name: "workflow_batch",
  after: "workflow_status",
  toolsets: ["default"],
  description:
    "Fix, skip or flag many instances of a checklist run at once. First a dry run with samples and a confirmation_token; the same call with that token does it.",
  returns:
    "of a dry run `preview`, `sample_changes`, `confirmation_token`, and as `later` the call that confirms it; of a confirmed one `result`, `failures`, `next_action`; of group_by_type `groups`",
  shape,
  async run(given, args) {
    const call = asWorker(given, "workflow_batch", args.worker);
    try {
      return await batchReply(call, args);
    } catch (error) {
      throw isWaymarkError(error) ? withNext(error, call, args.run_id) : error;
    }
  },
});

async function batchReply(call: ToolCall, args: z.output<typeof shape>): Promise<Reply> {
  const { run_id: run, dry_run: dry, full_diff: fullDiff = false, reason } = args;
  requireChecklist(await call.engine.runs.open(run));
  const operation = batchCommand(args.operation);
  const filter = batchFilter(args.filter);
  const token = confirmationToken(args.confirmation_token);
  refuseUseless(operation, args);
  if (operation === "group_by_type") return groupReply(call, run, filter, args.after);
  if (operation === "undo") return undoReply(call, run, args.batch);
  if (token !== undefined && dry !== true)
    return confirmReply(call, { run, filter, token, ...(args.operation === undefined ? {} : { operation }) });
  if (dry === false) throw wrong("`confirmation_token` is missing: make the dry run first and confirm with its token");
  return previewReply(call, { run, operation, filter, reason, fullDiff });
}

/** What an operation would not use is refused, so that nobody thinks it counted. */
function refuseUseless(operation: string, args: Arguments): void {
  const has = (name: string): boolean => args[name] !== undefined;
  if (operation !== "undo" && has("batch")) throw wrong("`batch` is only for undo");
  if (operation === "undo" && (has("filter") || has("confirmation_token") || args["dry_run"] === true))
    throw wrong("undo restores a whole batch at once: it takes `batch` and nothing else");
  if (operation !== "group_by_type" && has("after")) throw wrong("`after` is only for group_by_type");
  if (args["full_diff"] === true && operation !== "apply_fixes") throw wrong("`full_diff` is only for apply_fixes");
}

/**
 * After a token that no longer counts comes the dry run of what was confirmed, so that nothing else is confirmed in its place. What only a
 * person batches is left to them. While a batch is under way comes the call that waits for it.
 */
function withNext(error: WaymarkError, call: ToolCall, run: string): WaymarkError {
  const { dry_run: previewed, waits } = error.details;
  if (waits === true) return withDetails(error, { next_call: { tool: "workflow_next", arguments: sessionArguments(call, run) } });
  if (!isObject(previewed) || previewed["operation"] === "apply_changes") return error;
  const { filter, ...batch } = previewed;
  const only: JsonObject = isObject(filter) && Object.keys(filter).length > 0 ? { filter } : {};
  const args = { run_id: run, ...batch, ...only, dry_run: true, ...sessionArguments(call, run) };
  return withDetails(error, { next_call: { tool: "workflow_batch", arguments: args } });
}

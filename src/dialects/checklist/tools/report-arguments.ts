import * as z from "zod";
import type { Json, JsonObject } from "../../../base/index.ts";
import type { ToolPart } from "../../../mcp/index.ts";

/** Members are named in one line of the description instead of being listed: every token of the list is paid for. */
const hidden = { hidden: true };
const text = z.string().optional().meta(hidden);
const anything = z.unknown().optional().meta(hidden);

const statuses = ["completed", "failed", "skipped", "confirmed", "dismissed"] as const;

const completedAction = z.strictObject({
  action: text,
  file: text,
  checklist_item_id: text,
  status: z.enum(statuses).optional().meta(hidden),
  skip_reason: text,
  identical: z.boolean().optional().meta(hidden),
  error: text,
  choice: anything,
  option: anything,
  result: anything,
  topic_id: text,
});

/**
 * What else a finding or change carries is kept with it. What a part holds is looked at when the report is taken: one that cannot be read
 * is named, and the rest is recorded.
 */
const reportedParts = z.array(z.looseObject({}));
const findings = reportedParts;
const proposedChanges = reportedParts;
const addedTopics = reportedParts;

/** What the report of an entry may carry, in the words of older clients too. */
export const reportFields: NonNullable<ToolPart["fields"]> = {
  completed_action: completedAction.optional().describe("Of a checklist: action, file, checklist_item_id, status, skip_reason, error"),
  status: z.enum(["success", ...statuses]).optional(),
  findings: findings.optional().describe("file, line, severity, category, description, suggestion, related_topic"),
  proposed_changes: proposedChanges
    .optional()
    .describe("file, line_start, line_end, original_code, proposed_code, rationale, impact, auto_applicable"),
  expand_checklist: addedTopics.optional().describe("topic_id, relevance_score, description"),
  // Of all runs that hand out work; here it keeps its place in the list.
  worker: z.string().optional(),
  skip_reason: z.string().optional(),
  identical: z.boolean().optional().describe("Skip all with the same text."),
};

/** The same for a tool that names its step by the author's id. */
export const stepFields: NonNullable<ToolPart["fields"]> = {
  skip_reason: z.string().optional(),
  findings: findings.optional().meta(hidden),
  proposed_changes: proposedChanges.optional().meta(hidden),
  expand_checklist: addedTopics.optional().meta(hidden),
};

type EntryStatus = (typeof statuses)[number];

type Texts<Names extends string> = { readonly [Name in Names]?: string };
type Values<Names extends string> = { readonly [Name in Names]?: Json };

/** A report as the tool's arguments give it. */
export interface ReportArguments
  extends Texts<"action_id" | "task_id" | "step_id" | "worker" | "skip_reason" | "error" | "blocked_until">, Values<"result" | "answer"> {
  readonly run_id: string;
  readonly identical?: boolean;
  readonly status?: "success" | EntryStatus;
  readonly usage?: object;
  readonly completed_action?: CompletedAction;
  readonly findings?: readonly object[];
  readonly proposed_changes?: readonly object[];
  readonly expand_checklist?: readonly JsonObject[];
}

interface CompletedAction
  extends Texts<"action" | "file" | "checklist_item_id" | "skip_reason" | "error" | "topic_id">, Values<"choice" | "option" | "result"> {
  readonly status?: EntryStatus;
  readonly identical?: boolean;
}

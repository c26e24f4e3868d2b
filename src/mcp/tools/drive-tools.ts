import * as z from "zod";
import { defined, type Json, type JsonObject } from "../../base/index.ts";
import { checklistOf, isOfChecklist } from "../../dialects/checklist/run/index.ts";
import { progress, readState, tasksTaken, type NextRequest, type Position } from "../../engine/index.ts";
import { isChecklist, startedReply } from "../checklist/checklist-reply.ts";
import { driverOf } from "../checklist/driver.ts";
import { addedTopic, completedAction, finding, proposedChange, reportChecklist } from "../checklist/report-checklist.ts";
import { checklistOptions, initialProcessing, startInputs, startRun } from "../checklist/start-checklist.ts";
import { nextForWorker } from "../checklist/next-for-worker.ts";
import { setAside } from "../checklist/set-aside.ts";
import { standingReply } from "../checklist/standing-reply.ts";
import { asWorker } from "../checklist/worker.ts";
import { badArgument } from "../codes.ts";
import { followRetry } from "../follow-retry.ts";
import { inCharacters } from "../page-reply.ts";
import { partOfRun } from "../part-of-run.ts";
import { fieldsOf, plainStatus } from "../report-fields.ts";
import { around, nothingAround, positionReply, type Surrounding } from "../position-reply.ts";
import { anyObject, hiddenText, runId, taskId, workerName, workflowName } from "../shapes.ts";
import { defineTool, type Reply, type Tool, type ToolCall } from "../tool.ts";

/** Characters of state that a start shows. */
const wholeState = 1200;

export const startTool: Tool = defineTool({
  name: "workflow_start",
  toolsets: ["default"],
  description:
    "Start a workflow and get its run_id and first step. Then do each step and report it with workflow_progress until the status is completed.",
  returns:
    "`run_id`, `workflow_id`, `status`, `state`, `total_steps`, and the first `step` with `action_id` and `next_call`; of a checklist `session_id`, `autonomous_processing`, `file_inventory`, `analysis_summary`, `phases`, `next_action`",
  entry: true,
  shape: z.object({
    workflow: workflowName,
    inputs: anyObject.optional().describe("As workflow_info lists them."),
    scope: z.enum(["workspace", "directory", "files"]).optional(),
    path: z.string().optional().describe("Of the scope; files with commas."),
    options: checklistOptions
      .optional()
      .describe("bc_version, include_patterns, exclude_patterns, max_files, priority_patterns, source_version, target_version"),
    initial_processing: initialProcessing.optional().describe("run_autonomous_phases, scan_all_patterns, timeout_ms, stream_progress"),
    serial: z.boolean().optional().describe("No sub-agents: do all tasks yourself."),
    budget: z
      .strictObject({
        steps: z.number().optional(),
        minutes: z.number().optional(),
        tokens: z.number().optional(),
        money: z.number().optional(),
      })
      .optional()
      .describe("Limits before a person is asked."),
  }),
  async run(call, args) {
    const { workflow, serial, budget } = args;
    const inputs = startInputs(args);
    const begun = Date.now();
    const started = await startRun(call, {
      workflow,
      ...(inputs === undefined ? {} : { inputs }),
      ...(serial === undefined ? {} : { serial }),
      ...(budget === undefined ? {} : { budget: definedOf(budget) }),
    });
    if (isChecklist(started)) return startedReply({ call }, started, Date.now() - begun);
    const { position, retryOf } = await followRetry(call, started);
    const { state } = await readState(call.engine, position.run);
    return positionReply(call, position, inCharacters(call), aroundStart(position, state, retryOf));
  },
});

function definedOf(limits: Readonly<Record<string, number | undefined>>): Record<string, number> {
  return Object.fromEntries(Object.entries(limits).filter((entry): entry is [string, number] => entry[1] !== undefined));
}

function aroundStart(position: Position, state: JsonObject, retryOf: string | undefined): Surrounding {
  const retried = retryOf === undefined ? "" : ` It is a new attempt after \`${retryOf}\` failed.`;
  const steps = Object.values(position.program.blocks).filter((block) => block.kind === "do").length;
  return {
    data: {
      workflow_id: position.run,
      status: position.state.status,
      state,
      total_steps: steps,
      ...(retryOf === undefined ? {} : { retry_of: retryOf }),
    },
    heavy: ["state"],
    room: wholeState,
    lines: ({ state: shown }) => [
      `Started ${position.state.workflow} as run ${position.run}.${retried}`,
      ...(Object.keys(state).length === 0 ? [] : [`State: ${JSON.stringify(shown)}`]),
    ],
  };
}

export const nextTool: Tool = defineTool({
  name: "workflow_next",
  toolsets: ["default"],
  description: "Get the open step of a run; asking reports nothing.",
  returns:
    "`status`, `step`, `action_id`, `next_call`; `step` is null when none is left; of a checklist `progress`, `current_file`, `next_action`",
  entry: true,
  repeatable: true,
  givesParts: true,
  shape: z.object({ run_id: runId, task_id: taskId, worker: workerName }),
  async run(call, { run_id, task_id, worker }) {
    const steps = await isWithoutWorkers(call, run_id, worker);
    if (steps && call.part !== undefined) return partOfRun(call, { run: run_id, task: task_id }, call.part);
    return nextReply(asWorker(call, "workflow_next", worker), { run: run_id, task: task_id, worker });
  },
});

export interface Asking {
  readonly run: string;
  readonly task?: string | undefined;
  readonly worker?: string | undefined;
  /** Part of the answer to something that was said. */
  readonly follows?: NextRequest["follows"];
}

export async function nextReply(
  call: ToolCall,
  { run, task, worker, follows }: Asking,
  before: Surrounding = nothingAround,
): Promise<Reply> {
  const request = { run, ...call.waiting, ...(task === undefined ? {} : { task }), ...(follows === undefined ? {} : { follows }) };
  const found = await nextForWorker(call, request, { worker });
  if ("text" in found) return found;
  if (call.part !== undefined && !isChecklist(found)) return partOfRun(call, { run, task }, call.part);
  const { position, retryOf } = await followRetry(call, found);
  return standingReply(driverOf(call, worker), position, beside(before, aroundRetry(retryOf)));
}

/** Whether it is the run of something else than a checklist, which has no workers. */
async function isWithoutWorkers(call: ToolCall, run: string, worker: string | undefined): Promise<boolean> {
  const handle = await call.engine.runs.open(run);
  if (checklistOf(handle) !== undefined) return false;
  if (worker === undefined) return true;
  const meant = `\`worker\` is for checklists, and this run is of \`${handle.program.name}\``;
  throw badArgument("workflow_next", [meant], "run_id; task_id if you are a sub-agent");
}

/** Both, when what they add is short. */
function beside(first: Surrounding, second: Surrounding): Surrounding {
  return around({ ...first.data, ...second.data }, [...first.lines(first.data), ...second.lines(second.data)]);
}

function aroundRetry(retryOf: string | undefined): Surrounding {
  if (retryOf === undefined) return nothingAround;
  return around({ retry_of: retryOf }, [`\`${retryOf}\` failed and its workflow asks for a new attempt: continue with the run below.`]);
}

const usage = z.strictObject({ tokens: z.number().optional(), money: z.number().optional() });

const progressShape = z.object({
  run_id: runId,
  action_id: z.string().optional().describe("From the step."),
  task_id: taskId,
  status: z.enum(["success", "completed", "failed", "skipped"]).optional(),
  result: z.unknown().optional().describe("What the step asks for, any JSON value."),
  error: z.string().optional().describe("Why it failed."),
  blocked_until: z.string().optional().describe("ISO time before which you cannot do it (a usage limit)."),
  usage: usage.optional().describe("Tokens or money spent."),
  completed_action: completedAction
    .optional()
    .describe("Of a checklist: action, file, checklist_item_id, status (completed, skipped, failed), skip_reason, error"),
  findings: z.array(finding).optional().describe("file, line, severity, category, description, suggestion, related_topic"),
  proposed_changes: z
    .array(proposedChange)
    .optional()
    .describe("file, line_start, line_end, original_code, proposed_code, rationale, impact, auto_applicable"),
  expand_checklist: z.array(addedTopic).optional().describe("topic_id, relevance_score, description"),
  worker: z.string().optional(),
  answer: z.unknown().optional().meta({ hidden: true }),
  skip_reason: z.string().optional(),
  step_id: hiddenText,
});

export const progressTool: Tool = defineTool({
  name: "workflow_progress",
  toolsets: ["default"],
  description:
    "Report the open step and get the next one. Send the action_id and the result, or status failed with an error. A repeated report changes nothing.",
  returns: "what `workflow_next` gives, and `recorded` (`now` or `before`; of a checklist only `before`)",
  entry: true,
  repeatable: true,
  shape: progressShape,
  async run(call, args) {
    const { run_id: run, action_id: action, task_id: task, step_id: step, status, error } = args;
    const { completed_action, findings, proposed_changes, expand_checklist, worker, answer, skip_reason } = args;
    const own = { completed_action, findings, proposed_changes, expand_checklist, worker, answer, skip_reason };
    const named = { run, ...(action === undefined ? {} : { action }), ...(task === undefined ? {} : { task }) };
    const about = { ...named, ...defined({ step }), ...plainStatus(status) };
    if ((await tasksTaken(call.engine, call.caller, about)) !== undefined) return nextReply(call, { run, task });
    if (await isOfChecklist(call.engine, call.caller, named)) return reportOf(call, args);
    const done = await progress(call.engine, call.caller, {
      ...named,
      ...(await fieldsOf(call, "workflow_progress", named, { status, own })),
      shownOnly: true,
      ...call.waiting,
      ...(step === undefined ? {} : { step }),
      ...(error === undefined ? {} : { error }),
      ...(args.blocked_until === undefined ? {} : { blockedUntil: timeOf(args.blocked_until) }),
      ...(args.result === undefined ? {} : { result: args.result as Json }),
      ...(args.usage === undefined ? {} : { usage: definedOf(args.usage) }),
    });
    const { position, retryOf } = await followRetry(call, done.position);
    const { recorded, step: reported, said: noted } = done.reported;
    const aside = setAside(done.denied);
    const said = recorded === "before" ? [`\`${reported}\` was reported before; nothing was changed.${toReport(position)}`] : [];
    return standingReply(
      driverOf(call, worker),
      position,
      beside(around({ recorded, ...noted, ...aside?.data }, [...said, ...(aside?.lines ?? [])]), aroundRetry(retryOf)),
    );
  },
});

/** The same words may be meant for what is open now: only its id says so. */
function toReport({ standing }: Position): string {
  const open = standing.kind === "action" ? standing.action : standing.kind === "question" ? standing.decision : undefined;
  return open === undefined ? "" : ` To report \`${open.step}\`, which is open now, name its action_id \`${open.id}\`.`;
}

type ProgressShape = z.output<typeof progressShape>;

/** The same tool for the run of a checklist. */
async function reportOf(call: ToolCall, args: ProgressShape): Promise<Reply> {
  if (args.usage !== undefined)
    throw badArgument("workflow_progress", ["`usage` is not counted in runs of checklists"], "the report without it");
  return reportChecklist(asWorker(call, "workflow_progress", args.worker), {
    run: args.run_id,
    actionId: args.action_id,
    worker: args.worker,
    status: args.status,
    skipReason: args.skip_reason,
    error: args.error,
    ...(args.blocked_until === undefined ? {} : { blockedUntil: timeOf(args.blocked_until) }),
    result: args.result as Json | undefined,
    answer: args.answer as Json | undefined,
    completed: args.completed_action,
    findings: args.findings,
    changes: args.proposed_changes,
    topics: args.expand_checklist,
  });
}

function timeOf(text: string): number {
  const at = Date.parse(text);
  if (Number.isNaN(at))
    throw badArgument("workflow_progress", [`\`blocked_until\` must be an ISO time, not \`${text}\``], "e.g. 2026-01-31T18:00:00Z");
  return at;
}

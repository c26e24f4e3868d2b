import * as z from "zod";
import { defined, isWaymarkError, type Json } from "../../base/index.ts";
import {
  fieldsTaken,
  next,
  progress,
  readState,
  retryRun,
  start,
  tasksTaken,
  type NextRequest,
  type Position,
  type ReportRequest,
  type StartRequest,
} from "../../engine/index.ts";
import { reportedBeforeText } from "../../views/index.ts";
import { badArgument } from "../codes.ts";
import { partOfRun } from "../part-of-run.ts";
import { around, dialectAt, dialectOf, hasPartOf, nothingAround, ownReply, positionReply, standingReply } from "../position-reply.ts";
import {
  anyObject,
  defineTool,
  hiddenText,
  runId,
  taskId,
  workflowName,
  type Arguments,
  type Reply,
  type Surrounding,
  type Tool,
  type ToolCall,
} from "../tool.ts";

/** Characters of state that a start shows. */
const wholeState = 1200;

const limit = z.number().optional();
const amount = z.number().min(0).optional();

const startTool: Tool = defineTool({
  name: "workflow_start",
  description:
    "Start a workflow and get its run_id and first step. Then do each step and report it with workflow_progress until the status is completed.",
  returns: "`run_id`, `workflow_id`, `status`, `state`, `total_steps`, and the first `step` with `action_id` and `next_call`",
  entry: true,
  fieldsAfter: "inputs",
  shape: z.object({
    workflow: workflowName,
    inputs: anyObject.optional().describe("As workflow_info lists them."),
    serial: z.boolean().optional().describe("No sub-agents: do all tasks yourself."),
    budget: z
      .strictObject({ steps: limit, minutes: limit, tokens: limit, money: limit })
      .optional()
      .describe("Limits before a person is asked."),
  }),
  async run(call, args) {
    return (
      (await ownReply(call, "workflow_start", args)) ?? startedReply(call, await start(call.engine, call.caller, startRequest(call, args)))
    );
  },
});

/** What the arguments of a start ask of the engine. */
export function startRequest(call: ToolCall, args: Arguments): StartRequest {
  const { workflow, inputs, serial, budget } = args as Partial<StartRequest>;
  return { workflow: workflow ?? "", ...call.waiting, ...defined({ inputs, serial, budget: budget && defined(budget) }) };
}

/** The answer to a start, in the form of the workflow's dialect. */
export async function startedReply(call: ToolCall, begun: Position): Promise<Reply> {
  const started = dialectAt(call, begun)?.started;
  if (started !== undefined) return started(call, begun);
  const { position, retryOf } = await followRetry(call, begun);
  const { run, program } = position;
  const { state } = await readState(call.engine, run);
  const steps = Object.values(program.blocks).filter((block) => block.kind === "do").length;
  const retried = retryOf === undefined ? "" : ` It is a new attempt after \`${retryOf}\` failed.`;
  return positionReply(call, position, {
    data: { workflow_id: run, status: position.state.status, state, total_steps: steps, ...defined({ retry_of: retryOf }) },
    heavy: ["state"],
    room: wholeState,
    lines: ({ state: shown }) => [
      `Started ${position.state.workflow} as run ${run}.${retried}`,
      ...(Object.keys(state).length === 0 ? [] : [`State: ${JSON.stringify(shown)}`]),
    ],
  });
}

/**
 * When a run failed and its workflow asks for a new attempt, the agent that drives it continues in the linked run. A sub-agent is at the
 * end of its task: the new run has tasks of its own.
 */
async function followRetry(call: ToolCall, position: Position): Promise<{ readonly position: Position; readonly retryOf?: string }> {
  if (position.state.status !== "failed" || position.standing.kind === "task_ended") return { position };
  const again = await retryRun(call.engine, call.caller, position.run, call.waiting);
  return again === undefined ? { position } : { position: again, retryOf: position.run };
}

const nextTool: Tool = defineTool({
  name: "workflow_next",
  description: "Get the open step of a run; asking reports nothing.",
  returns: "`status`, `step`, `action_id`, `next_call`; `step` is null when none is left",
  entry: true,
  repeatable: true,
  givesParts: true,
  shape: z.object({ run_id: runId, task_id: taskId, worker: z.string().optional() }),
  async run(call, { run_id: run, task_id: task, worker }) {
    const handle = await call.engine.runs.open(run);
    if (worker !== undefined && dialectOf(call, handle)?.workers !== true) {
      const meant = `\`worker\` is for runs that hand out their work to everyone who asks, and a run of \`${handle.program.name}\` does not`;
      throw badArgument("workflow_next", [meant], "run_id; task_id if you are a sub-agent");
    }
    if (call.part !== undefined && dialectOf(call, handle)?.standing === undefined) return partOfRun(call, { run, task }, call.part);
    return nextReply(asWorker(call, "workflow_next", worker), { run, task });
  },
});

const longestName = 60;

/**
 * The call as one of several sub-agents that share a connection makes it: each worker is a holder of its own, so that they get different
 * parts of the work that the run hands out. Leases stay those of the connection and end with it.
 */
export function asWorker(call: ToolCall, tool: string, worker: string | undefined): ToolCall {
  if (worker === undefined) return call;
  const name = worker.trim();
  if (name === "" || name.length > longestName || !/^[\x21-\x7E]+$/.test(name))
    throw badArgument(tool, [`\`worker\` must be a name of 1 to ${longestName} signs without spaces`], "e.g. w1");
  const { holder } = call.caller;
  return { ...call, worker: name, caller: { ...call.caller, holder: { ...holder, session: `${holder.session}#${name}` } } };
}

/**
 * The next position, or word that nothing is left: while a run hands out its work everyone gets a part, but what comes before and after
 * belongs to the agent that drives the run. `reported`: the caller has just done its part, and that is not a mistake of its own.
 */
export async function nextForWorker(call: ToolCall, request: NextRequest, reported?: Surrounding): Promise<Position | Reply> {
  try {
    return await next(call.engine, call.caller, request);
  } catch (error) {
    if (!isWaymarkError(error) || error.code !== "STRAND_HELD") throw error;
    const { worker, caller } = call;
    const { state } = await call.engine.runs.open(request.run);
    const driver = state.strands["main"]?.holder;
    const mine = worker !== undefined && driver !== undefined && connectionOf(driver.session) === connectionOf(caller.holder.session);
    if (!mine && reported === undefined) throw error;
    const who = driver === undefined ? "the holder of the run" : `\`${driver.name}\`, the holder of the run`;
    const instruction = `Nothing is left for you${worker === undefined ? "" : `, worker ${worker}`}: what follows is for ${mine ? "the agent that started you" : who}. You are done; report this to them.`;
    return {
      text: [...(reported?.lines(reported.data) ?? []), instruction].join("\n"),
      data: { session_id: request.run, status: "task_done", instruction, ...reported?.data },
    };
  }
}

/** The session without the worker's name. */
function connectionOf(session: string): string {
  return session.split("#")[0] ?? session;
}

/** `follows`: part of the answer to something that was said. */
type Asking = Pick<NextRequest, "run" | "follows"> & { readonly task?: string | undefined };

export async function nextReply(call: ToolCall, { run, task, follows }: Asking, before: Surrounding = nothingAround): Promise<Reply> {
  const found = await nextForWorker(call, { run, ...call.waiting, ...defined({ task, follows }) });
  if ("text" in found) return found;
  if (call.part !== undefined && dialectAt(call, found)?.standing === undefined) return partOfRun(call, { run, task }, call.part);
  const { position, retryOf } = await followRetry(call, found);
  return standingReply(call, position, beside(before, aroundRetry(retryOf)));
}

/** Both, when what they add is short. */
function beside(first: Surrounding, second: Surrounding): Surrounding {
  return around({ ...first.data, ...second.data }, [...first.lines(first.data), ...second.lines(second.data)]);
}

function aroundRetry(retryOf: string | undefined): Surrounding {
  if (retryOf === undefined) return nothingAround;
  return around({ retry_of: retryOf }, [`\`${retryOf}\` failed and its workflow asks for a new attempt: continue with the run below.`]);
}

const statuses = ["success", "completed", "failed", "skipped"] as const;
type Status = (typeof statuses)[number];

const progressTool: Tool = defineTool({
  name: "workflow_progress",
  description:
    "Report the open step and get the next one. Send the action_id and the result, or status failed with an error. A repeated report changes nothing.",
  returns: "what `workflow_next` gives, and `recorded` (`now` or `before`)",
  entry: true,
  repeatable: true,
  commits: true,
  fieldsAfter: "usage",
  shape: z.object({
    run_id: runId,
    action_id: z.string().optional().describe("From the step."),
    task_id: taskId,
    status: z.enum(statuses).optional(),
    result: z.unknown().optional().describe("What the step asks for, any JSON value."),
    error: z.string().optional().describe("Why it failed."),
    blocked_until: z.string().optional().describe("ISO time before which you cannot do it (a usage limit)."),
    usage: z.strictObject({ tokens: amount, money: amount }).optional().describe("Tokens or money spent."),
    worker: z.string().optional(),
    answer: z.unknown().optional().meta({ hidden: true }),
    step_id: hiddenText,
  }),
  async run(call, args) {
    const { run_id: run, action_id: action, task_id: task, step_id: step, status, error, result, blocked_until, usage, ...own } = args;
    const named = { run, ...defined({ action, task }) };
    const about = { ...named, ...defined({ step }), ...plainStatus(status) };
    if ((await tasksTaken(call.engine, call.caller, about)) !== undefined) return nextReply(call, { run, task });
    const reply = await ownReply(call, "workflow_progress", args);
    if (reply !== undefined) return reply;
    const done = await progress(call.engine, call.caller, {
      ...named,
      ...(await fieldsOf(call, "workflow_progress", named, { status, own })),
      shownOnly: true,
      ...call.waiting,
      ...defined({ step, error, result: result as Json | undefined, blockedUntil: timeOf(blocked_until), usage: usage && defined(usage) }),
    });
    const { position, retryOf } = await followRetry(call, done.position);
    const { recorded, step: reported, by, said: noted } = done.reported;
    const said = recorded === "before" ? [`${reportedBeforeText(reported, by)}${toReport(position)}`] : [];
    const added = call.dialects.flatMap(({ dialect, reported: adds }) => (hasPartOf(position, dialect) ? adds?.(done) : undefined) ?? []);
    return standingReply(call, position, [...added, aroundRetry(retryOf)].reduce(beside, around({ recorded, ...noted }, said)));
  },
});

/** The same words may be meant for what is open now: only its id says so. */
function toReport({ standing }: Position): string {
  const open = standing.kind === "action" ? standing.action : standing.kind === "question" ? standing.decision : undefined;
  return open === undefined ? "" : ` To report \`${open.step}\`, which is open now, name its action_id \`${open.id}\`.`;
}

/** The time before which a step cannot be done. Throws `MCP_BAD_ARGUMENT`. */
export function timeOf(text: string | undefined): number | undefined {
  if (text === undefined) return undefined;
  const at = Date.parse(text);
  if (Number.isNaN(at))
    throw badArgument("workflow_progress", [`\`blocked_until\` must be an ISO time, not \`${text}\``], "e.g. 2026-01-31T18:00:00Z");
  return at;
}

/** A status in the engine's words. */
export function plainStatus(status: Status | undefined): Pick<ReportRequest, "status"> {
  if (status === undefined) return {};
  return { status: status === "completed" ? "success" : status };
}

/** The status of a report and the values of its step's own fields (`own`). What the step does not take is refused, not ignored. */
export async function fieldsOf(
  call: ToolCall,
  tool: string,
  named: Pick<ReportRequest, "run" | "task" | "action" | "step">,
  { status, own }: { readonly status: Status | undefined; readonly own: Arguments },
): Promise<Pick<ReportRequest, "status" | "more">> {
  const taken = await fieldsTaken(call.engine, call.caller, named);
  const given = Object.entries(own).filter(([, value]) => value !== undefined);
  const refused = given
    .filter(([name]) => !taken.includes(name))
    .map(([name]) => (name === "answer" ? "an answer is given as `result`" : `this step does not take \`${name}\``));
  if (status !== undefined && !statuses.includes(status)) refused.push(`status \`${status as string}\` means nothing for this step`);
  if (status === "skipped" && !taken.includes("skip_reason")) refused.push("this step cannot be skipped");
  if (refused.length > 0) throw badArgument(tool, refused, "the step with status success or failed, result, error");
  return { ...plainStatus(status), ...(given.length === 0 ? {} : { more: Object.fromEntries(given) }) };
}

export const driveTools: readonly Tool[] = [startTool, nextTool, progressTool];

import { isWaymarkError, own, WaymarkError } from "../base/index.ts";
import type { EngineContext } from "../engine/index.ts";
import { mcpCodes } from "./codes.ts";
import type { Arguments, Reply, Tool } from "./tool.ts";

/** The one step that a driven agent works on: all that its connection may reach. */
export interface StrandScope {
  readonly run: string;
  /** As calls name the task that the strand is; undefined for the main one. */
  readonly task?: string;
  readonly strand: string;
  readonly action: string;
  /** A tool that the step asks for by name, beside those that every driven agent has. */
  readonly asked?: string;
}

/** What a driven agent may call: report its step, ask a person, look at its run, and read its state. */
const offered: ReadonlySet<string> = new Set([
  "workflow_ask",
  "workflow_next",
  "workflow_progress",
  "workflow_status",
  "workflow_state_read",
  "workflow_state_update",
]);

/** Whether a driven agent is shown a tool and may call it. */
export function isInScope({ asked }: StrandScope, { name, everywhere }: Pick<Tool, "name" | "everywhere">): boolean {
  return offered.has(name) || everywhere === true || name === asked;
}

/** The arguments of a call about the step of the connection, with its id where it is a report. Throws `MCP_OTHER_STRAND` for any other. */
export async function argumentsInside(engine: EngineContext, scope: StrandScope, tool: Tool, args: Arguments): Promise<Arguments> {
  if (!isInScope(scope, tool)) throw outside(scope, `the tool \`${tool.name}\` is not for driven agents`);
  const run = textIn(args, "run_id") || textIn(args, "workflow_id");
  if (run !== "" && (await idOf(engine, run)) !== scope.run) throw outside(scope, `\`${run}\` is another run`);
  const task = textIn(args, "task_id");
  if (task !== "" && task !== scope.task) throw outside(scope, `\`${task}\` is another task`);
  if (args["worker"] !== undefined) throw outside(scope, "it has no workers");
  const { step_id: _step, ...rest } = args;
  for (const name of ["action_id", "step_id"]) {
    const named = textIn(args, name);
    if (named !== "" && !(await isOwnStep(engine, scope, named))) throw outside(scope, `\`${named}\` is another step`);
  }
  if (tool.name === "workflow_ask") return { ...rest, run_id: scope.run, action_id: scope.action };
  return tool.name === "workflow_progress" ? { ...rest, action_id: scope.action } : args;
}

/** Whether it names the step: by its id, with or without the author's name, or by that name. All names of a step that is over are its own. */
async function isOwnStep({ runs }: EngineContext, { run, action }: StrandScope, named: string): Promise<boolean> {
  const step = own((await runs.open(run)).state.actions, action)?.step;
  return step === undefined || [action, step, step.split(/[./#]/).at(-1)].includes(named) || named.endsWith(`@${action}`);
}

function textIn(args: Arguments, name: string): string {
  const value = args[name];
  return typeof value === "string" ? value : "";
}

/** A run by any of its names; what is not known here is another run. */
async function idOf({ runs }: EngineContext, name: string): Promise<string | undefined> {
  try {
    return (await runs.open(name)).id;
  } catch (error) {
    if (isWaymarkError(error)) return undefined;
    throw error;
  }
}

function outside({ run, action }: StrandScope, why: string): WaymarkError {
  return new WaymarkError({
    code: "MCP_OTHER_STRAND",
    message: `You work on the step \`${action}\` of run \`${run}\` and on nothing else: ${why}. Nothing was changed.`,
    ...(mcpCodes["MCP_OTHER_STRAND"]?.fix === undefined ? {} : { fix: mcpCodes["MCP_OTHER_STRAND"].fix }),
  });
}

/**
 * The reply to a driven agent once its step is reported, or waits for a person: what follows is handed out in a turn of its own. undefined
 * while the step is open.
 */
export async function endOfStep({ runs }: EngineContext, { run, strand, action }: StrandScope): Promise<Reply | undefined> {
  const { state } = await runs.open(run);
  if (own(state.actions, action) !== undefined) return undefined;
  const asked = Object.values(state.decisions).some((each) => each.kind === "asked" && each.strand === strand && each.status === "pending");
  if (asked) return askedReply(run);
  const instruction = "The report is recorded. Your work is done: call nothing more, and end your turn.";
  return { text: instruction, data: { run_id: run, status: "step_done", instruction } };
}

export function askedReply(run: string): Reply {
  const instruction =
    "Your question is recorded, and the step waits for a person. End your turn now: you get the step again, with the answer.";
  return { text: instruction, data: { run_id: run, status: "asked", instruction } };
}

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
  /** Places in the state that the step's result is written to: its agent may write to these, and to no other. */
  readonly writes?: readonly string[];
}

/** What a driven agent may call: report its step, ask a person, look at its run, and read its state. */
const offered: ReadonlySet<string> = new Set([
  "workflow_ask",
  "workflow_next",
  "workflow_progress",
  "workflow_status",
  "workflow_state_read",
]);
const writing = "workflow_state_update";

/** What a client may tell the model of a driven agent about its connection. */
export const scopeInstructions: string = [
  "You carry out one step of a Waymark run, and this connection is good for nothing else.",
  "Report the step with workflow_progress when it is done or cannot be done. Ask a person with workflow_ask only what you can neither find out nor decide. Then end your turn.",
].join("\n");

/** Whether a driven agent is shown a tool and may call it. */
export function isInScope({ asked, writes = [] }: StrandScope, { name, everywhere }: Pick<Tool, "name" | "everywhere">): boolean {
  return offered.has(name) || (name === writing && writes.length > 0) || everywhere === true || name === asked;
}

/** The arguments of a call about the step of the connection, whose names are filled in. Throws `MCP_OTHER_STRAND` for any other. */
export async function argumentsInside(engine: EngineContext, scope: StrandScope, tool: Tool, args: Arguments): Promise<Arguments> {
  if (!isInScope(scope, tool)) throw outside(scope, `the tool \`${tool.name}\` is not for driven agents`);
  const run = textIn(args, "run_id") || textIn(args, "workflow_id");
  if (run !== "" && (await idOf(engine, run)) !== scope.run) throw outside(scope, `\`${run}\` is another run`);
  const task = textIn(args, "task_id");
  if (task !== "" && task !== scope.task) throw outside(scope, `\`${task}\` is another task`);
  if (args["worker"] !== undefined) throw outside(scope, "it has no workers");
  if (tool.name === writing) refuseOtherPlaces(scope, args);
  for (const name of ["action_id", "step_id"]) {
    const named = textIn(args, name);
    if (named !== "" && !(await isOwnStep(engine, scope, named))) throw outside(scope, `\`${named}\` is another step`);
  }
  // What its turn uses is measured.
  const { step_id: _step, usage: _usage, ...rest } = args;
  const given = tool.name === "workflow_progress" || tool.name === "workflow_ask" ? { ...rest, action_id: scope.action } : args;
  const names = { run_id: scope.run, workflow_id: scope.run, ...(scope.task === undefined ? {} : { task_id: scope.task }) };
  const taken = Object.keys(tool.shape.shape);
  return { ...given, ...Object.fromEntries(Object.entries(names).filter(([name]) => taken.includes(name))) };
}

/** Writes to anything but what the step's result is for could change the work of others. */
function refuseOtherPlaces(scope: StrandScope, { updates }: Arguments): void {
  const { writes = [] } = scope;
  const isOwn = (path: string): boolean => writes.some((own) => path === own || path.startsWith(`${own}.`) || path.startsWith(`${own}[`));
  const other = (updates as readonly { readonly path: string }[]).find(({ path }) => !isOwn(path));
  if (other === undefined) return;
  throw outside(scope, `it writes to ${writes.map((path) => `\`${path}\``).join(", ")}, not to \`${other.path}\``);
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
 * while the step is open. `before`: it was over before the call.
 */
export async function endOfStep(
  { runs }: EngineContext,
  { run, strand, action }: StrandScope,
  before: boolean,
): Promise<Reply | undefined> {
  const { state } = await runs.open(run);
  if (own(state.actions, action) !== undefined) return undefined;
  const asked = Object.values(state.decisions).some((each) => each.kind === "asked" && each.strand === strand && each.status === "pending");
  if (asked) return askedReply(run);
  const said = before ? "Your step is over, and nothing was changed." : "The report is recorded. Your work is done:";
  const instruction = `${said}${before ? " Call" : " call"} nothing more, and end your turn.`;
  return { text: instruction, data: { run_id: run, status: "step_done", instruction } };
}

export function askedReply(run: string): Reply {
  const instruction =
    "Your question is recorded, and the step waits for a person. End your turn now: you get the step again, with the answer.";
  return { text: instruction, data: { run_id: run, status: "asked", instruction } };
}

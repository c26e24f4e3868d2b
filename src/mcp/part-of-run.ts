import { defined, isWaymarkError, type JsonObject } from "../base/index.ts";
import { maskSecrets, next, readState, type Position, type RunHandle } from "../engine/index.ts";
import { lastCheckpoint, positionView } from "../views/index.ts";
import { partReply } from "./page-reply.ts";
import { keysOf } from "./page-value.ts";
import { plainText } from "./reply-text.ts";
import { resumeView } from "./resume-view.ts";
import type { Part, Reply, ToolCall } from "./tool.ts";

/** Key of what `workflow_resume` shows beside the step, in the paths of parts. */
export const resumePart = "resume";

interface Asked {
  readonly run: string;
  readonly task: string | undefined;
}

/**
 * A part of what replies show of a run: its open step, its `state`, what a resume adds, the `message` of a checkpoint, and the values that
 * dialects show. Open work is for its holder alone; secret inputs are masked in everything else. Throws `MCP_NO_PART` when the value is gone.
 */
export async function partOfRun(call: ToolCall, asked: Asked, part: Part): Promise<Reply> {
  const { run, task } = asked;
  const rest = (more: Part) => ({ tool: "workflow_next", arguments: { run_id: run, ...defined({ task_id: task }), part: { ...more } } });
  const [root = ""] = keysOf(part.path) ?? [];
  const shown = call.dialects.map(({ values }) => values?.[root]).find((value) => value !== undefined);
  const held = await besideStep(call, run, root);
  if (held !== undefined) return partReply(call, held, part, { rest, partsOnly: true });
  const about = defined({ task, about: part.action_id });
  const position = await next(call.engine, call.caller, { run, ...call.waiting, ...about });
  const { data } = positionView(position, (tool) => call.offers(tool));
  const value = await shown?.(call, position);
  return partReply(call, value === undefined ? data : { ...data, [root]: value }, part, { rest, partsOnly: shown !== undefined });
}

/** What `workflow_next` gives parts of and does not show; undefined for what it shows. */
async function besideStep(call: ToolCall, run: string, root: string): Promise<JsonObject | undefined> {
  if (root === "state") return { state: (await readState(call.engine, run)).state };
  if (root !== resumePart && root !== "message") return undefined;
  const handle = await call.engine.runs.open(run);
  if (root === resumePart) return { [resumePart]: await resumeData(call, { run, program: handle.program, state: handle.state }) };
  const message = await highContextMessage(call, handle);
  return message === undefined ? {} : { message };
}

/** What a fresh conversation gets beside the open step. */
export async function resumeData(call: ToolCall, position: Pick<Position, "run" | "program" | "state">): Promise<JsonObject> {
  const { state } = await readState(call.engine, position.run);
  const view = resumeView(position, state);
  return { state: view.state, last_checkpoint: lastCheckpoint(position.program, position.state), ...view.around };
}

/** The workflow's message for a context that is nearly full, with its templates filled in; as written when they cannot be. */
export async function highContextMessage(call: ToolCall, handle: RunHandle): Promise<string | undefined> {
  const { program, state, id } = handle;
  const message = program.parts[program.main]?.onHighContext?.message;
  if (message === undefined) return undefined;
  const at = await call.engine.store.now();
  try {
    const outcome = await call.engine.evaluator.evaluate({
      run: id,
      program,
      scopes: state.scopes,
      scope: "run",
      exprs: { message: { as: "text", of: message } },
      locals: {},
      globals: { workflow_id: id },
      functions: { now: () => new Date(at).toISOString(), uuid: () => call.engine.host.uuid() },
    });
    return outcome.ok ? maskSecrets(plainText(outcome.values["message"] ?? message), program, state) : message;
  } catch (error) {
    if (isWaymarkError(error)) return message;
    throw error;
  }
}

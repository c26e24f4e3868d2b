import { defined, isWaymarkError, type JsonObject } from "../base/index.ts";
import { maskSecrets, next, readState, taskName, type Position, type RunHandle } from "../engine/index.ts";
import { itemCounts, lastCheckpoint, positionView } from "../views/index.ts";
import { partReply } from "./page-reply.ts";
import { keysOf } from "./page-value.ts";
import { plainText } from "./reply-text.ts";
import type { ReplyPart, Reply, ToolCall } from "./tool.ts";

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
export async function partOfRun(call: ToolCall, asked: Asked, part: ReplyPart): Promise<Reply> {
  const { run, task } = asked;
  const rest = (more: ReplyPart) => ({
    tool: "workflow_next",
    arguments: { run_id: run, ...defined({ task_id: task }), part: { ...more } },
  });
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

type ProgramPart = Position["program"]["parts"][string];

/** Parts of a run that `on_resume` names beside single fields of the state. */
const namedParts = [
  "workflow_metadata",
  "computed_field_definitions",
  "current_raw_state",
  "pending_tasks",
  "historical_data",
  "completed_task_details",
] as const;
type NamedPart = (typeof namedParts)[number];

/**
 * What a fresh conversation gets beside the open step, as the workflow's `on_resume` says. Without `load_from_checkpoint` it is
 * everything but the definitions of computed fields; `exclude` always wins. Nothing of the journal is read.
 */
export async function resumeData(
  call: ToolCall,
  { run, program, state }: Pick<Position, "run" | "program" | "state">,
): Promise<JsonObject> {
  const { state: flat } = await readState(call.engine, run);
  const part = program.parts[program.main];
  const { load = [], exclude = [] } = part?.onResume ?? {};
  const wanted = (name: NamedPart): boolean =>
    !exclude.includes(name) && (load.length === 0 ? name !== "computed_field_definitions" : load.includes(name));
  const fields = load.filter((name) => !(namedParts as readonly string[]).includes(name));
  const history = historyOf(part);
  const shown = Object.keys(flat).filter((name) => {
    if (exclude.includes(name)) return false;
    return fields.includes(name) || wanted(history.includes(name) ? "historical_data" : "current_raw_state");
  });
  const computed = part?.computed.slice(0, 12).map(({ name, from }) => `${name} from ${from.join(", ")}`) ?? [];
  return {
    state: Object.fromEntries(shown.map((name) => [name, flat[name] ?? null])),
    last_checkpoint: lastCheckpoint(program, state),
    ...(wanted("workflow_metadata") && part !== undefined ? { workflow: `${part.name} ${part.version}` } : {}),
    ...(wanted("computed_field_definitions") && computed.length > 0 ? { computed_fields: computed } : {}),
    ...(wanted("pending_tasks") ? pendingTasks({ program, state }) : {}),
    ...(wanted("completed_task_details") ? endedTasks({ program, state }) : {}),
  };
}

/** Whether the author chose what is shown. */
export function isChosen({ program }: Pick<Position, "program">): boolean {
  return (program.parts[program.main]?.onResume?.load?.length ?? 0) > 0;
}

/** Fields in which the kernel keeps what happened so far. */
function historyOf(part: ProgramPart | undefined): string[] {
  const { completed, failed, retries, lastError, errors } = part?.tracking ?? {};
  return [completed, failed, retries, lastError, errors?.path].flatMap((path) =>
    path === undefined ? [] : [path.replace(/^(raw|state)\./, "")],
  );
}

function pendingTasks({ program, state }: Pick<Position, "program" | "state">): JsonObject {
  const open = Object.values(state.strands).flatMap((strand) => (strand.task === undefined ? [] : [taskName(strand)]));
  const waiting = itemCounts({ program, state }).pending;
  if (open.length + waiting === 0) return {};
  return { pending_tasks: { open: open.slice(0, 6), ...(open.length > 6 ? { more_open: open.length - 6 } : {}), waiting } };
}

function endedTasks(position: Pick<Position, "program" | "state">): JsonObject {
  const { completed, failed, skipped } = itemCounts(position);
  return completed + failed + skipped === 0 ? {} : { ended_tasks: { completed, failed, skipped } };
}

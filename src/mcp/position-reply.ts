import { defined, isList, isObject, type JsonObject, counted } from "../base/index.ts";
import { maskSecrets, type Position, type RunHandle } from "../engine/index.ts";
import { callText, positionView, taskArgument, tasksBeside, type RunView } from "../views/index.ts";
import { inCharacters, pageReply, type LongReply, type ReplyLimit } from "./page-reply.ts";
import { costOf, keysOf } from "./page-value.ts";
import { plainText } from "./reply-text.ts";
import type { Arguments, DialectTools, NextCall, ReplyPart, Reply, Surrounding, ToolCall } from "./tool.ts";

/** Characters of replacements that are shown. */
const replacementChars = 1000;

export const nothingAround: Surrounding = { data: {}, heavy: [], lines: () => [] };

/** Fields and lines that are short. */
export function around(data: JsonObject, lines: readonly string[]): Surrounding {
  return { data, heavy: [], lines: () => lines };
}

/** The reply of a dialect of the run that the call is about; undefined when the general tool answers. A call without a run asks all of them. */
export async function ownReply(call: ToolCall, tool: string, args: Arguments): Promise<Reply | undefined> {
  const { run_id: run } = args;
  const handle = typeof run === "string" ? await call.engine.runs.open(run) : undefined;
  for (const { dialect, parts } of call.dialects) {
    const part = parts?.[tool];
    if (part?.run === undefined) continue;
    const asked =
      handle === undefined || hasPartOf(handle, dialect) || Object.keys(part.fields ?? {}).some((name) => args[name] !== undefined);
    const reply = asked ? await part.run(call, args) : undefined;
    if (reply !== undefined) return reply;
  }
  return undefined;
}

export function hasPartOf({ program }: Pick<RunHandle, "program">, dialect: string): boolean {
  return Object.values(program.parts).some((part) => part.dialect === dialect);
}

export function dialectOf({ dialects }: Pick<ToolCall, "dialects">, { program }: Pick<RunHandle, "program">): DialectTools | undefined {
  return dialects.find(({ dialect }) => dialect === program.dialect);
}

/**
 * The dialect of the run, when the caller is in a part of that dialect. What it calls from another dialect is shown as everywhere, and so are
 * what it says itself, and the end of a task: only such a call has tasks.
 */
export function dialectAt(call: Pick<ToolCall, "dialects">, position: Position): DialectTools | undefined {
  const { program, state, standing } = position;
  if (standing.kind === "task_ended") return undefined;
  const { strand } = standing.kind === "action" ? standing.action : standing.kind === "question" ? standing.decision : position;
  const part = program.parts[state.scopes[state.strands[strand]?.scope ?? ""]?.part ?? program.main];
  const dialect = part?.dialect === program.dialect ? dialectOf(call, position) : undefined;
  return standing.kind === "action" && dialect?.asEverywhere?.has(standing.action.what) === true ? undefined : dialect;
}

/** Where the caller is, in the form of the dialect that it is in, else in the general one. `before` is short. */
export async function standingReply(call: ToolCall, position: Position, before: Surrounding = nothingAround): Promise<Reply> {
  const standing = dialectAt(call, position)?.standing;
  return standing === undefined ? positionReply(call, position, before) : standing(call, position, before);
}

/**
 * Where the caller's strand is, as a reply within the limit. Of what is too long the beginning is shown, with the call that brings
 * the rest; a file that the reply names has the whole step too, with secret inputs masked.
 */
export async function positionReply(
  call: ToolCall,
  position: Position,
  surrounding: Surrounding = nothingAround,
  limit: ReplyLimit = inCharacters(call),
): Promise<Reply> {
  const hints = [personAsked(call, position), tasksHint(position)];
  const hintLines = hints.flatMap(({ lines, data }) => lines(data));
  const replyOf = (view: RunView, enough: boolean): Promise<Reply> => {
    const long: LongReply = {
      data: Object.assign({}, essential(view), ...hints.map(({ data }) => data), surrounding.data) as JsonObject,
      heavy: [surrounding.heavy.map((key) => [key]), ...heavyOfView],
      ...defined({ spare: surrounding.spare, room: surrounding.room }),
      render: (shown, missing) => [...surrounding.lines(shown), ...hintLines, view.textFor(shown, withFile(shown, missing))].join("\n"),
      rest: (part) => restOf(position, view, surrounding, part),
      enough,
      beside: { from: 1, fields: () => wholeStep(call, position, view) },
    };
    return pageReply(call, long, limit);
  };
  const offered = positionView(position, (tool) => call.offers(tool));
  const whole = await replyOf(offered, false);
  if (!isCutUpdate(position, whole)) return whole;
  const left = positionView(leftToEngine(position), (tool) => tool !== writes && call.offers(tool));
  return replyOf(left, true);
}

const writes = "workflow_state_update";

/** Whether some values that a step asks to write are not in the reply: an agent that writes what is there would lose the rest. */
function isCutUpdate({ standing }: Position, { data: { truncated } }: Reply): boolean {
  if (standing.kind !== "action" || standing.action.what !== "state_update" || truncated === undefined) return false;
  return (isList(truncated) ? truncated : [truncated]).some((cut) => isObject(cut) && plainText(cut["path"]).startsWith("step."));
}

function leftToEngine(position: Position): Position {
  const { standing } = position;
  if (standing.kind !== "action") return position;
  const { shown } = standing;
  const instructions =
    "These values are too large for one reply, so the engine writes them. Do not write them yourself: only report the step.";
  return { ...position, standing: { ...standing, shown: { ...shown, step: { ...shown.step, instructions } } } };
}

const besideShown = 10;

/** Tasks beside the open step that nobody has begun: the reply that handed them out may have been lost, or passed over. */
function tasksHint({ run, state, strand, standing }: Position): Surrounding {
  if (standing.kind !== "action" && standing.kind !== "question" && standing.kind !== "working") return nothingAround;
  const open = standing.kind === "action" ? standing.action.id : undefined;
  const groups = tasksBeside(state, strand).filter(({ action }) => action.id !== open);
  const names = groups.flatMap(({ tasks = [] }) => tasks.filter(({ holder }) => holder === undefined).map(({ task }) => task));
  const [first] = names;
  if (first === undefined) return nothingAround;
  const shown = names.slice(0, besideShown);
  const more = names.length - shown.length;
  const listed = `${shown.join(", ")}${more > 0 ? ` and ${more} more` : ""}`;
  const begin = callText({ tool: "workflow_next", arguments: { run_id: run, task_id: first } });
  return around({ tasks_beside: shown, ...(more > 0 ? { tasks_beside_total: names.length } : {}) }, [
    `Beside this step nobody has begun ${counted(names.length, "task")}: ${listed}. Start a sub-agent for each that has none yet; it begins with its own task_id, e.g. ${begin}.`,
  ]);
}

/** Long replacements are left out: they say where values of the definition come from, and repeat them. */
function essential({ data }: RunView): JsonObject {
  const { step } = data;
  if (!isObject(step) || step["variable_replacements"] === undefined) return data;
  const { variable_replacements: replacements, ...rest } = step;
  if (costOf(replacements, replacementChars) <= replacementChars) return data;
  return { ...data, step: rest };
}

/** The last ones are sentences of positions that have no step. */
const heavyOfView: LongReply["heavy"] = [
  [["step", "definition"], ["notes"], ["task_prompt"]],
  [["step", "instructions"]],
  [["instruction"], ["error_message"]],
];

function restOf(position: Position, { data }: RunView, { heavy, under }: Surrounding, { path, ...place }: ReplyPart): NextCall {
  const beside = heavy.includes(keysOf(path)?.[0] ?? "");
  const named = beside || data["action_id"] === undefined ? {} : { action_id: data["action_id"] };
  const part = { path: beside && under !== undefined ? `${under}.${path}` : path, ...place, ...named };
  return { tool: "workflow_next", arguments: { run_id: position.run, ...taskArgument(position), part } };
}

function withFile({ whole_step: path }: JsonObject, missing: string): string {
  return path === undefined ? missing : `${missing} The whole step is in ${plainText(path)} too.`;
}

function personAsked(call: ToolCall, { standing, run }: Position): Surrounding {
  if (standing.kind !== "question" || standing.decision.answerBy !== "person") return nothingAround;
  const { id, question } = standing.decision;
  return askHint(call, question, { tool: "workflow_decide", arguments: { run_id: run, decision_id: id } });
}

/** A person at this client can be asked by the client itself; only when the agent calls for it, since some clients end when asked. */
export function askHint({ desk }: Pick<ToolCall, "desk">, question: string, { tool, arguments: args }: NextCall): Surrounding {
  if (!desk().canAsk(question)) return nothingAround;
  const ask = { tool, arguments: args };
  return around({ ask_person_call: ask }, [`If the person is at this client now, ${callText(ask)} asks them directly.`]);
}

/** Writes the step as it would have been shown; nothing when there is no step, or the run works on a folder from which it could not be read. */
async function wholeStep(call: ToolCall, position: Position, { data }: RunView): Promise<JsonObject> {
  const { run, program, state } = position;
  const { step, notes, action_id: id } = data;
  if (typeof id !== "string" || state.options.folder !== undefined) return {};
  const content = maskSecrets({ run_id: run, step: step ?? null, ...defined({ notes }) }, program, state);
  const name = `steps/${run}-${id.replace(/[^\w-]/g, "_")}.json`;
  return { whole_step: await call.engine.host.views.write(name, `${JSON.stringify(content, null, 2)}\n`) };
}

import { isList, type Json, type JsonObject } from "../base/index.ts";
import { maskSecrets, type Position } from "../engine/index.ts";
import { callText, positionView } from "../views/index.ts";
import { cutLevels, cutMembers, cutText, cutValue, type CutLevel } from "./cut-value.ts";
import { plainText } from "./plain-text.ts";
import type { Reply, ToolCall } from "./tool.ts";

/** How long a reply may be, measured over its two parts together. */
export interface ReplyLimit {
  readonly most: number;
  /** About how many characters that is. */
  readonly chars: number;
  readonly measure: (reply: Pick<Reply, "text" | "data">) => number;
}

/** What the tool adds around a step: fields and lines before it; `cut` makes them shorter when the whole is too long. */
export interface Surrounding {
  readonly data: (level: CutLevel | undefined) => JsonObject;
  readonly lines: (level: CutLevel | undefined) => readonly string[];
}

export const nothingAround: Surrounding = { data: () => ({}), lines: () => [] };

export function inCharacters(call: Pick<ToolCall, "replyChars">): ReplyLimit {
  // As it goes over the wire, with room for what the protocol adds.
  return { most: call.replyChars - 200, chars: call.replyChars, measure: ({ text, data }) => JSON.stringify([text, data]).length };
}

/**
 * Where the caller's strand stands, as a reply within the limit. What is too long is cut, and the reply names a file with the whole
 * step, in which secret inputs are masked.
 */
export async function positionReply(
  call: ToolCall,
  position: Position,
  limit: ReplyLimit = inCharacters(call),
  around: Surrounding = nothingAround,
): Promise<Reply> {
  const whole = compose(call, position, around, undefined);
  if (limit.measure(whole) <= limit.most) return whole;
  const fits = (reply: Reply): boolean => limit.measure(reply) <= limit.most;
  const smallest = cutLevels.at(-1) ?? { chars: 16, entries: 1, depth: 1 };
  if (around !== nothingAround) {
    // What to do matters more than what lies around it.
    for (const level of cutLevels) {
      const shorter = compose(call, position, around, level);
      if (fits(shorter)) return shorter;
    }
  }
  const path = await writeWholeStep(call, position);
  if (around !== nothingAround) {
    for (const level of cutLevels) {
      const shorter = withPointer(compose(call, cutPosition(position, level, true), around, smallest), path);
      if (fits(shorter)) return shorter;
    }
  }
  for (const level of cutLevels) {
    const shorter = withPointer(compose(call, cutPosition(position, level), around, around === nothingAround ? level : smallest), path);
    if (fits(shorter)) return shorter;
  }
  return barest(withPointer(compose(call, cutPosition(position, smallest), around, smallest), path), smallest, limit.chars);
}

function compose(call: ToolCall, position: Position, around: Surrounding, level: CutLevel | undefined): Reply {
  const view = positionView(position);
  const ask = askCall(call, position);
  const hint = ask === undefined ? [] : [askHint(ask)];
  return {
    text: [...around.lines(level), ...hint, view.text].join("\n"),
    data: { ...view.data, ...(ask === undefined ? {} : { ask_person_call: ask }), ...around.data(level) },
  };
}

/** A person at this client can be asked by the client itself; only when the agent calls for it, since some clients end when asked. */
function askCall(call: ToolCall, { standing, run }: Position): { readonly tool: string; readonly arguments: JsonObject } | undefined {
  if (standing.kind !== "question" || standing.decision.answerBy !== "person" || !call.desk.canAsk) return undefined;
  return { tool: "workflow_decide", arguments: { run_id: run, decision_id: standing.decision.id } };
}

function askHint(ask: { readonly tool: string; readonly arguments: JsonObject }): string {
  return `If the person is at this client now, ${callText(ask)} asks them directly.`;
}

/** The words that say what to do. */
const ownWords: ReadonlySet<string> = new Set(["command", "prompt", "message", "method", "file", "reason"]);

/** `keepOwn` leaves the words of the step itself whole and cuts its values alone. */
function cutPosition(position: Position, level: CutLevel, keepOwn = false): Position {
  const { standing } = position;
  if (standing.kind === "question") {
    if (keepOwn) return position;
    return {
      ...position,
      standing: { ...standing, decision: { ...standing.decision, question: cutText(standing.decision.question, level.chars) } },
    };
  }
  if (standing.kind !== "action") return position;
  const { action, tasks } = standing;
  const shortened = {
    ...action,
    args: { ...cutMembers(action.args, level), ...(keepOwn ? ownOf(action.args) : cutPrompt(action, level)) },
    ...(action.replaced === undefined ? {} : { replaced: cutValue(action.replaced, level) as JsonObject }),
    ...(action.notes === undefined ? {} : { notes: action.notes.map((note) => cutText(note, Math.max(level.chars, 120))) }),
  };
  const contexts = tasks?.map((task) => ({
    ...task,
    context: cutValue(task.context, { ...level, depth: Math.max(1, level.depth - 1) }) as JsonObject,
  }));
  return { ...position, standing: { ...standing, action: shortened, ...(contexts === undefined ? {} : { tasks: contexts }) } };
}

function ownOf(args: JsonObject): JsonObject {
  return Object.fromEntries(Object.entries(args).filter(([key, held]) => ownWords.has(key) && typeof held === "string"));
}

/** What sub-agents are told must reach them whole, unless it is an essay. */
function cutPrompt(action: { readonly what: string; readonly args: JsonObject }, level: CutLevel): JsonObject {
  const prompt = action.what === "parallel_tasks" ? action.args["prompt"] : undefined;
  return typeof prompt === "string" ? { prompt: cutText(prompt, Math.max(level.chars, 1000)) } : {};
}

/** Writes the step as it would have been shown; undefined when there is no step, so that nothing of it can be cut. */
async function writeWholeStep(call: ToolCall, position: Position): Promise<string | undefined> {
  const { standing, run } = position;
  const id = standing.kind === "action" ? standing.action.id : standing.kind === "question" ? standing.decision.id : undefined;
  if (id === undefined) return undefined;
  const { step, notes } = positionView(position).data;
  const content = maskSecrets(
    { run_id: run, step: step ?? null, ...(notes === undefined ? {} : { notes }) },
    position.program,
    position.state,
  );
  return call.engine.host.views.write(`steps/${run}-${id.replace(/[^\w-]/g, "_")}.json`, `${JSON.stringify(content, null, 2)}\n`);
}

function withPointer(reply: Reply, path: string | undefined): Reply {
  if (path === undefined) return reply;
  const lines = reply.text.split("\n");
  const hint = `Long values are cut here. Read the whole step in ${path} before you act.`;
  return {
    ...reply,
    text: [...lines.slice(0, -1), hint, lines.at(-1) ?? ""].join("\n"),
    data: { ...reply.data, whole_step: path, cut: "Long values are cut here. Read whole_step before you act." },
  };
}

/** For steps of very many parts: what to do, and where the step lies. Of tasks, the ids that fit; the others are in the file. */
function barest(reply: Reply, level: CutLevel, chars: number): Reply {
  const { step, ...rest } = reply.data;
  const { id = "", type = "", instructions = "", definition = {} } = (step ?? {}) as JsonObject;
  const { tasks, sub_agent_prompt: prompt } = definition as JsonObject;
  const shown = isList(tasks)
    ? { ...taskIds(tasks, chars / 4), sub_agent_prompt: cutText(plainText(prompt), chars / 8) }
    : cutValue(definition, { ...level, entries: 8 });
  const said = cutText(plainText(instructions), 400);
  const lines = reply.text.split("\n").map((line) => cutText(line, 400));
  const text = [
    lines[0],
    `Step ${plainText(id)} (${plainText(type)})`,
    said,
    isList(tasks) ? JSON.stringify(shown) : "",
    ...lines.slice(-2),
  ].filter((line) => line !== "");
  return { ...reply, text: text.join("\n"), data: { ...rest, step: { id, type, instructions: said, definition: shown } } };
}

function taskIds(tasks: readonly Json[], chars: number): JsonObject {
  const ids: JsonObject[] = [];
  for (const task of tasks) {
    const { task_id: id } = task as JsonObject;
    if (id === undefined || JSON.stringify([...ids, { task_id: id }]).length > chars) break;
    ids.push({ task_id: id });
  }
  return { tasks: ids, ...(ids.length < tasks.length ? { tasks_left_out: tasks.length - ids.length } : {}) };
}

import { cutText, textOf, type JsonObject } from "../../../base/index.ts";
import { mainStrand } from "../../../kernel/index.ts";
import { botProblems } from "../run/index.ts";
import { maskSecrets, type Position } from "../../../engine/index.ts";
import { botResultWanted, botView, currentPlace, reportHint, type BotView } from "../views/index.ts";
import {
  followingData,
  followingText,
  positionView,
  retryLater,
  taskArgument,
  type CallSpec,
  type Following,
} from "../../../views/index.ts";
import { askHint, joinLines, pageReply, type Reply, type ToolCall } from "../../../mcp/index.ts";
import { botPart, rememberBeside, rememberShown, type BotNames } from "./bot-arguments.ts";

/** Where a bot is; undefined inside a workflow that runs as its action. */
export async function viewOf({ engine }: ToolCall, position: Position): Promise<BotView | undefined> {
  return botView(position, { combined: true, problems: await botProblems(engine, position.run) });
}

/**
 * Where a bot is, as `{status, behavior, action, data}`: instructions, a question or an end, and the call that comes next. With
 * `before`, its data comes first and the place is under `next`.
 */
export async function botReply(
  call: ToolCall,
  names: BotNames,
  position: Position,
  more: { readonly parameters?: JsonObject; readonly before?: Reply } = {},
): Promise<Reply> {
  const view = await viewOf(call, position);
  const { before } = more;
  if (view === undefined) return insideReply(call, names, position, before);
  if (view.wants.kind === "work") {
    if (view.wants.independent) rememberBeside(call.caller, names.bot);
    else rememberShown(call.caller, names.bot, view.wants.action, more.parameters ?? {});
  }
  const replying = { call, names, position, view, before };
  const whole = compose(replying);
  const under = before === undefined ? "data" : "next.data";
  const body = bodyKeys.filter((key) => view.data[key] !== undefined);
  const others = ["problems", "not_done", "waits_for_person"].filter((key) => view.data[key] !== undefined);
  return pageReply(call, {
    data: whole.data,
    heavy: [others, body].map((keys) => keys.map((key) => [...under.split("."), key])),
    rest: (part) => {
      const named = view.data["action_id"] ?? view.data["decision_id"];
      const of = { ...part, path: `${botPart}${part.path.slice(under.length)}`, ...(typeof named === "string" && { action_id: named }) };
      return { tool: "workflow_next", arguments: { run_id: position.run, ...taskArgument(position), part: of } };
    },
    beside: { from: 1, fields: async () => ({ whole: await writeWhole(call, position, view) }) },
    render: (shown, missing) => (missing === "" ? whole.text : shortText(replying, shown, missing)),
  });
}

/** Keys of the data that hold what the text has as its body. */
const bodyKeys: readonly string[] = ["instructions", "question", "message"];

/** Notes of a reply that is too long; all of them are in the file that it names. */
const notesShown = 5;

interface Replying {
  readonly call: ToolCall;
  readonly names: BotNames;
  readonly position: Position;
  readonly view: BotView;
  readonly before: Reply | undefined;
}

function shortText(replying: Replying, shown: JsonObject, missing: string): string {
  const { view, before } = replying;
  const place = (before === undefined ? shown : shown["next"]) as JsonObject;
  const data = place["data"] as JsonObject;
  const body = bodyKeys.map((key) => data[key]).find((held) => typeof held === "string");
  const notes = view.notes.map((note) => cutText(note, 200)).slice(0, notesShown);
  const lines = [missing, ...(shown["whole"] === undefined ? [] : [`The whole is in ${textOf(shown["whole"])}.`])];
  return compose({ ...replying, view: { ...view, body: textOf(body), notes: [...notes, ...lines] } }).text;
}

/** A workflow that runs as the action is worked on like any other. A close that says nothing else is about the action that calls it. */
function insideReply(call: ToolCall, { bot }: BotNames, position: Position, before: Reply | undefined): Reply {
  const { text, data } = positionView(position);
  const at = currentPlace(position);
  if (at !== undefined) rememberShown(call.caller, bot, `${at.behaviour}.${at.action}`, {});
  const place = { status: "running", behavior: at?.behaviour ?? null, action: at?.action ?? null, data };
  return { text: joinLines([before?.text, text]), data: withPlace(before, place) };
}

function withPlace(before: Reply | undefined, place: JsonObject): JsonObject {
  return before === undefined ? place : { ...before.data, next: place };
}

function compose(replying: Replying): Reply {
  const { view, before } = replying;
  const { lines, data } = whatFollows(replying);
  const place = { status: view.status, behavior: view.behaviour, action: view.action, data: { ...view.data, ...data } };
  return { text: joinLines([before?.text, view.title, view.body, ...view.notes, ...lines]), data: withPlace(before, place) };
}

interface Follows {
  readonly lines: readonly string[];
  readonly data: JsonObject;
}

function whatFollows({ call, names, position, view: { wants } }: Replying): Follows {
  const { bot, botTool, closeTool } = names;
  switch (wants.kind) {
    case "work": {
      if (wants.independent) {
        const fill = { result: botResultWanted };
        return follows(reportHint, { next_call: reportById(position, wants.action), fill_in: fill });
      }
      const area = wants.choosesArea ? { "parameters.project_area": "the chosen folder" } : {};
      const close = {
        next_call: { tool: closeTool, arguments: { parameters: { action: wants.action } } },
        fill_in: { "parameters.summary": "what was done", ...area },
      };
      if (wants.confirmed === "nobody") return follows(`${reportHint} No one has to confirm it.`, close);
      const asks =
        wants.confirmed === "person" ? "then call this; the person confirms it" : "and when the person says it is done, call this";
      return follows(`Show the results to the person, ${asks}. ${reportHint}`, close);
    }
    case "answer": {
      const { decision, about } = wants;
      if (decision.answerBy === "person") return forPerson(call, names, position.run, wants);
      const later = { when: "when they have answered", tool: botTool, arguments: {} };
      if (about === "project_area")
        return follows("Ask the person.", { later, fill_in: { "parameters.project_area": "the folder that they name" } });
      const options = (decision.options ?? []).map((option) => option.value).join(" or ");
      const wanted = options === "" ? "what they said" : options;
      const isMain = position.strand === mainStrand;
      // The bot's tool takes answers to the question of the sequence alone: one beside it is answered by its id.
      const answering = isMain ? later : { ...later, ...reportById(position, decision.id) };
      const fill = { [isMain ? "parameters.answer" : "result"]: wanted };
      return follows("Ask the person, and pass on what they say.", { later: answering, fill_in: fill });
    }
    case "patience":
      return follows("", { next_call: { tool: botTool, arguments: {} } });
    case "nothing":
      return position.state.status === "failed"
        ? follows(`${bot} has failed.`, { later: retryLater(position.run) })
        : { lines: [], data: {} };
  }
}

/** Reports or answers what is open beside the sequence. */
function reportById(position: Position, id: string): CallSpec {
  return { tool: "workflow_progress", arguments: { run_id: position.run, ...taskArgument(position), action_id: id } };
}

function follows(line: string, following: Following): Follows {
  return { lines: [line, ...followingText(following)], data: followingData(following) };
}

type Answer = Extract<BotView["wants"], { readonly kind: "answer" }>;

/** The agent shows the question; the person answers on a surface of their own, or through the client where it can ask. */
function forPerson(
  call: ToolCall,
  { bot, closeTool, botTool }: BotNames,
  run: string,
  { decision: { id, question }, about }: Answer,
): Follows {
  const command = about === "done" ? `waymark bot close ${bot} ${id}` : `waymark decide ${run} ${id}`;
  const decide = { tool: "workflow_decide", arguments: { run_id: run, decision_id: id } };
  const ask = askHint(call, question, about === "done" ? { tool: closeTool, arguments: {} } : decide);
  const { lines, data } = follows(`Only a person can answer this. Show it with the command: ${command}`, {
    later: { when: "when they have answered", tool: botTool, arguments: {} },
  });
  const [first = "", ...rest] = lines;
  return { lines: [first, ...ask.lines(ask.data), ...rest], data: { command_for_person: command, ...ask.data, ...data } };
}

async function writeWhole(call: ToolCall, position: Position, view: BotView): Promise<string> {
  const { standing, run } = position;
  const id = standing.kind === "action" ? standing.action.id : standing.kind === "question" ? standing.decision.id : "end";
  const text = maskSecrets([view.title, "", view.body, "", ...view.notes].join("\n"), position.program, position.state);
  return call.engine.host.views.write(`steps/${run}-${id}.md`, `${text}\n`);
}

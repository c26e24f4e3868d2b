import { textOf, type JsonObject } from "../../base/index.ts";
import { botProblems, currentPlace } from "../../dialects/bots/run/index.ts";
import { maskSecrets, type Position } from "../../engine/index.ts";
import { botView, reportHint, type BotView } from "../../dialects/bots/views/index.ts";
import { callText, followingData, followingText, positionView, taskArgument, type Following } from "../../views/index.ts";
import { cutText } from "../cut-text.ts";
import { pageReply } from "../page-reply.ts";
import { botPart } from "../part-of-run.ts";
import type { NextCall, Part, Reply, ToolCall } from "../tool.ts";
import type { BotNames } from "./bot-names.ts";
import { rememberBeside, rememberShown } from "./shown-actions.ts";

/** What stands before the place in a reply. */
export interface Before {
  readonly text: string;
  readonly data: JsonObject;
}

/**
 * Where a bot is, as `{status, behavior, action, data}`: instructions, a question or an end, and the call that comes next. With
 * `before`, its data comes first and the place is under `next`.
 */
export async function botReply(
  call: ToolCall,
  names: BotNames,
  position: Position,
  more: { readonly parameters?: JsonObject; readonly before?: Before } = {},
): Promise<Reply> {
  const view = botView(position, { combined: true, problems: await botProblems(call.engine, position.run) });
  if (view === undefined) return insideReply(call, names, position, more.before);
  if (view.wants.kind === "work") {
    if (view.wants.independent) rememberBeside(call.caller, names.bot);
    else rememberShown(call.caller, names.bot, view.wants.action, more.parameters ?? {});
  }
  const { before } = more;
  const whole = compose(call, names, { position, view }, before);
  const under = before === undefined ? "data" : "next.data";
  const body = bodyKeys.filter((key) => view.data[key] !== undefined);
  const others = ["problems", "not_done", "waits_for_person"].filter((key) => view.data[key] !== undefined);
  return pageReply(call, {
    data: whole.data,
    heavy: [others, body].map((keys) => keys.map((key) => `${under}.${key}`)),
    rest: (part) => restOf(position, view, { ...part, path: `${botPart}${part.path.slice(under.length)}` }),
    beside: { from: 1, fields: async () => ({ whole: await writeWhole(call, position, view) }) },
    render: (shown, missing) => (missing === "" ? whole.text : shortText(call, names, { position, view }, { shown, missing, before })),
  });
}

/** Keys of the data that hold what the text has as its body. */
const bodyKeys: readonly string[] = ["instructions", "question", "message"];

function shortText(
  call: ToolCall,
  names: BotNames,
  { position, view }: { readonly position: Position; readonly view: BotView },
  { shown, missing, before }: { readonly shown: JsonObject; readonly missing: string; readonly before: Before | undefined },
): string {
  const place = (before === undefined ? shown : shown["next"]) as JsonObject;
  const data = place["data"] as JsonObject;
  const body = bodyKeys.map((key) => data[key]).find((held) => typeof held === "string");
  const notes = view.notes.map((note) => cutText(note, 200)).slice(0, notesShown);
  const lines = [missing, ...(shown["whole"] === undefined ? [] : [`The whole is in ${textOf(shown["whole"])}.`])];
  return compose(call, names, { position, view: { ...view, body: textOf(body), notes: [...notes, ...lines] } }, before).text;
}

function restOf(position: Position, { data }: BotView, part: Part): NextCall {
  const named = data["action_id"] ?? data["decision_id"];
  const of = typeof named === "string" ? { action_id: named } : {};
  return { tool: "workflow_next", arguments: { run_id: position.run, ...taskArgument(position), part: { ...part, ...of } } };
}

/** Notes of a reply that is too long; all of them are in the file that it names. */
const notesShown = 5;

/** A workflow that runs as the action is driven like any other. A close that says nothing else is about the action that calls it. */
function insideReply(call: ToolCall, { bot }: BotNames, position: Position, before: Before | undefined): Reply {
  const { text, data } = positionView(position);
  const at = currentPlace(position);
  if (at !== undefined) rememberShown(call.caller, bot, `${at.behaviour}.${at.action}`, {});
  const place = { status: "running", behavior: at?.behaviour ?? null, action: at?.action ?? null, data };
  return { text: [before?.text, text].filter(Boolean).join("\n"), data: before === undefined ? place : { ...before.data, next: place } };
}

function compose(
  call: ToolCall,
  names: BotNames,
  { position, view }: { readonly position: Position; readonly view: BotView },
  before: Before | undefined,
): Reply {
  const { lines, data } = howToGoOn(call, names, position, view);
  const text = [before?.text, view.title, view.body, ...view.notes, ...lines]
    .filter((line) => line !== undefined && line !== "")
    .join("\n");
  const place = { status: view.status, behavior: view.behaviour, action: view.action, data: { ...view.data, ...data } };
  return { text, data: before === undefined ? place : { ...before.data, next: place } };
}

interface GoOn {
  readonly lines: readonly string[];
  readonly data: JsonObject;
}

function howToGoOn(call: ToolCall, names: BotNames, position: Position, { wants }: BotView): GoOn {
  const { bot, botTool, closeTool } = names;
  switch (wants.kind) {
    case "work": {
      if (wants.independent) {
        const args = { run_id: position.run, task_id: position.strand, action_id: wants.action };
        const fill = { result: '{"summary": what was done}' };
        return goOn(reportHint, { next_call: { tool: "workflow_progress", arguments: args }, fill_in: fill });
      }
      const area = wants.choosesArea ? { "parameters.project_area": "the chosen folder" } : {};
      const close = {
        next_call: { tool: closeTool, arguments: { parameters: { action: wants.action } } },
        fill_in: { "parameters.summary": "what was done", ...area },
      };
      if (wants.confirmed === "nobody") return goOn(`${reportHint} No one has to confirm it.`, close);
      const asks =
        wants.confirmed === "person" ? "then call this; the person confirms it" : "and when the person says it is done, call this";
      return goOn(`Show the results to the person, ${asks}. ${reportHint}`, close);
    }
    case "answer": {
      const { decision, about } = wants;
      if (decision.answerBy === "person") return forPerson(call, position.run, { decision: decision.id, about }, names);
      const later = { when: "when they have answered", tool: botTool, arguments: {} };
      if (about === "project_area")
        return goOn("Ask the person.", { later, fill_in: { "parameters.project_area": "the folder that they name" } });
      const options = (decision.options ?? []).map((option) => option.value).join(" or ");
      const wanted = options === "" ? "what they said" : options;
      return goOn("Ask the person, and pass on what they say.", { later, fill_in: { "parameters.answer": wanted } });
    }
    case "patience":
      return goOn("", { next_call: { tool: botTool, arguments: {} } });
    case "nothing": {
      const retry = { when: "when the cause is fixed", tool: "workflow_retry", arguments: { run_id: position.run } };
      return position.state.status === "failed" ? goOn(`${bot} has failed.`, { later: retry }) : { lines: [], data: {} };
    }
  }
}

function goOn(line: string, following: Following): GoOn {
  return { lines: [line, ...followingText(following)], data: followingData(following) };
}

/** The agent shows the question; the person answers on a surface of their own, or through the client where it can ask. */
function forPerson(
  call: ToolCall,
  run: string,
  { decision, about }: { readonly decision: string; readonly about: string },
  { bot, closeTool, botTool }: BotNames,
): GoOn {
  const command = about === "done" ? `waymark bot close ${bot} ${decision}` : `waymark decide ${run} ${decision}`;
  const ask: NextCall =
    about === "done" ? { tool: closeTool, arguments: {} } : { tool: "workflow_decide", arguments: { run_id: run, decision_id: decision } };
  const later = { when: "when they have answered", tool: botTool, arguments: {} };
  return {
    lines: [
      `Only a person can answer this. Show it with the command: ${command}`,
      ...(call.desk.canAsk ? [`If the person is at this client now, ${callText(ask)} asks them directly.`] : []),
      ...followingText({ later }),
    ],
    data: {
      command_for_person: command,
      ...(call.desk.canAsk ? { ask_person_call: { tool: ask.tool, arguments: ask.arguments } } : {}),
      ...followingData({ later }),
    },
  };
}

async function writeWhole(call: ToolCall, position: Position, view: BotView): Promise<string> {
  const { standing, run } = position;
  const id = standing.kind === "action" ? standing.action.id : standing.kind === "question" ? standing.decision.id : "end";
  const text = maskSecrets([view.title, "", view.body, "", ...view.notes].join("\n"), position.program, position.state);
  return call.engine.host.views.write(`steps/${run}-${id}.md`, `${text}\n`);
}

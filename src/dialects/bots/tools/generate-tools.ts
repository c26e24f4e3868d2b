import { defined, type JsonObject } from "../../../base/index.ts";
import { callBot, listBots } from "../run/index.ts";
import type { EngineContext } from "../../../engine/index.ts";
import { defineTool, type Arguments, type Reply, type Tool, type ToolCall } from "../../../mcp/index.ts";
import { behaviourShape, namesOf, parametersOf, plainShape, textIn, type BotNames, type BotTool } from "./bot-arguments.ts";
import { botReply } from "./bot-reply.ts";
import { answerShown, closeCurrent, forgetSaid } from "./close-tool.ts";

export type BotMode = "bots" | "bots-compact";

const made = new WeakMap<EngineContext, Map<BotMode, Promise<readonly Tool[]>>>();

/** Tools of all bots as they were on disk when this was first asked for; a changed folder counts from the next start on. */
export function generateTools(context: EngineContext, mode: BotMode): Promise<readonly Tool[]> {
  const known = made.get(context) ?? new Map<BotMode, Promise<readonly Tool[]>>();
  made.set(context, known);
  const held = known.get(mode) ?? generate(context, mode);
  known.set(mode, held);
  // What failed for once is tried again by the next caller.
  held.catch(() => known.delete(mode));
  return held;
}

/** A bot with problems has no tools; `validate` says what is wrong with it. */
async function generate(context: EngineContext, mode: BotMode): Promise<readonly Tool[]> {
  const all: Tool[] = [];
  for (const { name, tools, definition, path } of await listBots(context)) {
    if (tools === undefined || definition === undefined) {
      context.host.log("warn", `The bot ${name} has errors and gets no tools; \`waymark validate ${name}\` shows them.`, { path });
      continue;
    }
    const names = namesOf(name, tools.full);
    const behaviours = definition.behaviours.map((behaviour) => behaviour.name);
    for (const tool of mode === "bots" ? tools.full : tools.compact) {
      if (all.some((other) => other.name.toLowerCase() === tool.name.toLowerCase()))
        context.host.log("warn", `Two bots have a tool ${tool.name}; that of ${name} is left out.`, { path });
      else all.push(generated(names, tool, behaviours));
    }
  }
  return all;
}

function generated(names: BotNames, spec: BotTool, behaviours: ReadonlyArray<string>): Tool {
  const one = spec.kind === "behaviour" && spec.behaviour === undefined;
  return defineTool({
    name: spec.name,
    toolsets: [],
    description: spec.description,
    returns: spec.kind === "close" ? "`status`, `completed_action`, `next_action`, `message`" : "`status`, `behavior`, `action`, `data`",
    shape: one ? behaviourShape(behaviours) : plainShape,
    inputSchema: spec.inputSchema,
    entry: spec.kind === "bot",
    repeatable: true,
    shows: names.botTool,
    run: (call, args) => (spec.kind === "close" ? closeCurrent(call, names, parametersOf(args)) : goTo(call, names, spec, args)),
  });
}

/** Goes where the tool leads, or answers what the bot waits with. */
async function goTo(call: ToolCall, names: BotNames, { behaviour, action }: BotTool, args: Arguments): Promise<Reply> {
  const parameters = parametersOf(args);
  const { bot } = names;
  if (parameters["answer"] !== undefined) return botReply(call, names, await answerShown(call, bot, parameters["answer"]), { parameters });
  forgetSaid(call, bot);
  // Only the one tool that serves all behaviours takes the place as arguments.
  const place =
    behaviour === undefined
      ? { behaviour: textIn(args as JsonObject, "behavior"), action: textIn(args as JsonObject, "action") }
      : { behaviour, action };
  const wanted = { bot, ...defined({ ...place, sentence: textIn(parameters, "sentence") }), parameters };
  return botReply(call, names, await callBot(call.engine, call.caller, wanted, call.waiting), { parameters });
}

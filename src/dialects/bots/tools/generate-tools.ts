import type { JsonObject } from "../../../base/index.ts";
import { callBot, listBots } from "../run/index.ts";
import type { EngineContext, Position } from "../../../engine/index.ts";
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

type Place = Pick<BotTool, "behaviour" | "action">;

/** Goes where the tool leads, or answers what the bot waits with. */
async function goTo(call: ToolCall, names: BotNames, spec: Place, args: Arguments): Promise<Reply> {
  const parameters = parametersOf(args);
  const { answer } = parameters;
  if (answer !== undefined) return botReply(call, names, await answerShown(call, names.bot, answer), { parameters });
  forgetSaid(call, names.bot);
  return botReply(call, names, await called(call, names, placeOf(spec, args), parameters), { parameters });
}

function placeOf({ behaviour, action }: Place, args: Arguments): { readonly behaviour?: string; readonly action?: string } {
  const [named, chosen] = [behaviour ?? args["behavior"], action ?? (behaviour === undefined ? args["action"] : undefined)];
  return {
    ...(typeof named === "string" ? { behaviour: named } : {}),
    ...(typeof chosen === "string" && chosen !== "" ? { action: chosen } : {}),
  };
}

async function called(
  call: ToolCall,
  { bot }: BotNames,
  place: { readonly behaviour?: string; readonly action?: string },
  parameters: JsonObject,
): Promise<Position> {
  const sentence = textIn(parameters, "sentence");
  const wanted = { bot, ...place, ...(sentence === undefined ? {} : { sentence }), parameters };
  return callBot(call.engine, call.caller, wanted, call.waiting);
}

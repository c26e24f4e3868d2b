import { type JsonObject, wholeCharacters } from "../../../base/index.ts";
import type { ActionDefinition, BotDefinition, TriggerDefinition } from "./bot-definition.ts";
import { longestToolName, plainName } from "./vocabulary.ts";

/** A tool that is generated from what a bot's files say. */
export interface BotTool {
  readonly name: string;
  readonly kind: "bot" | "behaviour" | "action" | "close";
  /** Absent for the bot, for closing, and for the one tool that serves all behaviours. */
  readonly behaviour?: string;
  readonly action?: string;
  readonly description: string;
  readonly inputSchema: JsonObject;
}

export interface BotTools {
  /** One for the bot, one per behaviour, one per behaviour and action, one to close. */
  readonly full: readonly BotTool[];
  /** The same power with three tools; the one for behaviours takes its name. */
  readonly compact: readonly BotTool[];
  /** Tools of one name; a bot that has any is refused. */
  readonly collisions: readonly { readonly name: string; readonly tools: readonly BotTool[] }[];
}

const anyParameters: JsonObject = { type: "object", properties: { parameters: { type: "object" } } };

/** Names, short descriptions and inputs of a bot's tools. The same definition always gives the same names. */
export function botToolNames(definition: BotDefinition): BotTools {
  const { behaviours, independent } = definition;
  // Only where there are trigger words can what a person says lead anywhere.
  const routes = [...behaviours, ...behaviours.flatMap(({ actions }) => actions), ...independent].some(
    ({ triggers }) => triggers.length > 0,
  );
  const route = routes ? " parameters.sentence: the person's words, to go where they lead." : "";
  const bot: BotTool = {
    name: toolName([definition.name, "tool"]),
    kind: "bot",
    description: sentence(definition.description, `${words(definition.name)}.`, 90, `Continues where the bot is.${route}`),
    inputSchema: anyParameters,
  };
  const close: BotTool = {
    name: toolName([definition.name, "close_current_action"]),
    kind: "close",
    description: "The person says that the current action is done: completes it and continues.",
    inputSchema: anyParameters,
  };
  const full = [bot, ...behaviours.flatMap((behaviour) => toolsOf(definition, behaviour)), close];
  return { full, compact: [bot, anyBehaviour(definition), close], collisions: collisionsIn(full) };
}

function toolsOf({ name: bot, independent }: BotDefinition, behaviour: BotDefinition["behaviours"][number]): BotTool[] {
  const { name, description, triggers } = behaviour;
  const tool: BotTool = {
    name: toolName([bot, name, "tool"]),
    kind: "behaviour",
    behaviour: name,
    description: sentence(description, `${words(name)}.`, 64, `Goes to its current action.${say(triggers, 2)}`),
    inputSchema: anyParameters,
  };
  // What is independent elsewhere may have a place in the sequence here.
  const beside = independent.filter((action) => behaviour.actions.every((each) => each.name !== action.name));
  return [tool, ...[...behaviour.actions, ...beside].map((action) => actionTool(bot, name, action))];
}

/** There are many of these, so each must be short: a long name leaves less room for the description. */
function actionTool(bot: string, behaviour: string, { name: action, description, triggers }: ActionDefinition): BotTool {
  const name = toolName([bot, behaviour, action]);
  const most = Math.max(20, 44 - 2 * Math.max(0, name.length - 48));
  return {
    name,
    kind: "action",
    behaviour,
    action,
    description: sentence(description, `${words(action)}.`, most, most < 40 ? "" : say(triggers, 1).trim()),
    inputSchema: anyParameters,
  };
}

function anyBehaviour({ name, behaviours }: BotDefinition): BotTool {
  return {
    name: toolName([name, "behavior_tool"]),
    kind: "behaviour",
    description: `Goes to a behaviour of ${cut(name, 40)}, or to one action of it; without an action to the current one.`,
    inputSchema: {
      type: "object",
      properties: {
        behavior: { type: "string", enum: behaviours.map((behaviour) => behaviour.name) },
        action: { type: "string" },
        parameters: { type: "object" },
      },
      required: ["behavior"],
    },
  };
}

/** Valid in every client, without the numbers of folders; a name that is too long keeps both ends and gets a mark of the whole. */
function toolName(parts: readonly string[]): string {
  const name = parts.map((part) => plainName(part).replaceAll(/[^\w-]/g, "_")).join("_");
  if (name.length <= longestToolName) return name;
  // FNV-1a over the characters, in base 36.
  let hash = 0x811c9dc5;
  for (let at = 0; at < name.length; at++) hash = Math.imul(hash ^ name.charCodeAt(at), 0x01000193);
  const mark = (hash >>> 0).toString(36).padStart(7, "0");
  const rest = longestToolName - mark.length - 2;
  const tail = Math.floor(rest * 0.4);
  return `${name.slice(0, rest - tail)}_${mark}_${name.slice(-tail)}`;
}

/** Some clients do not tell capital letters from small ones. */
function collisionsIn(tools: readonly BotTool[]): BotTools["collisions"] {
  const byName = new Map<string, BotTool[]>();
  for (const tool of tools) byName.set(tool.name.toLowerCase(), [...(byName.get(tool.name.toLowerCase()) ?? []), tool]);
  return [...byName.values()].filter((same) => same.length > 1).map((same) => ({ name: same[0]?.name ?? "", tools: same }));
}

/** The first sentence of a description, or what replaces it, and what is said about every tool of the kind. */
function sentence(description: string, otherwise: string, most: number, more: string): string {
  const first = /^[\s\S]*?[.!?](?=\s|$)/.exec(description.trim())?.[0] ?? description;
  const text = cut(first.replaceAll(/\s+/g, " ").trim() || otherwise, most);
  const closed = /[.!?…]$/.test(text) ? text : `${text}.`;
  return more === "" ? closed : `${closed} ${more}`;
}

function cut(text: string, most: number): string {
  if (text.length <= most) return text;
  const short = text.slice(0, most - 1);
  return `${short.slice(0, wholeCharacters(short, Math.max(short.lastIndexOf(" "), most / 2))).trimEnd()}…`;
}

function words(name: string): string {
  const text = name.replaceAll(/[_-]+/g, " ").trim();
  return `${text.slice(0, 1).toUpperCase()}${text.slice(1)}`;
}

/** Trigger words without what makes them expressions, the most important ones only. */
function say(triggers: readonly TriggerDefinition[], most: number): string {
  const found = triggers.flatMap(({ patterns }) => patterns.map(spoken)).filter((text) => text !== "");
  const said = [...new Set(found)].slice(0, most).map((text) => cut(text, 24));
  return said.length === 0 ? "" : ` Say: ${said.join(", ")}.`;
}

/** One sentence that a pattern matches, as a person would say it: of alternatives the first is taken, and of what may be repeated nothing. */
function spoken(pattern: string): string {
  let text = pattern.replaceAll(/\\[a-zA-Z]/g, " ").replaceAll(/\[([^\]^])[^\]]*\]/g, "$1");
  for (let before = ""; before !== text;) {
    before = text;
    text = text.replaceAll(/\((?:\?:)?([^()|]*)[^()]*\)(\*?)/g, (_group, first: string, often: string) => (often === "" ? first : ""));
  }
  return (text.split("|")[0] ?? "")
    .replaceAll(/\{[^}]*\}|[\\^$.*+?()[\]]/g, " ")
    .replaceAll(/\s+/g, " ")
    .trim();
}

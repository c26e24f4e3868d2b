import * as z from "zod";
import { isObject, type Json, type JsonObject } from "../../../base/index.ts";
import type { ListedBot } from "../run/index.ts";
import { anyObject, unknownArgument, type Arguments, type ArgumentShape } from "../../../mcp/index.ts";
import type { Caller } from "../../../engine/index.ts";

/** Key of what the tools of bots show, in the paths of parts. */
export const botPart = "bot";

const hidden = z.unknown().optional().meta({ hidden: true });

/** What `parameters` may hold, and is understood beside it as well. */
const known = ["action", "answer", "content", "inputs", "outputs", "project_area", "scope", "sentence", "summary"] as const;

const beside: Readonly<Record<string, typeof hidden>> = Object.fromEntries(known.map((name) => [name, hidden]));

export const plainShape: ArgumentShape = z.object({ ...beside, parameters: anyObject.optional() });

/** Of the one tool that serves all behaviours. */
export function behaviourShape(behaviours: readonly string[]): ArgumentShape {
  const [first = "", ...more] = behaviours;
  return z.object({ ...beside, behavior: z.enum([first, ...more]), action: z.string().optional(), parameters: anyObject.optional() });
}

/** The parameters of a call, wherever they were given. */
export function parametersOf(args: Arguments): JsonObject {
  const given = isObject(args["parameters"]) ? args["parameters"] : {};
  const named = known.filter((name) => args[name] !== undefined).map((name): [string, Json] => [name, args[name] as Json]);
  return { ...Object.fromEntries(named), ...given };
}

const reported = ["summary", "outputs", "content", "files", "project_area", "status"];
const steering = ["action", "action_id", "answer", "behavior", "inputs", "scope", "sentence"];

/** What came of the work, from what a close was called with. What has no place of its own was what went in. */
export function resultOf(parameters: JsonObject, called: JsonObject): JsonObject {
  const own = Object.entries(parameters).filter(([name]) => reported.includes(name));
  const inputs = isObject(parameters["inputs"]) ? parameters["inputs"] : {};
  const all = { ...othersIn(called), ...othersIn(parameters), ...inputs };
  return { ...Object.fromEntries(own), ...(Object.keys(all).length === 0 ? {} : { inputs: all }) };
}

function othersIn(given: JsonObject): JsonObject {
  return Object.fromEntries(Object.entries(given).filter(([name]) => !reported.includes(name) && !steering.includes(name)));
}

/** A close that says nothing of the work, under names that mean nothing to it, meant something else: most often a summary. */
export function refuseStrange(tool: string, parameters: JsonObject): void {
  const names = [...new Set([...reported, ...steering])];
  const strange = Object.keys(parameters).find((name) => !names.includes(name));
  if (strange !== undefined) throw unknownArgument(tool, strange, names, "`parameters` with `action` and `summary`");
}

export function textIn(parameters: JsonObject, ...names: readonly string[]): string | undefined {
  return names.map((name) => parameters[name]).find((value): value is string => typeof value === "string" && value !== "");
}

/** What the tools of one bot call each other. */
export interface BotNames {
  readonly bot: string;
  readonly botTool: string;
  readonly closeTool: string;
}

type BotTools = NonNullable<ListedBot["tools"]>;
export type BotTool = BotTools["full"][number];

export function namesOf(bot: string, tools: readonly BotTool[]): BotNames {
  const named = (kind: BotTool["kind"]): string => tools.find((tool) => tool.kind === kind)?.name ?? "";
  return { bot, botTool: named("bot"), closeTool: named("close") };
}

interface Shown {
  readonly action: string;
  /** What its tool was called with. */
  readonly parameters: JsonObject;
  /** An independent action was shown since. */
  readonly beside?: true;
}

const most = 512;
const shown = new Map<string, Shown>();

function keyOf({ holder }: Caller, bot: string): string {
  return `${holder.session}\0${holder.name}\0${bot}`;
}

/**
 * Remembers which action a client was shown last, so that "the current action" means that one: a close that is repeated before its
 * reply was read does not close the next action.
 */
export function rememberShown(caller: Caller, bot: string, action: string, parameters: JsonObject): void {
  const key = keyOf(caller, bot);
  const before = shown.get(key);
  shown.delete(key);
  shown.set(key, { action, parameters: before?.action === action ? { ...before.parameters, ...parameters } : parameters });
  const [oldest] = shown.keys();
  if (shown.size > most && oldest !== undefined) shown.delete(oldest);
}

/** Remembers that a client was shown an independent action, which a close may be about as well. */
export function rememberBeside(caller: Caller, bot: string): void {
  const key = keyOf(caller, bot);
  const before = shown.get(key);
  if (before !== undefined) shown.set(key, { ...before, beside: true });
}

export function lastShown(caller: Caller, bot: string): Shown | undefined {
  return shown.get(keyOf(caller, bot));
}

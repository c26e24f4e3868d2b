import type { JsonObject } from "../../../base/index.ts";
import type { BotDefinition, botLists } from "../definition/index.ts";
import { mainScope } from "../../../kernel/index.ts";
import { refused, type At, type EffectLeaf, type EngineContext, type RunHandle } from "../../../engine/index.ts";

type BotLists = Readonly<Record<keyof typeof botLists, string>>;

/** Named here as well, since this file is loaded by every process and the dialects only by those that read definitions. */
const ownLists: BotLists = { actions: "actions", activity: "activity" };

/** A run of a bot as effects and commands see it. */
export interface BotRun {
  readonly definition: BotDefinition;
  readonly raw: JsonObject;
  /** Folder of the state and the log, relative to the workspace; empty until one is chosen. */
  readonly area: string;
  readonly lists: BotLists;
}

/** An effect that is to be performed, with the run that it is of. */
export type BotJob = Parameters<EffectLeaf<BotConfig>["perform"]>[0] & { readonly context: EngineContext; readonly run: BotRun };

type Of = Pick<RunHandle, "program" | "state">;

/** What lowering keeps of a bot in its part. */
export type BotConfig = Pick<BotRun, "definition" | "lists">;

export function decodeBot({ bot, lists }: JsonObject): BotConfig {
  return { definition: bot as unknown as BotDefinition, lists: { ...ownLists, ...(lists as Partial<BotLists> | undefined) } };
}

/** undefined when the scope belongs to another dialect. */
export function botOf(handle: Of, scopeId: string = mainScope): BotRun | undefined {
  const { program, state } = handle;
  const part = program.parts[state.scopes[scopeId]?.part ?? program.main];
  if (state.scopes[scopeId] === undefined || part?.dialect !== "bots") return undefined;
  return botAt({ handle, scope: scopeId, definition: decodeBot(part.config) });
}

export function botAt({ handle, scope, definition }: Pick<At<BotConfig>, "scope" | "definition"> & { readonly handle: Of }): BotRun {
  const { raw = {} } = handle.state.scopes[scope] ?? {};
  const area = raw["project_area"];
  return { ...definition, raw, area: typeof area === "string" ? area : "" };
}

export function requireBot(handle: RunHandle): BotRun {
  const run = botOf(handle);
  if (run !== undefined) return run;
  throw refused("ENGINE_NOT_A_BOT", `Run \`${handle.id}\` is of \`${handle.program.name}\`, which is not a bot.`, "Use the run of a bot.");
}

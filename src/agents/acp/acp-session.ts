import { isObject, type Json } from "../../base/index.ts";
import type { McpHttp, Turn } from "../../ports/index.ts";
import type { AgentSpec } from "../agent-spec.ts";
import { TurnFailed } from "../classify-failure.ts";
import type { RunningTurn } from "../stream-turn.ts";
import { isSize, modelsEntry, usualModelNotice } from "../usual-model.ts";
import { at, listOf, word, type ToolCalls } from "./read-update.ts";
import type { UsageMeter } from "./usage-meter.ts";

/** A session that is open in a process. */
export interface AcpSession {
  readonly id: string;
  /** The servers it was opened with: with others it has to be opened again. */
  readonly servers: string;
  readonly calls: ToolCalls;
  readonly meter: UsageMeter;
  readonly choices: Choices;
  model?: string;
  mode?: string;
}

/** What the agent lets the client choose. */
export interface Choices {
  readonly modes: readonly string[];
  readonly models: readonly string[];
  /** How a mode and a model are set; undefined: they are not. */
  readonly modeOption?: string;
  readonly modelOption?: string;
}

/** Modes and models of an answer that opened a session, in the forms that agents use. */
export function readChoices(answer: Json): Choices {
  const options = listOf(at(answer, "configOptions")).filter(isObject);
  const [modelOption, modeOption] = ["model", "mode"].map((category) => options.find((option) => option["category"] === category));
  const valuesOf = (option: Json | undefined): string[] =>
    listOf(at(option, "options"))
      .flatMap((entry) => (isObject(entry) && "options" in entry ? listOf(entry["options"]) : [entry]))
      .flatMap((entry) => word(at(entry, "value")) ?? []);
  const idsOf = (list: Json | undefined, key: string): string[] => listOf(list).flatMap((entry) => word(at(entry, key)) ?? []);
  const [modes, models] = [idsOf(at(answer, "modes", "availableModes"), "id"), idsOf(at(answer, "models", "availableModels"), "modelId")];
  return {
    modes: modes.length > 0 ? modes : valuesOf(modeOption),
    models: models.length > 0 ? models : valuesOf(modelOption),
    ...(modes.length > 0 || modeOption === undefined ? {} : { modeOption: word(modeOption["id"]) ?? "mode" }),
    ...(models.length > 0 || modelOption === undefined ? {} : { modelOption: word(modelOption["id"]) ?? "model" }),
  };
}

/** Asks the agent something about a session. */
export type Ask = (method: string, params: unknown) => Promise<Json>;

/** Sets model and mode where they are not set yet. One that the agent does not offer ends the turn: another mode may ask nobody. */
export async function choose(
  session: AcpSession,
  wish: { readonly spec: AgentSpec; readonly turn: Turn; readonly emit: RunningTurn["emit"] },
  ask: Ask,
): Promise<void> {
  const { id: sessionId, choices } = session;
  const wanted = wish.turn.model;
  const isUsual = wanted === undefined || (isSize(wanted) && !choices.models.includes(wanted));
  if (isUsual && wanted !== undefined) wish.emit(usualModelNotice(wish.spec, wanted));
  const model = isUsual ? wish.spec.model : wanted;
  if (model !== undefined && model !== session.model) {
    offered("model", model, choices.models);
    const option = choices.modelOption;
    if (option === undefined) await ask("session/set_model", { sessionId, modelId: model });
    else await ask("session/set_config_option", { sessionId, configId: option, value: model });
    session.model = model;
  }
  const mode = wish.spec.modes[wish.turn.permission.level];
  if (mode === undefined || mode === session.mode) return;
  offered("mode", mode, choices.modes);
  if (choices.modeOption === undefined) await ask("session/set_mode", { sessionId, modeId: mode });
  else await ask("session/set_config_option", { sessionId, configId: choices.modeOption, value: mode });
  session.mode = mode;
}

function offered(what: "model" | "mode", wanted: string, choices: readonly string[]): void {
  if (choices.includes(wanted)) return;
  const offer = choices.length === 0 ? `It offers no choice of ${what}s.` : `It offers ${choices.map((one) => `\`${one}\``).join(", ")}.`;
  const way = what === "mode" ? "" : ` Where a workflow names it, the agent's entry can say which one it is: \`${modelsEntry(wanted)}\`.`;
  throw new TurnFailed({ kind: "setup", text: `The agent does not have the ${what} \`${wanted}\`. ${offer}${way}` });
}

/** MCP servers as the protocol names them. */
export function serversOf(mcp: readonly McpHttp[] = []): Json {
  return mcp.map(({ name, url, headers = {} }) => ({
    type: "http",
    name,
    url,
    headers: Object.entries(headers).map(([header, value]) => ({ name: header, value })),
  }));
}

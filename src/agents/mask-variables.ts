import { existsSync } from "node:fs";
import { isList, isObject, type Json } from "../base/index.ts";
import type { AgentEvent, AgentProvider, Turn } from "../ports/index.ts";
import { agentEnvironment, isEveryones } from "./agent-environment.ts";
import type { ProviderOptions } from "./provider-options.ts";

const mask = "********";
/** Shorter values are too common in texts to be taken for the variable. */
const telling = 8;

/** The values of the variables that an agent's settings name, the longest first. A path of this computer is not a secret. */
export function secretValues({ spec, env }: Pick<ProviderOptions, "spec" | "env">): readonly string[] {
  const named = new Set(spec.env.map((entry) => entry.replace(/=.*$/s, "")).filter((name) => !isEveryones(name)));
  const values = Object.entries(agentEnvironment(env, spec.env)).flatMap(([name, value]) => (named.has(name) ? [value] : []));
  const secret = values.filter((value) => value.length >= telling && !existsSync(value));
  // Inside of a text that is JSON a value is escaped.
  const forms = secret.flatMap((value) => [value, JSON.stringify(value).slice(1, -1)]);
  return [...new Set(forms)].sort((one, other) => other.length - one.length);
}

/** The same agent, with these values hidden in everything that it says and does, also where one arrives in several parts. */
export function maskVariables(provider: AgentProvider, values: readonly string[]): AgentProvider {
  if (values.length === 0) return provider;
  return { id: provider.id, run: (turn) => masked(provider, turn, values), close: () => provider.close() };
}

type Part = Extract<AgentEvent, { type: "text" | "thinking" }>;

async function* masked(provider: AgentProvider, turn: Turn, values: readonly string[]): AsyncGenerator<AgentEvent, void, undefined> {
  const { onRaw } = turn;
  const raw: Pick<Turn, "onRaw"> =
    onRaw === undefined ? {} : { onRaw: (direction, message) => onRaw(direction, hide(message as Json, values)) };
  let held: Part | undefined;
  for await (const event of provider.run({ ...turn, ...raw })) {
    const isPart = event.type === "text" || event.type === "thinking";
    if (held !== undefined && held.type !== event.type) {
      yield { ...held, text: whole(held.text, values) };
      held = undefined;
    }
    if (!isPart) {
      yield hide(event as unknown as Json, values) as unknown as AgentEvent;
      continue;
    }
    const { shown, rest }: Hidden = hideIn((held?.text ?? "") + event.text, values);
    if (shown !== "") yield { ...event, text: shown };
    held = rest === "" ? undefined : { ...event, text: rest };
  }
}

/** Hides values wherever they are in texts, not in keys. */
export function hide(value: Json, values: readonly string[]): Json {
  if (typeof value === "string") return whole(value, values);
  if (isList(value)) return value.map((one) => hide(one, values));
  return isObject(value) ? Object.fromEntries(Object.entries(value).map(([key, one]) => [key, hide(one, values)])) : value;
}

function whole(text: string, values: readonly string[]): string {
  const { shown, rest } = hideIn(text, values);
  return shown + values.reduce((left, value) => left.replaceAll(value, mask), rest);
}

interface Hidden {
  readonly shown: string;
  /** The end of the text, where it may be the beginning of a value. */
  readonly rest: string;
}

function hideIn(text: string, values: readonly string[]): Hidden {
  const longest = values[0]?.length ?? 0;
  let shown = "";
  for (let at = 0; at < text.length;) {
    const left = text.slice(at, at + longest);
    if (at + left.length === text.length && values.some((value) => value.length > left.length && value.startsWith(left)))
      return { shown, rest: text.slice(at) };
    const found = values.find((value) => left.startsWith(value));
    shown += found === undefined ? text[at] : mask;
    at += found?.length ?? 1;
  }
  return { shown, rest: "" };
}

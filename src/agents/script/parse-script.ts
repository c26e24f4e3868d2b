import { isList, isObject, nearest, type Json, type JsonObject } from "../../base/index.ts";
import type { AgentErrorKind, AgentStop } from "../../ports/index.ts";

/** What a script answers to prompts that its pattern finds something in. */
export interface ScriptTurn {
  readonly match: RegExp;
  /** How often it answers; any number of times without it. */
  readonly times?: number;
  readonly actions: readonly ScriptAction[];
  readonly stop: AgentStop;
  readonly error?: { readonly kind?: AgentErrorKind; readonly text: string };
}

export type ScriptAction =
  | { readonly do: "say"; readonly text: string }
  | { readonly do: "write"; readonly file: string; readonly text: string }
  | { readonly do: "call"; readonly tool: string; readonly server?: string; readonly with: JsonObject };

const turnKeys = ["match", "times", "do", "stop", "error"];
const stops: readonly string[] = ["end", "refused", "max_tokens", "max_turns", "cancelled"];
const kinds: readonly string[] = ["limit", "auth", "setup", "overloaded", "transport", "crash", "timeout", "refused", "lost", "unknown"];

/** Reads a script from the value of its YAML; throws a sentence without its full stop about the first thing that is wrong. */
export function parseScript(value: unknown): readonly ScriptTurn[] {
  const turns = isObject(value) ? value["turns"] : undefined;
  if (!isList(turns) || turns.length === 0) throw new Error("it needs a list `turns`");
  return turns.map((turn, at) => readTurn(turn, `turns[${at}]`));
}

function readTurn(turn: Json, at: string): ScriptTurn {
  if (!isObject(turn)) throw new Error(`\`${at}\` must be a map`);
  refuseOthers(turn, turnKeys, at);
  const { match = "", times, do: actions = [], stop = "end", error } = turn;
  if (typeof match !== "string") throw new Error(`\`${at}.match\` must be a regular expression`);
  if (times !== undefined && (typeof times !== "number" || times < 1)) throw new Error(`\`${at}.times\` must be a number from 1`);
  if (!isList(actions)) throw new Error(`\`${at}.do\` must be a list`);
  if (typeof stop !== "string" || !stops.includes(stop)) throw new Error(`\`${at}.stop\` must be one of ${stops.join(", ")}`);
  return {
    match: patternOf(match, at),
    ...(times === undefined ? {} : { times }),
    actions: actions.map((action, index) => readAction(action, `${at}.do[${index}]`)),
    stop: stop as AgentStop,
    ...(error === undefined ? {} : { error: readError(error, `${at}.error`) }),
  };
}

function readAction(action: Json, at: string): ScriptAction {
  if (isObject(action)) {
    const { say, write, call } = action;
    refuseOthers(action, ["say", "write", "call"], at);
    if (typeof say === "string") return { do: "say", text: say };
    if (isObject(write) && typeof write["file"] === "string" && typeof write["text"] === "string") {
      refuseOthers(write, ["file", "text"], at);
      return { do: "write", file: write["file"], text: write["text"] };
    }
    if (isObject(call) && typeof call["tool"] === "string") {
      refuseOthers(call, ["tool", "server", "with"], at);
      const server = typeof call["server"] === "string" ? { server: call["server"] } : {};
      return { do: "call", tool: call["tool"], ...server, with: isObject(call["with"]) ? call["with"] : {} };
    }
  }
  throw new Error(`\`${at}\` must be \`say: text\`, \`write: { file, text }\` or \`call: { tool, with }\``);
}

function readError(error: Json, at: string): NonNullable<ScriptTurn["error"]> {
  if (typeof error === "string") return { text: error };
  if (!isObject(error) || typeof error["text"] !== "string") throw new Error(`\`${at}\` must be a text, or a map with \`text\``);
  refuseOthers(error, ["kind", "text"], at);
  const { kind, text } = error;
  if (kind === undefined) return { text };
  if (typeof kind !== "string" || !kinds.includes(kind)) throw new Error(`\`${at}.kind\` must be one of ${kinds.join(", ")}`);
  return { kind: kind as AgentErrorKind, text };
}

function patternOf(source: string, at: string): RegExp {
  try {
    return new RegExp(source, "su");
  } catch {
    throw new Error(`\`${at}.match\` is not a regular expression`);
  }
}

function refuseOthers(map: JsonObject, known: readonly string[], at: string): void {
  const other = Object.keys(map).find((key) => !known.includes(key));
  if (other === undefined) return;
  const [near] = nearest(other, known);
  throw new Error(`\`${at}\` has an unknown key \`${other}\`${near === undefined ? "" : `; did you mean \`${near}\`?`}`);
}

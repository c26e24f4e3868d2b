import { isList, isObject, nearest } from "../base/index.ts";
import type { AgentSettings } from "../ports/index.ts";
import { isWord, type EntryProblem } from "./check-setting.ts";

const protocols = ["acp", "claude-cli", "script"];
const levels = ["read", "edit", "all"];
const ways = ["resume", "load", "none"];

/** What each key of an agent's entry must be. */
const agentKeys: Readonly<Record<keyof AgentSettings, { readonly fits: (value: unknown) => boolean; readonly expected: string }>> = {
  protocol: { fits: oneOf(protocols), expected: `one of ${protocols.join(", ")}` },
  command: {
    fits: (value) => isList(value) && value.length > 0 && value.every(isWord),
    expected: "a list with a program and its arguments",
  },
  env: {
    fits: (value) => isList(value) && value.every(isVariable),
    expected: "a list of `NAME` or `NAME=value`, without variables of Waymark",
  },
  mode: { fits: isMode, expected: "the name of a mode, or a map of `read`, `edit` and `all` to modes" },
  model: { fits: isWord, expected: "the name of a model" },
  models: { fits: isModels, expected: "a map of names to models, such as `small: haiku`" },
  permission: { fits: oneOf(levels), expected: `one of ${levels.join(", ")}` },
  account: { fits: isWord, expected: "the name of an account" },
  auth: { fits: isWord, expected: "the name of a method" },
  resume: { fits: oneOf(ways), expected: `one of ${ways.join(", ")}` },
  file: { fits: isWord, expected: "a path" },
};

/** An agent's entry of a configuration file, or everything that is wrong with it. */
export function checkAgent(value: unknown): { readonly agent?: AgentSettings; readonly problems: readonly EntryProblem[] } {
  if (!isObject(value)) return { problems: [{ expected: "a map with `command`" }] };
  const names = Object.keys(agentKeys);
  const problems: EntryProblem[] = Object.keys(value)
    .filter((key) => !names.includes(key))
    .map((key) => ({ key, unknown: nearest(key, names) }));
  for (const [key, { fits, expected }] of Object.entries(agentKeys))
    if (Object.hasOwn(value, key) && !fits(value[key])) problems.push({ key, expected });
  const isScript = value["protocol"] === "script";
  if (isScript && !Object.hasOwn(value, "file")) problems.push({ key: "file", expected: "given, since the protocol is `script`" });
  for (const key of isScript ? ["command", "env", "mode", "model", "models", "auth", "resume"] : ["file"])
    if (Object.hasOwn(value, key))
      problems.push({ key, expected: `absent, since the protocol is ${isScript ? "`script`" : "not `script`"}` });
  return problems.length > 0 ? { problems } : { agent: value, problems };
}

function oneOf(words: readonly string[]): (value: unknown) => boolean {
  return (value) => typeof value === "string" && words.includes(value);
}

/** Waymark's own variables can give a person's rights, so no agent gets one. */
function isVariable(value: unknown): boolean {
  return typeof value === "string" && /^(?!WAYMARK_)[A-Za-z_][A-Za-z0-9_]*(?:=[^\0]*)?$/i.test(value);
}

function isModels(value: unknown): boolean {
  return isObject(value) && Object.values(value).every(isWord);
}

function isMode(value: unknown): boolean {
  return isWord(value) || (isObject(value) && Object.entries(value).every(([level, mode]) => levels.includes(level) && isWord(mode)));
}

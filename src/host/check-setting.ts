import { forbiddenKeys, isList, isObject, nearest, type JsonObject } from "../base/index.ts";
import type { CommandServer, Setting, UrlServer } from "./settings.ts";

export type Checked<Value> = { readonly ok: true; readonly value: Value } | { readonly ok: false; readonly expected: string };

/** Whether a value fits a setting. Text from variables and flags is read as the setting's type; text in files is not. */
export function checkSetting(setting: Setting, value: unknown, fromText: boolean): Checked<unknown> {
  if (value === null && setting.default === null) return { ok: true, value: null };
  switch (setting.kind) {
    case "path":
      return typeof value === "string" && value !== "" && !value.includes("\0") ? { ok: true, value } : no("a path");
    case "choice":
      return typeof value === "string" && setting.choices!.includes(value) ? { ok: true, value } : no(`one of ${listed(setting.choices!)}`);
    case "count":
    case "amount":
      return checkNumber(setting, fromText && typeof value === "string" && value.trim() !== "" ? Number(value) : value);
    case "texts":
      return checkTexts(fromText && typeof value === "string" ? splitList(value) : value);
    case "servers":
      return no("a map of servers");
  }
}

function checkNumber(setting: Setting, value: unknown): Checked<number> {
  const { kind, least = 0, most = Number.MAX_SAFE_INTEGER } = setting;
  const fits =
    typeof value === "number" && Number.isFinite(value) && (kind === "amount" ? value > least : Number.isInteger(value) && value >= least);
  if (fits && value <= most) return { ok: true, value };
  if (kind === "amount") return no(`a number greater than ${least}`);
  return no(most === Number.MAX_SAFE_INTEGER ? `a whole number from ${least}` : `a whole number from ${least} to ${most}`);
}

function checkTexts(value: unknown): Checked<readonly string[]> {
  const fits = isList(value) && value.every((entry) => typeof entry === "string" && entry !== "" && !entry.includes("\0"));
  return fits ? { ok: true, value: value as readonly string[] } : no("a list of texts");
}

function splitList(text: string): string[] {
  return text
    .split(",")
    .map((part) => part.trim())
    .filter((part) => part !== "");
}

/** One problem of a server entry; `key` is the part of the entry it concerns. */
export interface ServerProblem {
  readonly key?: string;
  readonly unknown?: readonly string[];
  readonly expected?: string;
}

const serverKeys = ["command", "args", "env", "cwd", "url"];

/** A server entry of a configuration file, or everything that is wrong with it. */
export function checkServer(value: unknown): { readonly server?: CommandServer | UrlServer; readonly problems: readonly ServerProblem[] } {
  if (!isObject(value)) return { problems: [{ expected: "a map with `command` or `url`" }] };
  const problems: ServerProblem[] = Object.keys(value)
    .filter((key) => !serverKeys.includes(key))
    .map((key) => ({ key, unknown: nearest(key, serverKeys) }));
  if ("command" in value === "url" in value) problems.push({ expected: "either `command` or `url`" });
  problems.push(...("url" in value ? urlProblems(value) : commandProblems(value)));
  if (problems.length > 0) return { problems };
  const server = "url" in value ? { url: value["url"] } : { args: [], env: {}, ...value };
  return { server: server as unknown as CommandServer | UrlServer, problems };
}

function urlProblems({ url, args, env, cwd }: JsonObject): ServerProblem[] {
  const problems: ServerProblem[] = [];
  if (typeof url !== "string" || !isLoopback(url)) {
    problems.push({ key: "url", expected: "an http address of this computer, such as `http://127.0.0.1:8000/mcp`" });
  }
  for (const [key, held] of Object.entries({ args, env, cwd })) {
    if (held !== undefined) problems.push({ key, expected: "absent, since the server has a `url`" });
  }
  return problems;
}

function commandProblems({ command, args, env, cwd }: JsonObject): ServerProblem[] {
  const problems: ServerProblem[] = [];
  if (command !== undefined && !isWord(command)) problems.push({ key: "command", expected: "the name or path of a program" });
  if (args !== undefined && !(isList(args) && args.every(isPlain))) problems.push({ key: "args", expected: "a list of texts" });
  if (env !== undefined && !isVariables(env)) problems.push({ key: "env", expected: "a map of variable names to texts" });
  if (cwd !== undefined && !isWord(cwd)) problems.push({ key: "cwd", expected: "a path" });
  return problems;
}

/** Server names stand in front of tool names (`server.tool`), so they have neither dots nor colons. */
export function isServerName(name: string): boolean {
  return /^[A-Za-z0-9][A-Za-z0-9_-]{0,63}$/.test(name) && !forbiddenKeys.has(name);
}

function isLoopback(text: string): boolean {
  if (!URL.canParse(text)) return false;
  const { protocol, hostname, username, password } = new URL(text);
  const here = hostname === "localhost" || hostname === "[::1]" || /^127(\.\d{1,3}){3}$/.test(hostname);
  return here && (protocol === "http:" || protocol === "https:") && username === "" && password === "";
}

function isVariables(value: unknown): boolean {
  return isObject(value) && Object.entries(value).every(([name, held]) => /^[A-Za-z_][A-Za-z0-9_]*$/.test(name) && isPlain(held));
}

function isWord(value: unknown): boolean {
  return isPlain(value) && value !== "";
}

function isPlain(value: unknown): value is string {
  return typeof value === "string" && !value.includes("\0");
}

function listed(names: readonly string[]): string {
  return names.map((name) => `\`${name}\``).join(", ");
}

function no(expected: string): { readonly ok: false; readonly expected: string } {
  return { ok: false, expected };
}

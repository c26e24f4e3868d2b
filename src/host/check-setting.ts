import { isAbsolute } from "node:path";
import { forbiddenKeys, isAddress, isDatabaseAddress, isList, isObject, nearest } from "../base/index.ts";
import { isCloneAddress } from "./clone-address.ts";
import type { CommandServer, Setting, UrlServer } from "./settings.ts";

export type Checked<Value> = { readonly ok: true; readonly value: Value } | { readonly ok: false; readonly expected: string };

/** Whether a value fits a setting. Text from variables and flags is read as the setting's type; text in files is not. */
export function checkSetting(setting: Setting, value: unknown, fromText: boolean): Checked<unknown> {
  if (value === null && setting.default === null) return { ok: true, value: null };
  switch (setting.kind) {
    case "path":
      return isWord(value) && !isAddress(value) ? { ok: true, value } : no("a path");
    case "address":
      return isWord(value) && isDatabaseAddress(value) ? { ok: true, value } : no("an address such as `postgres://user@host/database`");
    case "choice":
      return typeof value === "string" && setting.choices!.includes(value) ? { ok: true, value } : no(`one of ${listed(setting.choices!)}`);
    case "count":
    case "amount":
      return checkNumber(setting, fromText && typeof value === "string" && value.trim() !== "" ? Number(value) : value);
    case "texts":
      return checkTexts(fromText && typeof value === "string" ? splitList(value) : value);
    case "folders":
      return isList(value) && value.every(isFolder)
        ? { ok: true, value }
        : no("a list of absolute paths, or of paths that begin with `~/`");
    case "addresses":
      return isList(value) && value.every(isCloneAddress)
        ? { ok: true, value }
        : no("a list of addresses, such as `https://example.org/team/`, `git@example.org:team/` or `file:///srv/git/`");
    case "text":
      return isWord(value) ? { ok: true, value } : no("a text");
    case "servers":
    case "agents":
    case "roles":
    case "people":
      return no("a map of entries");
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
  return isList(value) && value.every(isWord) ? { ok: true, value } : no("a list of texts");
}

function splitList(text: string): string[] {
  return text
    .split(",")
    .map((part) => part.trim())
    .filter((part) => part !== "");
}

/** One problem of an entry with a name; `key` is the part of the entry it concerns. */
export interface EntryProblem {
  readonly key?: string;
  readonly unknown?: readonly string[];
  readonly expected?: string;
}

/** What each key of a server entry must be. */
const serverKeys: Readonly<Record<string, { readonly fits: (value: unknown) => boolean; readonly expected: string }>> = {
  url: { fits: isLoopback, expected: "an http address of this computer, such as `http://127.0.0.1:8000/mcp`" },
  command: { fits: isWord, expected: "the name or path of a program" },
  args: { fits: (value) => isList(value) && value.every(isPlain), expected: "a list of texts" },
  env: { fits: isVariables, expected: "a map of variable names to texts" },
  cwd: { fits: isWord, expected: "a path" },
};

/** A server entry of a configuration file, or everything that is wrong with it. */
export function checkServer(value: unknown): { readonly server?: CommandServer | UrlServer; readonly problems: readonly EntryProblem[] } {
  if (!isObject(value)) return { problems: [{ expected: "a map with `command` or `url`" }] };
  const names = Object.keys(serverKeys);
  const hasUrl = "url" in value;
  const problems: EntryProblem[] = Object.keys(value)
    .filter((key) => !names.includes(key))
    .map((key) => ({ key, unknown: nearest(key, names) }));
  if ("command" in value === hasUrl) problems.push({ expected: "either `command` or `url`" });
  for (const [key, { fits, expected }] of Object.entries(serverKeys)) {
    if (!Object.hasOwn(value, key) || (hasUrl && key === "command")) continue;
    if (hasUrl && key !== "url") problems.push({ key, expected: "absent, since the server has a `url`" });
    else if (!fits(value[key])) problems.push({ key, expected });
  }
  if (problems.length > 0) return { problems };
  const server = hasUrl ? { url: value["url"] } : { args: [], env: {}, ...value };
  return { server: server as unknown as CommandServer | UrlServer, problems };
}

/** Server names come in front of tool names (`server.tool`), so they have neither dots nor colons. */
export function isServerName(name: string): boolean {
  return /^[A-Za-z0-9][A-Za-z0-9_-]{0,63}$/.test(name) && !forbiddenKeys.has(name);
}

function isLoopback(text: unknown): boolean {
  if (typeof text !== "string" || !URL.canParse(text)) return false;
  const { protocol, hostname, username, password } = new URL(text);
  const here = hostname === "localhost" || hostname === "[::1]" || /^127(\.\d{1,3}){3}$/.test(hostname);
  return here && (protocol === "http:" || protocol === "https:") && username === "" && password === "";
}

function isVariables(value: unknown): boolean {
  return isObject(value) && Object.entries(value).every(([name, held]) => /^[A-Za-z_][A-Za-z0-9_]*$/.test(name) && isPlain(held));
}

function isFolder(value: unknown): boolean {
  return isWord(value) && (value === "~" || value.startsWith("~/") || isAbsolute(value));
}

export function isWord(value: unknown): value is string {
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

import { join, relative, resolve } from "node:path";
import { isAddress, isDatabaseAddress, isObject, nearest, shownDatabase, type Diagnostic, type Json } from "../base/index.ts";
import { checkSetting, type EntryProblem } from "./check-setting.ts";
import { groupOf } from "./named-groups.ts";
import { configProblem, didYouMean, readConfigFile, unknownKey, type ConfigEntry, type ConfigLayer } from "./read-config-file.ts";
import { namedEntry, namedGroups, otherVariables, settings, type Config, type ConfigSource, type Setting } from "./settings.ts";
import { userFolders, type Environment } from "./user-folders.ts";
import { insideWorkspace, pathForOutput, pathFromInput } from "./workspace-path.ts";

export interface ConfigRequest {
  readonly workspace: string;
  readonly env: Environment;
  /** By the name of the setting (`store`, `log.level`); undefined ones were not given. */
  readonly flags: Readonly<Record<string, unknown>>;
}

/** One effective value and where it comes from. */
export interface ConfigValue {
  readonly key: string;
  /** Without environment values of servers. */
  readonly value: Json;
  readonly source: ConfigSource;
  /** `file:line`, the variable or the flag; absent for defaults. */
  readonly at?: string;
}

interface Held {
  readonly value: unknown;
  readonly entry?: ConfigEntry;
}

/**
 * Effective settings: defaults, then the user's file, the project's file, the environment and flags, the later the stronger.
 * All problems come back together; a value that is wrong leaves the one below it in force, so `config` is always usable, but
 * nothing should be started on a configuration with errors.
 */
export async function loadConfig(request: ConfigRequest): Promise<{ config: Config; values: ConfigValue[]; diagnostics: Diagnostic[] }> {
  const folders = userFolders(request.env);
  const where: Where = { workspace: request.workspace, home: folders.home };
  const layers = [
    await readConfigFile(join(folders.config, "config.yaml"), "user"),
    await readConfigFile(join(request.workspace, ".waymark", "config.yaml"), "project", request.workspace),
    readEnvironment(request.env),
    readFlags(request.flags),
  ];
  const diagnostics = layers.flatMap((layer) => layer.diagnostics);
  const held = new Map<string, Held>();
  for (const setting of settings) {
    if (namedGroups.includes(setting.key)) continue;
    const { value, problems } = await placePaths(setting, setting.default, where);
    held.set(setting.key, { value });
    diagnostics.push(...problems);
  }
  for (const entry of layers.flatMap((layer) => layer.entries.map(asDatabase))) {
    const { value, problems } = await take(entry, where);
    diagnostics.push(...problems);
    if (problems.length === 0) held.set(entry.key, { value, entry });
  }
  checkTogether(held, diagnostics);
  return { config: buildConfig(held), values: describeValues(held), diagnostics };
}

/** What paths are resolved against. */
interface Where {
  readonly workspace: string;
  readonly home: string;
}

interface Taken {
  readonly value?: unknown;
  readonly problems: readonly Diagnostic[];
}

async function take(entry: ConfigEntry, where: Where): Promise<Taken> {
  const setting = settings.find(({ key }) => key === (namedEntry(entry.key)?.group ?? entry.key));
  if (setting?.own === true && entry.source === "project") return { problems: [onlyYours(entry, setting)] };
  return namedEntry(entry.key) === undefined ? takeValue(entry, where) : takeNamed(entry);
}

async function takeValue(entry: ConfigEntry, where: Where): Promise<Taken> {
  const setting = settingOf(entry.key);
  if (setting === undefined) return { problems: [unknownKey(entry.key, entry.place)] };
  const checked = checkSetting(setting, entry.value, entry.place === undefined);
  return checked.ok ? await placePaths(setting, checked.value, where, entry) : { problems: [wrongValue(entry, checked.expected)] };
}

/** An entry of a map: every problem of it, each by its key. */
function takeNamed(entry: ConfigEntry): Taken {
  const { group, name } = namedEntry(entry.key)!;
  const { what, isName, names, check } = groupOf[group]!;
  if (!isName(name)) return { problems: [wrongValue(entry, `${what} ${names}`)] };
  const { problems, ...checked } = check(name, entry.value);
  if (problems.length > 0) return { problems: problems.map((problem) => entryDiagnostic(entry, problem, what)) };
  return { value: { ...checked.value, from: entry.source }, problems: [] };
}

function entryDiagnostic(entry: ConfigEntry, problem: EntryProblem, what: string): Diagnostic {
  const path = problem.key === undefined ? entry.key : `${entry.key}.${problem.key}`;
  if (problem.unknown === undefined) return wrongValue({ ...entry, key: path, value: undefined }, problem.expected ?? what);
  const message = `The setting \`${path}\` does not exist.${didYouMean(problem.unknown)}`;
  return configProblem("HOST_CONFIG_UNKNOWN_KEY", message, { ...entry, key: path });
}

function wrongValue(entry: ConfigEntry, expected: string): Diagnostic {
  const { value } = entry;
  const isHidden =
    value === undefined || isObject(value) || settingOf(entry.key)?.kind === "address" || (typeof value === "string" && isAddress(value));
  const shown = isHidden ? "" : `, not \`${JSON.stringify(value)?.slice(0, 80)}\``;
  return configProblem("HOST_CONFIG_VALUE", `\`${entry.key}\` (${entry.at}) must be ${expected}${shown}.`, entry);
}

/** An unknown variable is only warned about: another program may have set it. */
function readEnvironment(env: Environment): ConfigLayer {
  const entries: ConfigEntry[] = [];
  const diagnostics: Diagnostic[] = [];
  const known = [...otherVariables, ...settings.flatMap(({ variable }) => variable ?? [])];
  for (const [name, value] of Object.entries(env)) {
    if (!name.startsWith("WAYMARK_") || value === undefined || value === "" || otherVariables.includes(name)) continue;
    const setting = settings.find(({ variable }) => variable === name);
    if (setting) entries.push({ key: setting.key, value, source: "environment", at: name });
    else {
      const message = `The environment variable \`${name}\` means nothing to Waymark.${didYouMean(nearest(name, known))}`;
      diagnostics.push({ ...configProblem("HOST_CONFIG_UNKNOWN_KEY", message, {}), severity: "warning" });
    }
  }
  return { entries, diagnostics };
}

function readFlags(flags: ConfigRequest["flags"]): ConfigLayer {
  const given = Object.entries(flags).filter(([, value]) => value !== undefined);
  const entries = given.map(([key, value]): ConfigEntry => ({ key, value, source: "flag", at: settingOf(key)?.flag ?? `flag ${key}` }));
  // A folder that is named for one command is where the runs are.
  const folder = entries.find((entry) => entry.key === "store" && asDatabase(entry) === entry);
  return { entries: [...entries, ...(folder === undefined ? [] : [{ ...folder, key: "store.url", value: null }])], diagnostics: [] };
}

/** Where a folder can be named, the address of a database can be. */
function asDatabase(entry: ConfigEntry): ConfigEntry {
  return entry.key === "store" && typeof entry.value === "string" && isDatabaseAddress(entry.value)
    ? { ...entry, key: "store.url" }
    : entry;
}

/** A project that chose the database would get to see the user's runs; one that chose people or places would let others work here. */
function onlyYours(entry: ConfigEntry, { variable }: Setting): Diagnostic {
  const instead = variable === undefined ? "" : `, or set \`${variable}\``;
  const message = `\`${entry.key}\` (${entry.at}) is not for a project to say. Move it to your own configuration${instead}.`;
  return configProblem("HOST_CONFIG_USER_ONLY", message, entry);
}

/**
 * Makes paths absolute: those of variables and flags from the current folder, others from the workspace. What a project
 * sets, and every default, must be in the workspace with all links followed, and not among the files of git.
 */
async function placePaths(setting: Setting, value: unknown, where: Where, entry?: ConfigEntry): Promise<Taken> {
  const isFolders = setting.key === "workflows.folders";
  if (setting.kind === "folders") {
    const places = (value as readonly string[]).map((path) => pathForOutput(resolve(fromHome(pathFromInput(path), where.home))));
    return { value: places, problems: [] };
  }
  if (value === null || (setting.kind !== "path" && !isFolders)) return { value, problems: [] };
  const fromCaller = !isFolders && (entry?.source === "environment" || entry?.source === "flag");
  const confined = isFolders || entry === undefined || entry.source === "project";
  const problems: Diagnostic[] = [];
  const places: string[] = [];
  for (const path of isFolders ? (value as string[]) : [value as string]) {
    const place = resolve(fromCaller ? process.cwd() : where.workspace, fromHome(pathFromInput(path), where.home));
    if (confined && (isGits(relative(where.workspace, place)) || !(await insideWorkspace(where.workspace, place))))
      problems.push(leadsOut(setting.key, place, entry));
    places.push(pathForOutput(place));
  }
  return { value: isFolders ? places : places[0], problems };
}

function isGits(path: string): boolean {
  return path.split(/[\\/]/).some((part) => part.toLowerCase() === ".git");
}

function leadsOut(key: string, path: string, entry: ConfigEntry | undefined): Diagnostic {
  const why = entry === undefined ? "A symbolic link of the project is in its way." : `It was set in ${entry.at}.`;
  const message = `\`${key}\` leads to \`${pathForOutput(path)}\`, outside the workspace or into its \`.git\`. ${why}`;
  return configProblem("HOST_CONFIG_OUTSIDE", message, entry ?? { key });
}

function fromHome(path: string, home: string): string {
  return path === "~" || path.startsWith("~/") ? join(home, path.slice(1)) : path;
}

function checkTogether(held: ReadonlyMap<string, Held>, diagnostics: Diagnostic[]): void {
  const [ttl, beat] = [held.get("lease.ttl_ms")!, held.get("lease.beat_ms")!];
  const [ttlMs, beatMs] = [ttl.value as number, beat.value as number];
  if (beatMs < ttlMs) return;
  const entry = beat.entry ?? ttl.entry ?? { key: "lease.beat_ms" };
  const message = `\`lease.beat_ms\` (${beatMs}) must be less than \`lease.ttl_ms\` (${ttlMs}), or every holder loses its strand between two beats.`;
  diagnostics.push(configProblem("HOST_CONFIG_VALUE", message, entry));
}

function buildConfig(held: ReadonlyMap<string, Held>): Config {
  const groups: Record<string, Record<string, unknown>> = Object.fromEntries(namedGroups.map((group) => [group, {}]));
  for (const [key, { value }] of held) {
    const [group = "", name] = keyParts(key);
    if (name !== undefined) (groups[group] ??= {})[name] = value;
  }
  const { store: database, ...others } = groups;
  return { ...others, store: held.get("store")!.value, database } as unknown as Config;
}

/** Names of entries may have dots. */
function keyParts(key: string): readonly string[] {
  const named = namedEntry(key);
  return named === undefined ? key.split(".") : [named.group, named.name];
}

function describeValues(held: ReadonlyMap<string, Held>): ConfigValue[] {
  const empty = namedGroups.filter((group) => ![...held.keys()].some((key) => namedEntry(key)?.group === group));
  return [
    ...[...held].map(([key, { value, entry }]): ConfigValue => {
      const shown = shownValue(key, value);
      return entry === undefined ? { key, value: shown, source: "default" } : { key, value: shown, source: entry.source, at: entry.at };
    }),
    ...empty.map((key): ConfigValue => ({ key, value: null, source: "default" })),
  ];
}

function shownValue(key: string, value: unknown): Json {
  const named = namedEntry(key);
  if (settingOf(key)?.kind === "address" && typeof value === "string") return shownDatabase(value);
  if (named === undefined) return value as Json;
  return groupOf[named.group]!.show(value as never);
}

function settingOf(key: string): Setting | undefined {
  return settings.find((setting) => setting.key === key && !namedGroups.includes(key));
}

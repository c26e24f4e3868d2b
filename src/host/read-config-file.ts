import type { Node, Pair, YAMLMap } from "yaml";
import { isWaymarkError, nearest, type Diagnostic, type Place } from "../base/index.ts";
import { fixOf } from "./codes.ts";
import { loadYaml } from "./parse-yaml.ts";
import { readDefinition } from "./read-definition.ts";
import { namedGroups, settings, type ConfigSource } from "./settings.ts";
import { pathForOutput, realPlace } from "./workspace-path.ts";

/** A key and value as a file, a variable or a flag gives it; not checked yet. */
export interface ConfigEntry {
  readonly key: string;
  readonly value: unknown;
  readonly source: ConfigSource;
  /** `file:line`, the variable or the flag. */
  readonly at: string;
  readonly place?: Place;
}

export interface ConfigLayer {
  readonly entries: ConfigEntry[];
  readonly diagnostics: Diagnostic[];
}

const largestFile = 1024 * 1024;

/**
 * Entries of one file, keys with dots; `mcp_servers`, `agents` and `roles` give one entry per name. An absent file has none. With `folder`, a
 * file that is really elsewhere is refused.
 */
export async function readConfigFile(path: string, source: ConfigSource, folder?: string): Promise<ConfigLayer> {
  const file = pathForOutput(path);
  try {
    const text = await readDefinition(path, folder && ((await realPlace(folder)) ?? folder), largestFile);
    return text === undefined ? { entries: [], diagnostics: [] } : await readSettings(text, file, source);
  } catch (cause) {
    if (!isWaymarkError(cause)) throw cause;
    return { entries: [], diagnostics: [configProblem(cause.code, cause.message, { place: { file, line: 1, column: 1 } })] };
  }
}

async function readSettings(text: string, file: string, source: ConfigSource): Promise<ConfigLayer> {
  const { LineCounter, isMap, isScalar, parseDocument } = await loadYaml();
  const lines = new LineCounter();
  const document = parseDocument(text, { lineCounter: lines, prettyErrors: false });
  const entries: ConfigEntry[] = [];
  const diagnostics: Diagnostic[] = [];
  const placeAt = (offset: number): Place => {
    const { line, col } = lines.linePos(offset);
    return { file, line: Math.max(1, line), column: Math.max(1, col) };
  };
  const placeOf = (pair: Pair): Place => placeAt((pair.key as Node | null)?.range?.[0] ?? 0);
  const complain = (message: string, offset: number): void => {
    const whole = `The configuration file cannot be read: ${message.replace(/\.$/, "")}.`;
    diagnostics.push(configProblem("HOST_CONFIG_SYNTAX", whole, { place: placeAt(offset) }));
  };
  const isEmpty = (node: unknown): boolean => node === null || (isScalar(node) && node.value === null);
  const take = (key: string, pair: Pair): void => {
    const node = pair.value as Node | null;
    const place = placeOf(pair);
    try {
      entries.push({ key, value: node?.toJS(document) ?? null, source, at: `${file}:${place.line}`, place });
    } catch (cause) {
      // Too many or unknown aliases.
      complain(cause instanceof Error ? cause.message : String(cause), node?.range?.[0] ?? 0);
    }
  };
  const walk = (map: YAMLMap, above: string): void => {
    for (const pair of map.items) {
      const written = above === "" ? keyText(pair) : `${above}.${keyText(pair)}`;
      const key = settings.find(({ beside }) => beside === written)?.key ?? written;
      const isSetting = settings.some((setting) => setting.key === key) && (key !== written || !isMap(pair.value));
      const isGroup = namedGroups.includes(key) || (!isSetting && settings.some((setting) => setting.key.startsWith(`${key}.`)));
      if (namedGroups.includes(above) || (!isGroup && isSetting)) take(key, pair);
      else if (!isGroup) diagnostics.push(unknownKey(key, placeOf(pair)));
      else if (isMap(pair.value)) walk(pair.value, key);
      else if (!isEmpty(pair.value))
        diagnostics.push(configProblem("HOST_CONFIG_VALUE", `\`${key}\` must be a map.`, { key, place: placeOf(pair) }));
    }
  };
  for (const { message, pos } of document.errors) complain(message, pos[0]);
  if (document.errors.length > 0) return { entries, diagnostics };
  const top: unknown = document.contents;
  if (isMap(top)) walk(top, "");
  else if (!isEmpty(top)) complain("The file must be a map of settings", 0);
  return { entries, diagnostics };
}

function keyText(pair: Pair): string {
  const key: unknown = pair.key;
  return typeof key === "object" && key !== null && "value" in key ? String(key.value) : String(key);
}

/** What is wrong with a setting, by its key and its place where they are known. */
export function configProblem(
  code: string,
  message: string,
  { key, place }: { readonly key?: string; readonly place?: Place },
): Diagnostic {
  const where = { ...(key === undefined ? {} : { path: key }), ...(place === undefined ? {} : { place }) };
  return { code, severity: "error", message, fix: fixOf(code), ...where };
}

/** The same words for an unknown key of a file, a variable and a flag. */
export function unknownKey(key: string, place?: Place): Diagnostic {
  const near = nearest(key, new Set(settings.flatMap((setting) => [setting.key, setting.key.replace(/\..*/, "")])));
  const message = `The setting \`${key}\` does not exist.${didYouMean(near)}`;
  return configProblem("HOST_CONFIG_UNKNOWN_KEY", message, { key, ...(place === undefined ? {} : { place }) });
}

export function didYouMean(near: readonly string[]): string {
  return near.length === 0 ? "" : ` Did you mean ${near.map((name) => `\`${name}\``).join(" or ")}?`;
}

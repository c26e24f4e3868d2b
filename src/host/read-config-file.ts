// `yaml` has two homes, the dialects and this room: configuration files are YAML too. It is loaded only when a file exists.
import type * as Yaml from "yaml";
import type { Document, LineCounter, Node, Pair, YAMLMap } from "yaml";
import { isWaymarkError, nearest, type Diagnostic, type Json, type Place } from "../base/index.ts";
import { fixOf } from "./codes.ts";
import { loadYaml } from "./load-yaml.ts";
import { readDefinition } from "./read-definition.ts";
import { settings, type ConfigSource } from "./settings.ts";
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

const largestFile = 1024 * 1024;

/**
 * Entries of one file, keys with dots; `mcp_servers` gives one entry per server. An absent file has none. With `folder`, a
 * file that really lies elsewhere is refused.
 */
export async function readConfigFile(
  path: string,
  source: ConfigSource,
  folder?: string,
): Promise<{ entries: ConfigEntry[]; diagnostics: Diagnostic[] }> {
  const file = pathForOutput(path);
  let text: string | undefined;
  try {
    text = await readDefinition(path, folder && ((await realPlace(folder)) ?? folder), largestFile);
  } catch (cause) {
    if (!isWaymarkError(cause)) throw cause;
    const place = { file, line: 1, column: 1 };
    return {
      entries: [],
      diagnostics: [{ code: cause.code, severity: "error", message: cause.message, fix: cause.fix ?? fixOf(cause.code), place }],
    };
  }
  if (text === undefined) return { entries: [], diagnostics: [] };
  const yaml = await loadYaml();
  const lines = new yaml.LineCounter();
  const document = yaml.parseDocument(text, { lineCounter: lines, prettyErrors: false });
  return new FileReader(yaml, { file, source, document, lines }).read();
}

interface FileFacts {
  readonly file: string;
  readonly source: ConfigSource;
  readonly document: Document;
  readonly lines: LineCounter;
}

class FileReader {
  readonly #yaml: typeof Yaml.default;
  readonly #facts: FileFacts;
  readonly #entries: ConfigEntry[] = [];
  readonly #diagnostics: Diagnostic[] = [];

  constructor(yaml: typeof Yaml.default, facts: FileFacts) {
    this.#yaml = yaml;
    this.#facts = facts;
  }

  read(): { entries: ConfigEntry[]; diagnostics: Diagnostic[] } {
    const { document } = this.#facts;
    for (const { message, pos } of document.errors) this.#complain(message, pos[0]);
    if (document.errors.length === 0) {
      const top: unknown = document.contents;
      if (this.#yaml.isMap(top)) this.#walk(top, "");
      else if (top !== null && !(this.#yaml.isScalar(top) && top.value === null)) this.#complain("The file must be a map of settings", 0);
    }
    return { entries: this.#entries, diagnostics: this.#diagnostics };
  }

  #walk(map: YAMLMap, above: string): void {
    for (const pair of map.items) {
      const key = above === "" ? keyText(pair) : `${above}.${keyText(pair)}`;
      const value: unknown = pair.value;
      if (settings.some((setting) => setting.key === key) && key !== "mcp_servers") this.#take(key, pair);
      else if (above === "mcp_servers") this.#take(key, pair);
      else if (key === "mcp_servers" || settings.some((setting) => setting.key.startsWith(`${key}.`))) this.#group(key, value, pair);
      else this.#unknown(key, pair);
    }
  }

  #group(key: string, value: unknown, pair: Pair): void {
    if (this.#yaml.isMap(value)) return this.#walk(value, key);
    if (value === null || (this.#yaml.isScalar(value) && value.value === null)) return;
    const message = `\`${key}\` must be a map.`;
    this.#diagnostics.push({
      code: "HOST_CONFIG_VALUE",
      severity: "error",
      message,
      fix: fixOf("HOST_CONFIG_VALUE"),
      path: key,
      place: this.#placeOf(pair),
    });
  }

  #take(key: string, pair: Pair): void {
    const place = this.#placeOf(pair);
    const value = this.#plain(pair.value as Node | null);
    if (value === undefined) return;
    this.#entries.push({ key, value: value.held, source: this.#facts.source, at: `${this.#facts.file}:${place.line}`, place });
  }

  /** Undefined after a complaint: too many or unknown aliases. */
  #plain(node: Node | null): { readonly held: Json } | undefined {
    try {
      return { held: (node?.toJS(this.#facts.document) ?? null) as Json };
    } catch (cause) {
      this.#complain(cause instanceof Error ? cause.message : String(cause), node?.range?.[0] ?? 0);
      return undefined;
    }
  }

  #unknown(key: string, pair: Pair): void {
    this.#diagnostics.push(unknownKey(key, `The setting \`${key}\` does not exist`, this.#placeOf(pair)));
  }

  #complain(message: string, offset: number): void {
    const text = `The configuration file cannot be read: ${message.replace(/\.$/, "")}.`;
    this.#diagnostics.push({
      code: "HOST_CONFIG_SYNTAX",
      severity: "error",
      message: text,
      fix: fixOf("HOST_CONFIG_SYNTAX"),
      place: this.#placeAt(offset),
    });
  }

  #placeOf(pair: Pair): Place {
    return this.#placeAt((pair.key as Node | null)?.range?.[0] ?? 0);
  }

  #placeAt(offset: number): Place {
    const { line, col } = this.#facts.lines.linePos(offset);
    return { file: this.#facts.file, line: Math.max(1, line), column: Math.max(1, col) };
  }
}

function keyText(pair: Pair): string {
  const key: unknown = pair.key;
  return typeof key === "object" && key !== null && "value" in key ? String(key.value) : String(key);
}

/** The same words for an unknown key wherever it stands. */
export function unknownKey(key: string, beginning: string, place?: Place): Diagnostic {
  const near = nearest(key, new Set(settings.flatMap((setting) => [setting.key, setting.key.replace(/\..*/, "")])));
  const hint = near.length === 0 ? "" : ` Did you mean ${near.map((name) => `\`${name}\``).join(" or ")}?`;
  const facts = {
    code: "HOST_CONFIG_UNKNOWN_KEY",
    severity: "error",
    message: `${beginning}.${hint}`,
    fix: fixOf("HOST_CONFIG_UNKNOWN_KEY"),
    path: key,
  } as const;
  return place === undefined ? facts : { ...facts, place };
}

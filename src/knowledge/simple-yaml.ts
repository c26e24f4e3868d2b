import type { Json, JsonObject } from "../base/index.ts";

/**
 * Reads the plain form in which nearly all front matter is written: keys, scalars, lists of scalars, one map inside. Undefined
 * for everything else, also for what is merely unusual: the real parser then decides. Thousands of topics are read this way.
 */
export function readSimpleYaml(text: string): JsonObject | undefined {
  if (/[\t\x00-\x09\x0b\x0c\x0e-\x1f\x7f\x85\u2028\u2029\uFEFF]/.test(text)) return undefined;
  const lines = text.split(/\r?\n/);
  const result: Record<string, Json> = {};
  const reader = { lines, at: 0 };
  while (reader.at < lines.length) {
    const line = lines[reader.at]!;
    if (isBlank(line)) {
      reader.at += 1;
      continue;
    }
    const pair = pairOf(line, 0);
    if (pair === undefined || Object.hasOwn(result, pair.key)) return undefined;
    reader.at += 1;
    const value = pair.rest === "" ? readBlock(reader, 0, true) : readInline(pair.rest);
    if (value === undefined) return undefined;
    result[pair.key] = value;
  }
  return result;
}

interface Reader {
  readonly lines: readonly string[];
  at: number;
}

const keyForm = /^( *)([A-Za-z_][A-Za-z0-9_-]*):(?: +(.*?))? *$/;
const itemForm = /^( *)- +(\S.*?) *$/;

function pairOf(line: string, indent: number): { readonly key: string; readonly rest: string } | undefined {
  const match = keyForm.exec(line);
  if (match === null || match[1]!.length !== indent || match[2] === "__proto__" || ambiguous.test(match[2]!)) return undefined;
  return { key: match[2]!, rest: match[3] ?? "" };
}

/** What stands below a key without a value: nothing, a list, or a map. */
function readBlock(reader: Reader, above: number, maps: boolean): Json | undefined {
  skipBlank(reader);
  const line = reader.lines[reader.at];
  const indent = line === undefined ? 0 : line.length - line.trimStart().length;
  const isItem = line !== undefined && /^ *-( |$)/.test(line);
  if (line === undefined || indent < above || (indent === above && !isItem)) return null;
  if (isItem) return readItems(reader, indent);
  return maps ? readMap(reader, indent) : undefined;
}

function readItems(reader: Reader, indent: number): Json | undefined {
  const items: Json[] = [];
  for (skipBlank(reader); reader.at < reader.lines.length; skipBlank(reader)) {
    const line = reader.lines[reader.at]!;
    const depth = line.length - line.trimStart().length;
    if (depth < indent || (depth === indent && !/^ *-/.test(line))) break;
    const match = itemForm.exec(line);
    if (match === null || depth !== indent) return undefined;
    const item = readScalar(match[2]!);
    if (item === undefined) return undefined;
    items.push(item);
    reader.at += 1;
  }
  return items;
}

function readMap(reader: Reader, indent: number): Json | undefined {
  const map: Record<string, Json> = {};
  for (skipBlank(reader); reader.at < reader.lines.length; skipBlank(reader)) {
    const line = reader.lines[reader.at]!;
    if (line.length - line.trimStart().length < indent) break;
    const pair = pairOf(line, indent);
    if (pair === undefined || Object.hasOwn(map, pair.key)) return undefined;
    reader.at += 1;
    const value = pair.rest === "" ? readBlock(reader, indent, false) : readInline(pair.rest);
    if (value === undefined) return undefined;
    map[pair.key] = value;
  }
  return map;
}

function readInline(text: string): Json | undefined {
  if (!text.startsWith("[")) return readScalar(text);
  if (!text.endsWith("]")) return undefined;
  const inner = text.slice(1, -1).trim();
  if (inner === "") return [];
  const items: Json[] = [];
  let rest = inner;
  for (;;) {
    const match = /^(?:"[^"\\]*"|'[^']*'|[^"'[\]{},#&*!|>%@`:]+)/.exec(rest);
    if (match === null) return undefined;
    const item = readScalar(match[0].trim());
    if (item === undefined) return undefined;
    items.push(item);
    rest = rest.slice(match[0].length).trimStart();
    if (rest === "") return items;
    if (!rest.startsWith(",")) return undefined;
    rest = rest.slice(1).trimStart();
    if (rest === "") return undefined;
  }
}

/** Words and numbers that one reader takes as a text and another as a value. */
const ambiguous = /^(?:true|false|null|yes|no|on|off|y|n)$/i;
const plain = /^[A-Za-z_(./\\$][^#"'[\]{},&*!|>%@`:]*$/;

function readScalar(text: string): Json | undefined {
  const quoted = /^(?:"([^"\\]*)"|'([^']*)')$/.exec(text);
  if (quoted !== null) return quoted[1] ?? quoted[2] ?? "";
  if (/^(?:0|[1-9]\d{0,8})$/.test(text) || /^(?:0|[1-9]\d{0,8})\.\d{1,8}$/.test(text)) return Number(text);
  if (text === "true" || text === "false") return text === "true";
  if (text === "null") return null;
  if (/^\d+(?:\+|\.\.\d*|-\d+|->\d+)$/.test(text)) return text;
  if (ambiguous.test(text) || /^[.](?:\d|inf|nan)/i.test(text)) return undefined;
  return plain.test(text) ? text : undefined;
}

function isBlank(line: string): boolean {
  return line.trim() === "" || /^ *#/.test(line);
}

function skipBlank(reader: Reader): void {
  while (reader.at < reader.lines.length && isBlank(reader.lines[reader.at]!)) reader.at += 1;
}

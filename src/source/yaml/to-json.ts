import { isAlias, isMap, isNode, isPair, isScalar, isSeq, type Alias, type Node, type Pair, type Scalar, type YAMLMap } from "yaml";
import { forbiddenKeys, type Json } from "../../base/index.ts";
import type { DocumentPath, SourceFile } from "../source-node.ts";
import { keyName, rangeOf, type Places } from "./places.ts";
import { deepest, textProblem, tooDeep, unquotedTemplate, type Finding, type TextProblem } from "../text-problem.ts";

export const mostCopies = 100_000;

/** One pass over a document; what is wrong goes to `problems`. */
export interface Reading {
  readonly source: SourceFile;
  readonly places: Places;
  readonly problems: TextProblem[];
  /** Which node an alias meant when it was read; anchors may be defined again further down. */
  readonly aliases: Map<Alias, Node>;
  readonly anchors: Map<string, Node>;
  readonly open: Set<Node>;
  /** How many aliases are being followed, and how many values they may still add. What is in the text itself is not limited. */
  expanding: number;
  copiesLeft: number;
}

/** The JSON value of a node, aliases followed. What JSON or a definition cannot hold is reported and left out. */
export function toJson(reading: Reading, node: Node, path: DocumentPath): Json {
  if (reading.expanding > 0 && reading.copiesLeft-- <= 0) {
    const message = `The aliases of the file expand to more than ${mostCopies} values.`;
    if (reading.copiesLeft === -1) report(reading, ["alias", message, "Write the values out, or make the file smaller."], node, path);
    return null;
  }
  if (path.length > deepest) {
    if (!reading.problems.some(({ fault }) => fault === "too_deep")) report(reading, tooDeep, node, []);
    return null;
  }
  if (isAlias(node)) return aliasToJson(reading, node, path);
  if (node.anchor !== undefined) reading.anchors.set(node.anchor, node);
  if (isMap(node)) return mapToJson(reading, node, path);
  if (isSeq(node)) return listToJson(reading, node.items, path, node);
  return isScalar(node) ? scalarToJson(reading, node, path) : null;
}

function aliasToJson(reading: Reading, alias: Alias, path: DocumentPath): Json {
  const target = reading.anchors.get(alias.source);
  if (target === undefined) {
    const fix = `Define \`&${alias.source}\` before this line.`;
    report(reading, ["alias", `The alias \`*${alias.source}\` does not name an anchor above it.`, fix], alias, path);
    return null;
  }
  if (reading.open.has(target)) {
    report(reading, ["alias", `The alias \`*${alias.source}\` contains itself.`, "Write the inner value out."], alias, path);
    return null;
  }
  reading.aliases.set(alias, target);
  reading.expanding++;
  const value = toJson(reading, target, path);
  reading.expanding--;
  return value;
}

function listToJson(reading: Reading, items: readonly unknown[], path: DocumentPath, node: Node): Json[] {
  reading.open.add(node);
  const list = items.map((item, index) =>
    isNode(item) ? toJson(reading, item, [...path, index]) : isPair(item) ? pairAsMap(reading, item, [...path, index]) : null,
  );
  reading.open.delete(node);
  return list;
}

function pairAsMap(reading: Reading, pair: Pair, path: DocumentPath): Json {
  const held: Record<string, Json> = {};
  addPair(reading, pair, path, held);
  return held;
}

function mapToJson(reading: Reading, map: YAMLMap, path: DocumentPath): Json {
  const [start = 0, end = 0] = map.range ?? [];
  if (map.flow === true && reading.source.text.startsWith("{{", start)) {
    report(reading, unquotedTemplate, map, path);
    return reading.source.text.slice(start, end);
  }
  reading.open.add(map);
  const held: Record<string, Json> = {};
  for (const pair of map.items) addPair(reading, pair, path, held);
  reading.open.delete(map);
  return held;
}

function addPair(reading: Reading, pair: Pair, path: DocumentPath, into: Record<string, Json>): void {
  const key: unknown = pair.key;
  const name = keyName(key);
  if (name === undefined) {
    report(reading, ["not_json", "A key is not a plain word.", "Use texts as keys."], isNode(key) ? key : undefined, path);
    return;
  }
  if (forbiddenKeys.has(name)) {
    const message = `The key \`${name}\` is not allowed in a definition.`;
    report(reading, ["forbidden_key", message, "Choose another name."], isNode(key) ? key : undefined, [...path, name]);
    return;
  }
  into[name] = isNode(pair.value) ? toJson(reading, pair.value, [...path, name]) : null;
}

function scalarToJson(reading: Reading, node: Scalar, path: DocumentPath): Json {
  const { value } = node;
  if (value === null || value === undefined) return null;
  if (typeof value === "string" || typeof value === "boolean") return value;
  if (typeof value === "number" && Number.isFinite(value)) return value;
  const message = `\`${reading.places.text(...rangeOf(node))}\` cannot be kept as JSON.`;
  report(reading, ["not_json", message, "Write it as text in quotes."], node, path);
  return typeof value === "number" ? 0 : null;
}

function report(reading: Reading, finding: Finding, node: Node | undefined, path: DocumentPath): void {
  const place = node === undefined ? reading.places.of(path, "value") : reading.places.ofNode(node);
  reading.problems.push(textProblem(finding, place, path));
}

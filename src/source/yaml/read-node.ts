import { isAlias, isMap, isNode, isPair, isScalar, isSeq, type Alias, type Node, type Pair, type Scalar, type YAMLSeq } from "yaml";
import { forbiddenKeys, type Json } from "../../base/index.ts";
import type { DocumentPath } from "../source-node.ts";
import type { PlacedNode, Places } from "./places.ts";
import { deepest, textProblem, tooDeep, unquotedTemplate, type Finding, type TextProblem } from "../text-problem.ts";

export const mostCopies = 100_000;

/** One pass over a document; what is wrong goes to `problems`. */
export interface Reading {
  readonly places: Places;
  readonly problems: TextProblem[];
  /** The last node so far with each anchor: they may be defined again further down. */
  readonly anchors: Map<string, Node>;
  readonly open: Set<Node>;
  /** How many aliases are being followed, and how many values they may still add. What is in the text itself is not limited. */
  expanding: number;
  copiesLeft: number;
}

/** The JSON value of a node with its places, aliases followed. What JSON or a definition cannot hold is reported and left out. */
export function readNode(reading: Reading, node: Node, path: DocumentPath): PlacedNode {
  const nothing = { value: null, range: rangeOf(node) };
  if (reading.expanding > 0 && reading.copiesLeft-- <= 0) {
    const message = `The aliases of the file expand to more than ${mostCopies} values.`;
    if (reading.copiesLeft === -1) report(reading, ["alias", message, "Write the values out, or make the file smaller."], node, path);
    return nothing;
  }
  if (path.length > deepest) {
    if (!reading.problems.some(({ fault }) => fault === "too_deep")) report(reading, tooDeep, node, []);
    return nothing;
  }
  if (isAlias(node)) return readAlias(reading, node, path) ?? nothing;
  if (node.anchor !== undefined) reading.anchors.set(node.anchor, node);
  if (isScalar(node))
    return { ...nothing, value: scalarToJson(reading, node, path), ...(typeof node.value === "string" && { style: node.type ?? "PLAIN" }) };
  if (!isMap(node) && !isSeq(node)) return nothing;
  const text = reading.places.text.slice(...nothing.range);
  if (isMap(node) && node.flow === true && text.startsWith("{{")) {
    report(reading, unquotedTemplate, node, path);
    return { ...nothing, value: text };
  }
  reading.open.add(node);
  const held = isMap(node) ? readMap(reading, node.items, path, node) : readList(reading, node, path);
  reading.open.delete(node);
  return { ...nothing, ...held };
}

function readAlias(reading: Reading, alias: Alias, path: DocumentPath): PlacedNode | undefined {
  const target = reading.anchors.get(alias.source);
  if (target === undefined || reading.open.has(target)) {
    const finding: Finding =
      target === undefined
        ? ["alias", `The alias \`*${alias.source}\` does not name an anchor above it.`, `Define \`&${alias.source}\` before this line.`]
        : ["alias", `The alias \`*${alias.source}\` contains itself.`, "Write the inner value out."];
    return report(reading, finding, alias, path);
  }
  reading.expanding++;
  const node = readNode(reading, target, path);
  reading.expanding--;
  return node;
}

type Held = Pick<PlacedNode, "value" | "inner">;

function readList(reading: Reading, list: YAMLSeq, path: DocumentPath): Held {
  const inner = new Map<number, PlacedNode>();
  const value = list.items.map((item, index) => {
    if (isPair(item)) return readMap(reading, [item], [...path, index], list).value;
    if (!isNode(item)) return null;
    const node = readNode(reading, item, [...path, index]);
    inner.set(index, node);
    return node.value;
  });
  return { value, inner };
}

function readMap(reading: Reading, pairs: readonly Pair[], path: DocumentPath, owner: Node): Held {
  const value: Record<string, Json> = {};
  const inner = new Map<string, PlacedNode>();
  for (const { key, value: held } of pairs) {
    const name = keyName(key);
    if (!isNode(key) || name === undefined) {
      report(reading, ["not_json", "A key is not a plain word.", "Use texts as keys."], isNode(key) ? key : owner, path);
    } else if (forbiddenKeys.has(name)) {
      const message = `The key \`${name}\` is not allowed in a definition.`;
      report(reading, ["forbidden_key", message, "Choose another name."], key, [...path, name]);
    } else {
      const node = isNode(held) ? readNode(reading, held, [...path, name]) : { value: null, range: rangeOf(key) };
      value[name] = node.value;
      // `key:` without a value has an empty range after the colon; the key is the better place to show.
      const range = isScalar(held) && held.value === null && node.range[0] === node.range[1] ? rangeOf(key) : node.range;
      // Of a key that is there twice, the first one is shown.
      if (!inner.has(name)) inner.set(name, { ...node, range, key: rangeOf(key) });
    }
  }
  return { value, inner };
}

function rangeOf(node: Node): [number, number] {
  return [node.range?.[0] ?? 0, node.range?.[1] ?? 0];
}

/** The text of a key; numbers and flags are read as texts too. */
function keyName(key: unknown): string | undefined {
  if (!isScalar(key)) return undefined;
  const { value } = key;
  return typeof value === "string" ? value : typeof value === "number" || typeof value === "boolean" ? `${value}` : undefined;
}

function scalarToJson(reading: Reading, node: Scalar, path: DocumentPath): Json {
  const { value } = node;
  if (value === null || value === undefined) return null;
  if (typeof value === "string" || typeof value === "boolean") return value;
  if (typeof value === "number" && Number.isFinite(value)) return value;
  const message = `\`${reading.places.text.slice(...rangeOf(node))}\` cannot be kept as JSON.`;
  report(reading, ["not_json", message, "Write it as text in quotes."], node, path);
  return typeof value === "number" ? 0 : null;
}

function report({ places, problems }: Reading, finding: Finding, node: Node, path: DocumentPath): undefined {
  problems.push(textProblem(finding, places.between(...rangeOf(node)), path));
}

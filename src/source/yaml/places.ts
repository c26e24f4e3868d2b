import { isAlias, isMap, isNode, isScalar, isSeq, type Alias, type Document, type LineCounter, type Node, type Pair } from "yaml";
import type { Place } from "../../base/index.ts";
import type { DocumentPath, SourceFile } from "../source-node.ts";
import { offsetInFile } from "./scalar-offset.ts";

export function rangeOf(node: Node): [number, number] {
  return [node.range?.[0] ?? 0, node.range?.[1] ?? 0];
}

/** The text of a key; numbers and flags are read as texts too. */
export function keyName(key: unknown): string | undefined {
  if (!isScalar(key)) return undefined;
  const { value } = key;
  return typeof value === "string" ? value : typeof value === "number" || typeof value === "boolean" ? `${value}` : undefined;
}

/** Turns nodes and document paths into lines and columns. */
export class Places {
  readonly #source: SourceFile;
  readonly #document: Document.Parsed;
  readonly #counter: LineCounter;
  readonly #aliases: ReadonlyMap<Alias, Node>;

  constructor(source: SourceFile, document: Document.Parsed, counter: LineCounter, aliases: ReadonlyMap<Alias, Node>) {
    this.#source = source;
    this.#document = document;
    this.#counter = counter;
    this.#aliases = aliases;
  }

  between(from: number, to: number): Place {
    const end = Math.max(from, from + this.text(from, to).trimEnd().length);
    const first = this.#position(from);
    const last = this.#position(end);
    return { file: this.#source.path, ...first, endLine: last.line, endColumn: last.column };
  }

  text(from: number, to: number): string {
    return this.#source.text.slice(from, to);
  }

  /** The whole line that holds an offset. */
  line(offset: number): string {
    const start = this.#source.text.lastIndexOf("\n", Math.max(0, offset - 1)) + 1;
    const end = this.#source.text.indexOf("\n", start);
    return this.#source.text.slice(start, end < 0 ? undefined : end);
  }

  ofNode(node: Node): Place {
    return this.between(...rangeOf(node));
  }

  of(path: DocumentPath, part: "key" | "value"): Place {
    const { node, key } = this.#find(path);
    if (part === "key" && key !== undefined) return this.ofNode(key);
    return node === undefined ? this.between(0, 0) : this.ofNode(node);
  }

  inText(path: DocumentPath, offset: number, length: number): Place {
    const { node } = this.#find(path);
    if (node === undefined || !isScalar(node) || typeof node.value !== "string") return this.of(path, "value");
    const [start, end] = rangeOf(node);
    const scalar = { style: node.type ?? "PLAIN", start, end };
    const at = offsetInFile(this.#source.text, scalar, offset, node.value);
    return this.between(at, Math.max(at, offsetInFile(this.#source.text, scalar, offset + length - 1, node.value)) + 1);
  }

  /** The node at a path and the key that leads to it; the nearest ones above when the path ends early. */
  #find(path: DocumentPath): { node: Node | undefined; key: Node | undefined } {
    let node: Node | undefined = isNode(this.#document.contents) ? this.#document.contents : undefined;
    let key: Node | undefined;
    for (const step of path) {
      const held: Node | undefined = node !== undefined && isAlias(node) ? this.#aliases.get(node) : node;
      if (isMap(held)) {
        const pair: Pair | undefined = held.items.find((each) => keyName(each.key) === String(step));
        if (pair === undefined) break;
        key = isNode(pair.key) ? pair.key : undefined;
        node = isNode(pair.value) && !isEmpty(pair.value) ? pair.value : key;
      } else if (isSeq(held)) {
        const item: unknown = held.items[Number(step)];
        if (!isNode(item)) break;
        key = undefined;
        node = item;
      } else {
        break;
      }
    }
    return { node: node !== undefined && isAlias(node) ? (this.#aliases.get(node) ?? node) : node, key };
  }

  #position(offset: number): { line: number; column: number } {
    const { line, col } = this.#counter.linePos(offset);
    return { line: Math.max(1, line), column: Math.max(1, col) };
  }
}

/** `key:` without a value has an empty range after the colon; the key is the better place to show. */
function isEmpty(node: Node): boolean {
  return isScalar(node) && node.value === null && (node.range?.[0] ?? 0) === (node.range?.[1] ?? 0);
}

import { isList, isObject, type Json, type Place } from "../base/index.ts";
import type { WorkflowReference } from "./dialect.ts";

/** A definition file as it was read; nothing of it is parsed yet. */
export interface SourceFile {
  readonly path: string;
  readonly text: string;
}

export type DocumentPath = readonly (string | number)[];

/** A file whose values have places. */
export interface ParsedFile {
  readonly source: SourceFile;
  /** Place of a value, or of the key that leads to it; of the nearest thing above when it does not exist. */
  placeOf(path: DocumentPath, part: "key" | "value"): Place;
  /** Place of a piece of a text value, by an offset into that text as it was parsed. */
  placeInText(path: DocumentPath, offset: number, length: number): Place;
}

/** A value of a file together with its place. Checks and lowering read values only through nodes, so none is without a place. */
export interface SourceNode {
  readonly file: ParsedFile;
  readonly path: DocumentPath;
  readonly value: Json;
}

export interface TextNode extends SourceNode {
  readonly value: string;
}

export function isText(node: SourceNode | undefined): node is TextNode {
  return typeof node?.value === "string";
}

export function child(node: SourceNode | undefined, key: string | number): SourceNode | undefined {
  if (node === undefined) return undefined;
  const value = isList(node.value)
    ? node.value[Number(key)]
    : isObject(node.value) && Object.hasOwn(node.value, key)
      ? node.value[key]
      : undefined;
  return value === undefined ? undefined : { file: node.file, path: [...node.path, key], value };
}

/** Follows several keys at once, e.g. `mcp.params`. */
export function descend(node: SourceNode | undefined, keys: DocumentPath): SourceNode | undefined {
  return keys.reduce<SourceNode | undefined>(child, node);
}

/** Members of a list; nothing when the value is not a list. */
export function membersOf(node: SourceNode | undefined): SourceNode[] {
  if (node === undefined || !isList(node.value)) return [];
  return node.value.map((value, index) => ({ file: node.file, path: [...node.path, index], value }));
}

/** Entries of a map; nothing when the value is not a map. */
export function entriesOf(node: SourceNode | undefined): [string, SourceNode][] {
  if (node === undefined || !isObject(node.value)) return [];
  return Object.entries(node.value).map(([key, value]) => [key, { file: node.file, path: [...node.path, key], value }]);
}

export function has(node: SourceNode | undefined, key: string): boolean {
  return node !== undefined && isObject(node.value) && Object.hasOwn(node.value, key);
}

export function textAt(node: SourceNode | undefined, key: string): string | undefined {
  const value = child(node, key)?.value;
  return typeof value === "string" ? value : undefined;
}

export function numberAt(node: SourceNode | undefined, key: string): number | undefined {
  const value = child(node, key)?.value;
  return typeof value === "number" ? value : undefined;
}

export function flagAt(node: SourceNode | undefined, key: string): boolean | undefined {
  const value = child(node, key)?.value;
  return typeof value === "boolean" ? value : undefined;
}

/** Texts of a list, or the one text that is there instead. */
export function textsAt(node: SourceNode | undefined, key: string): TextNode[] {
  const found = child(node, key);
  if (found === undefined) return [];
  return (isList(found.value) ? membersOf(found) : [found]).filter(isText);
}

/** `steps[2].then[0].path`; keys that are not plain words are quoted. */
export function formatDocumentPath(path: DocumentPath): string {
  return path
    .map((step, index) => {
      if (typeof step === "number") return `[${step}]`;
      if (/^[\w$-]+$/.test(step)) return index === 0 ? step : `.${step}`;
      return `[${JSON.stringify(step)}]`;
    })
    .join("");
}

/** Texts of a list; nothing when the value is not a list. */
export function listedTexts(node: SourceNode | undefined, key: string): TextNode[] {
  return membersOf(child(node, key)).filter(isText);
}

/** Every text in a value, at any depth. */
export function textLeaves(node: SourceNode | undefined): TextNode[] {
  if (node === undefined) return [];
  if (isText(node)) return [node];
  return [...membersOf(node), ...entriesOf(node).map(([, entry]) => entry)].flatMap(textLeaves);
}

/** A node that names a workflow. */
export function referenceTo(node: SourceNode, name: string, inputs?: readonly string[]): WorkflowReference {
  const place = node.file.placeOf(node.path, "value");
  return { name, place, path: formatDocumentPath(node.path), ...(inputs === undefined ? {} : { inputs }) };
}

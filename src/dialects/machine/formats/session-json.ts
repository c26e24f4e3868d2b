import { isObject, type Json, type JsonObject } from "../../../base/index.ts";
import { lineStarts, position, scanJson, withoutMark, type DocumentPath, type JsonFault, type JsonNode } from "../../../source/index.ts";
import { sessionReader, type Fields, type SessionReader } from "./session-reader.ts";
import { tellOfText } from "./text-form.ts";

const codes: Readonly<Record<JsonFault["kind"], string>> = {
  syntax: "MACHINE_SYNTAX",
  duplicate: "MACHINE_DUPLICATE_KEY",
  forbidden: "MACHINE_FORBIDDEN_KEY",
  deep: "MACHINE_TOO_DEEP",
};

export interface OpenedFile {
  readonly reader: SessionReader;
  /** Absent when the text cannot be read at all. */
  readonly value?: Json;
}

/** Text to a value whose problems have places. Never throws. */
export function openJson(text: string, file: string): OpenedFile {
  const plain = withoutMark(text);
  const { root, faults } = scanJson(plain);
  let lines: readonly number[] | undefined;
  const placeAt = (offset: number): { line: number; column: number } => position((lines ??= lineStarts(plain)), offset);
  const reader = sessionReader(file, (path) => {
    const node = nodeAt(root, path);
    return { file, ...placeAt(node?.from ?? 0) };
  });
  tellOfText(reader, text);
  for (const { kind, offset, message, fix } of faults) {
    const said = kind === "syntax" ? `\`${file}\` is not JSON: ${message}` : message;
    reader.problems.push({ code: codes[kind], severity: "error", message: said, fix, place: { file, ...placeAt(offset) } });
  }
  return root === undefined ? { reader } : { reader, value: root.value };
}

/** The map that a file holds; anything else is told. */
export function topFields({ reader, value }: OpenedFile): Fields | undefined {
  if (value === undefined) return undefined;
  if (isObject(value)) return { reader, held: value, path: [] };
  reader.error([], "MACHINE_WRONG_TYPE", `\`${reader.file}\` does not hold a map of keys.`, "Write the documented keys.");
  return undefined;
}

/** Two spaces, a line break at the end. */
export function writtenJson(value: Json): string {
  return `${JSON.stringify(value, null, 2)}\n`;
}

/** Keys of others come last, and never hide a documented one. */
export function withKept(fields: JsonObject, kept: JsonObject, reserved: readonly string[] = []): JsonObject {
  const others = Object.entries(kept).filter(([key]) => !Object.hasOwn(fields, key) && !reserved.includes(key));
  return { ...fields, ...Object.fromEntries(others) };
}

function nodeAt(root: JsonNode | undefined, path: DocumentPath): JsonNode | undefined {
  let node = root;
  for (const step of path) {
    const inner = node?.inner.get(step);
    if (inner === undefined) break;
    node = inner;
  }
  return node;
}

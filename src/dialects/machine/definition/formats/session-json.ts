import { isObject, type Json, type JsonObject } from "../../../../base/index.ts";
import { readJson, textDiagnostics } from "../../../../source/index.ts";
import { machineFaults } from "../text-faults.ts";
import { sessionReader, type Fields, type SessionReader } from "./session-reader.ts";
import { reportOnText } from "./text-form.ts";

export interface OpenedFile {
  readonly reader: SessionReader;
  /** Absent when the text cannot be read at all. */
  readonly value?: Json;
}

/** Text to a value whose problems have places. Never throws. */
export function openJson(text: string, path: string): OpenedFile {
  const { file, root, problems } = readJson({ path, text });
  const reader = sessionReader(path, (at) => file.placeOf(at, "value"));
  reportOnText(reader, text);
  const said = problems.map((each) => (each.fault === "syntax" ? { ...each, message: `\`${path}\` is not JSON: ${each.message}` } : each));
  reader.problems.push(...textDiagnostics(said, machineFaults));
  return root === undefined ? { reader } : { reader, value: root.value };
}

/** The map that a file holds; anything else is reported. */
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

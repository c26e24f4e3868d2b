import { isList, isObject, nearest, own, type Diagnostic, type Json, type JsonObject, type Place } from "../../../../base/index.ts";
import { formatDocumentPath, readJson, readTime, textDiagnostics, withoutMark, type DocumentPath } from "../../../../source/index.ts";
import { machineFaults } from "../vocabulary.ts";

const mostWarningsOfAKind = 50;

/** Collects what is wrong with one file. An error makes the file invalid for a content gate; a warning is accepted and reported. */
export interface SessionReader {
  readonly file: string;
  readonly problems: Diagnostic[];
  error(path: DocumentPath, code: string, message: string, fix: string): void;
  warn(path: DocumentPath, code: string, message: string, fix: string): void;
}

/** A map of the file, and its place. `error` and `warn` report on a value of it: the message begins with its name. */
export interface Fields extends Pick<SessionReader, "error" | "warn"> {
  readonly reader: SessionReader;
  readonly held: JsonObject;
  readonly path: DocumentPath;
}

export function fieldsOf(reader: SessionReader, held: JsonObject, path: DocumentPath): Fields {
  const report =
    (severity: "error" | "warn"): SessionReader["error"] =>
    (steps, code, says, fix) =>
      reader[severity]([...path, ...steps], code, `${nameOf([...path, ...steps])} ${says}`, fix);
  return { reader, held, path, error: report("error"), warn: report("warn") };
}

/** Maps of a list, each read; anything else in it is reported. Absent when the value is not a list. */
export function mapsAt<T>(fields: Fields, key: string, what: string, read: (entry: Fields, index: number) => T | undefined): readonly T[] {
  const list = valueAt(fields, key);
  return (isList(list) ? list : []).flatMap((held, index) => {
    if (isObject(held)) return read(fieldsOf(fields.reader, held, [...fields.path, key, index]), index) ?? [];
    wrongType(fields, [key, index], what);
    return [];
  });
}

export function sessionReader(file: string, placeOf: (path: DocumentPath) => Place | undefined): SessionReader {
  const problems: Diagnostic[] = [];
  const warnings = new Map<string, number>();
  const say = (severity: Diagnostic["severity"], path: DocumentPath, words: readonly [string, string, string]): void => {
    const [code, message, fix] = words;
    // Errors decide about gates, so none of them is left out.
    if (severity === "warning") {
      const before = warnings.get(code) ?? 0;
      if (before >= mostWarningsOfAKind) return;
      warnings.set(code, before + 1);
    }
    const at = formatDocumentPath(path);
    const place = placeOf(path);
    problems.push({ code, severity, message, fix, ...(at === "" ? {} : { path: at }), ...(place === undefined ? {} : { place }) });
  };
  return { file, problems, error: (path, ...words) => say("error", path, words), warn: (path, ...words) => say("warning", path, words) };
}

export function nameOf(path: DocumentPath): string {
  return `\`${formatDocumentPath(path)}\``;
}

/** The value under a key; null counts as missing. */
export function valueAt({ held }: Fields, key: string): Json | undefined {
  return own(held, key) ?? undefined;
}

/** A text; numbers are read as texts, everything else is reported and left out. */
export function textAt(fields: Fields, key: string): string | undefined {
  const value = valueAt(fields, key);
  if (value === undefined || typeof value === "string") return value;
  if (typeof value === "number") return String(value);
  wrongType(fields, [key], "a text");
  return undefined;
}

/** Texts of a list. A single text in its place is accepted; members of other types are reported and left out. */
export function textsAt(fields: Fields, key: string): readonly string[] | undefined {
  const value = valueAt(fields, key);
  if (value === undefined) return undefined;
  if (typeof value === "string") {
    fields.warn([key], "MACHINE_LIST_FORM", "is a single text where a list is expected.", "Write a list.");
    return value.trim() === "" ? [] : [value];
  }
  if (!isList(value)) {
    wrongType(fields, [key], "a list of texts");
    return undefined;
  }
  return value.flatMap((each, index) => {
    const text = typeof each === "string" ? each : typeof each === "number" ? String(each) : onePairAsText(fields, each, [key, index]);
    if (text === undefined) wrongType(fields, [key, index], "a text");
    return text ?? [];
  });
}

/** `- Note: all pass` without quotes is a map of one key in YAML; it was meant as a text. */
function onePairAsText(fields: Fields, value: Json, steps: DocumentPath): string | undefined {
  const pairs = isObject(value) ? Object.entries(value) : [];
  const [key, held] = pairs[0] ?? [];
  if (pairs.length !== 1 || key === undefined || typeof held === "object") return undefined;
  const text = `${key}: ${held}`;
  fields.warn(steps, "MACHINE_LIST_FORM", "is a map of one key where a text is expected.", `Write ${JSON.stringify(text)} in quotes.`);
  return text;
}

/** One of several words; null among them says that there need not be one. Other case and other separators are accepted and reported; any other word is an error. */
export function wordAt<T extends string | null>(fields: Fields, key: string, words: readonly T[]): T | undefined {
  const value = valueAt(fields, key);
  return value === undefined ? undefined : wordOf(fields, value, [key], words);
}

export function wordOf<T extends string | null>(fields: Fields, value: Json, steps: DocumentPath, words: readonly T[]): T | undefined {
  const exact = words.find((word) => word === value);
  if (exact !== undefined) return exact;
  const meant = typeof value === "string" ? words.find((word) => word !== null && bare(word) === bare(value)) : undefined;
  if (meant !== undefined) {
    fields.warn(steps, "MACHINE_WORD_FORM", `is \`${shown(value)}\`, which is read as \`${meant}\`.`, `Write \`${meant}\`.`);
    return meant;
  }
  const known = words.filter((word) => word !== null);
  const [near] = typeof value === "string" ? nearest(value.slice(0, 40), known, 1) : [];
  const list = [...known.map((word) => `\`${word}\``), ...(known.length < words.length ? ["or null"] : [])].join(", ");
  const fix = near === undefined ? `Write one of ${list}.` : `Write \`${near}\`, or another of ${list}.`;
  fields.error(steps, "MACHINE_UNKNOWN_WORD", `is \`${shown(value)}\`, which is not a word known there.`, fix);
  return undefined;
}

/** A time as UTC with milliseconds. Offsets, long fractions and times without a zone (read as UTC) are accepted and reported. */
export function timeAt(fields: Fields, key: string): string | undefined {
  const value = valueAt(fields, key);
  if (value === undefined) return undefined;
  const said = `is \`${shown(value)}\`, which is`;
  const time = typeof value === "string" ? readTime(value, 0) : undefined;
  if (time === undefined) fields.error([key], "MACHINE_WRONG_TYPE", `${said} not a time.`, "Write it like `2026-03-02T10:15:00.000Z`.");
  else if (typeof value === "string" && !/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d{1,3})?Z$/.test(value))
    fields.warn([key], "MACHINE_TIME_FORM", `${said} read as \`${time}\`.`, `Write \`${time}\`.`);
  return time;
}

export function flagAt(fields: Fields, key: string): boolean | undefined {
  const value = valueAt(fields, key);
  if (value === undefined || typeof value === "boolean") return value;
  wrongType(fields, [key], "true or false");
  return undefined;
}

/** A map under a key; missing and unusable are the same afterwards. `form` says what it should hold. */
export function fieldsAt(fields: Fields, key: string, form = "a map"): Fields | undefined {
  const value = valueAt(fields, key);
  if (value === undefined) return undefined;
  if (isObject(value)) return fieldsOf(fields.reader, value, [...fields.path, key]);
  wrongType(fields, [key], "a map", form);
  return undefined;
}

export function wrongType(fields: Fields, steps: DocumentPath, expected: string, form: string = expected): void {
  fields.error(steps, "MACHINE_WRONG_TYPE", `is not ${expected} and is left out.`, `Write ${form}.`);
}

/** The same map with other names for some keys: old name to documented name. The documented name wins where both are there. */
export function withAliases(fields: Fields, code: string, aliases: Readonly<Record<string, string>>): Fields {
  const { held } = fields;
  const found = Object.keys(held).filter((key) => Object.hasOwn(aliases, key) && !Object.hasOwn(held, aliases[key] ?? ""));
  for (const key of found) fields.warn([key], code, `is read as \`${aliases[key]}\`.`, `Rename the key to \`${aliases[key]}\`.`);
  const renamed = Object.entries(held).map(([key, value]) => [found.includes(key) ? (aliases[key] ?? key) : key, value] as const);
  return { ...fields, held: Object.fromEntries(renamed) };
}

/** Entries of the list under `key` with unique ids: one that has none gets the next free number; a twin gets a number and is reported. */
export function withUniqueIds<T extends { readonly id: string }>(
  { reader }: Fields,
  entries: readonly T[],
  { key, what, prefix }: { readonly key: string; readonly what: string; readonly prefix: string },
): readonly T[] {
  const ids = uniqueIds(
    entries.map(({ id }) => id),
    prefix,
  );
  return entries.map((entry, index) => {
    const id = ids[index] ?? entry.id;
    const message = `The ${what} \`${entry.id}\` is there twice; this one is read as \`${id}\`.`;
    if (entry.id !== "" && entry.id !== id)
      reader.error([key, index, "id"], "MACHINE_DUPLICATE_ID", message, `Give each ${what} its own id.`);
    return { ...entry, id };
  });
}

function uniqueIds(ids: readonly string[], prefix: string): readonly string[] {
  const taken = new Set(ids);
  const seen = new Set<string>();
  return ids.map((id) => {
    if (id !== "" && !seen.has(id)) {
      seen.add(id);
      return id;
    }
    let number = id === "" ? 1 : 2;
    const candidate = (): string => (id === "" ? `${prefix}${String(number).padStart(3, "0")}` : `${id}-${number}`);
    while (taken.has(candidate())) number++;
    taken.add(candidate());
    return candidate();
  });
}

/** What is under keys that have no meaning here. */
export function keptOf({ held }: Fields, known: readonly string[]): JsonObject {
  return Object.fromEntries(Object.entries(held).filter(([key]) => !known.includes(key)));
}

/** Short, on one line, and without backticks of its own. */
export function shown(value: Json): string {
  const text = (typeof value === "string" ? value : JSON.stringify(value)).replace(/\s+/g, " ").replaceAll("`", "'");
  return text.length > 60 ? `${text.slice(0, 57)}...` : text;
}

function bare(word: string): string {
  return word
    .toLowerCase()
    .replace(/[\s_-]+/g, "-")
    .trim();
}

/** A byte order mark and carriage returns are accepted in every file, and reported. */
export function reportOnText(reader: SessionReader, text: string): void {
  if (text.startsWith("\uFEFF"))
    reader.warn([], "MACHINE_BYTE_MARK", `\`${reader.file}\` begins with a byte order mark.`, "Save the file as UTF-8 without a mark.");
  const message = `\`${reader.file}\` ends lines with carriage returns.`;
  if (text.includes("\r")) reader.warn([], "MACHINE_LINE_ENDINGS", message, "Save the file with `\\n` as line ending.");
}

/** Without mark and carriage returns. */
export function plainText(text: string): string {
  return withoutMark(text).replace(/\r\n?/g, "\n");
}

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
  if (isObject(value)) return fieldsOf(reader, value, []);
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

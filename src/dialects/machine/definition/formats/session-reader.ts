import {
  isList,
  isObject,
  nearest,
  own,
  type Diagnostic,
  type Json,
  type JsonObject,
  type Place,
  shorten,
} from "../../../../base/index.ts";
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

/** How the value under each documented key is read, in the order in which keys are written. */
export type Form<T> = { readonly [K in keyof Omit<T, "kept">]: (fields: Fields, key: string) => T[K] };

/** A map of the file, and its place. Its values are read leniently; null counts as missing. */
export class Fields {
  readonly reader: SessionReader;
  readonly held: JsonObject;
  readonly path: DocumentPath;

  constructor(reader: SessionReader, held: JsonObject, path: DocumentPath) {
    this.reader = reader;
    this.held = held;
    this.path = path;
  }

  /** Reports on a value of the map; the message begins with its name. */
  error(steps: DocumentPath, code: string, says: string, fix: string): void {
    const path = [...this.path, ...steps];
    this.reader.error(path, code, `${nameOf(path)} ${says}`, fix);
  }

  warn(steps: DocumentPath, code: string, says: string, fix: string): void {
    const path = [...this.path, ...steps];
    this.reader.warn(path, code, `${nameOf(path)} ${says}`, fix);
  }

  wrongType(steps: DocumentPath, expected: string, form: string = expected): undefined {
    this.error(steps, "MACHINE_WRONG_TYPE", `is not ${expected} and is left out.`, `Write ${form}.`);
  }

  value(key: string): Json | undefined {
    return own(this.held, key) ?? undefined;
  }

  /** Numbers are read as texts; everything else is reported and left out. */
  text(key: string): string | undefined {
    const value = this.value(key);
    if (value === undefined || typeof value === "string") return value;
    return typeof value === "number" ? String(value) : this.wrongType([key], "a text");
  }

  /** Texts of a list. A single text in its place is accepted; members of other types are reported and left out. */
  texts(key: string): readonly string[] {
    const value = this.value(key) ?? [];
    if (typeof value === "string") {
      this.warn([key], "MACHINE_LIST_FORM", "is a single text where a list is expected.", "Write a list.");
      return value.trim() === "" ? [] : [value];
    }
    if (!isList(value)) return this.wrongType([key], "a list of texts") ?? [];
    return value.flatMap((each, index) => {
      if (typeof each === "string" || typeof each === "number") return String(each);
      return this.#onePair(each, [key, index]) ?? this.wrongType([key, index], "a text") ?? [];
    });
  }

  /** `- Note: all pass` without quotes is a map of one key in YAML; it was meant as a text. */
  #onePair(value: Json, steps: DocumentPath): string | undefined {
    const pairs = isObject(value) ? Object.entries(value) : [];
    const [key, held] = pairs[0] ?? [];
    if (pairs.length !== 1 || key === undefined || typeof held === "object") return undefined;
    const text = `${key}: ${held}`;
    this.warn(steps, "MACHINE_LIST_FORM", "is a map of one key where a text is expected.", `Write ${JSON.stringify(text)} in quotes.`);
    return text;
  }

  /** One of several words; null among them says that there need not be one. */
  word<T extends string | null>(key: string, words: readonly T[]): T | undefined {
    const value = this.value(key);
    return value === undefined ? undefined : this.wordOf(value, [key], words);
  }

  /** Other case and other separators are accepted and reported; any other word is an error. */
  wordOf<T extends string | null>(value: Json, steps: DocumentPath, words: readonly T[]): T | undefined {
    const exact = words.find((word) => word === value);
    if (exact !== undefined) return exact;
    const meant = typeof value === "string" ? words.find((word) => word !== null && bare(word) === bare(value)) : undefined;
    if (meant !== undefined) {
      this.warn(steps, "MACHINE_WORD_FORM", `is \`${shown(value)}\`, which is read as \`${meant}\`.`, `Write \`${meant}\`.`);
      return meant;
    }
    const known = words.filter((word) => word !== null);
    const [near] = typeof value === "string" ? nearest(value.slice(0, 40), known, 1) : [];
    const list = [...known.map((word) => `\`${word}\``), ...(known.length < words.length ? ["or null"] : [])].join(", ");
    const fix = near === undefined ? `Write one of ${list}.` : `Write \`${near}\`, or another of ${list}.`;
    this.error(steps, "MACHINE_UNKNOWN_WORD", `is \`${shown(value)}\`, which is not a word known there.`, fix);
    return undefined;
  }

  /** A time as UTC with milliseconds. Offsets, long fractions and times without a zone (read as UTC) are accepted and reported. */
  time(key: string): string | undefined {
    const value = this.value(key);
    if (value === undefined) return undefined;
    const said = `is \`${shown(value)}\`, which is`;
    const time = typeof value === "string" ? readTime(value, 0) : undefined;
    if (time === undefined) this.error([key], "MACHINE_WRONG_TYPE", `${said} not a time.`, "Write it like `2026-03-02T10:15:00.000Z`.");
    else if (typeof value === "string" && !/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d{1,3})?Z$/.test(value))
      this.warn([key], "MACHINE_TIME_FORM", `${said} read as \`${time}\`.`, `Write \`${time}\`.`);
    return time;
  }

  flag(key: string): boolean | undefined {
    const value = this.value(key);
    return value === undefined || typeof value === "boolean" ? value : this.wrongType([key], "true or false");
  }

  /** A map under a key; missing and unusable are the same afterwards. `form` says what it should hold. */
  map(key: string, form = "a map"): Fields | undefined {
    const value = this.value(key);
    if (value === undefined) return undefined;
    return isObject(value) ? new Fields(this.reader, value, [...this.path, key]) : this.wrongType([key], "a map", form);
  }

  /** Maps of a list, each read; anything else in it is reported. Nothing when the value is not a list. */
  maps<T>(key: string, what: string, read: (entry: Fields) => T | undefined): readonly T[] {
    const list = this.value(key);
    return (isList(list) ? list : []).flatMap((held, index) => {
      const steps = [key, index];
      return (isObject(held) ? read(new Fields(this.reader, held, [...this.path, ...steps])) : this.wrongType(steps, what)) ?? [];
    });
  }

  /** All keys of a form; what is under other keys is kept. */
  read<T extends { readonly kept: JsonObject }>(form: Form<T>): T {
    const readers = Object.entries<(fields: Fields, key: string) => unknown>(form);
    return { ...Object.fromEntries(readers.map(([key, read]) => [key, read(this, key)])), kept: this.kept(Object.keys(form)) } as T;
  }

  /** What is under keys that have no meaning here. */
  kept(known: readonly string[]): JsonObject {
    return Object.fromEntries(Object.entries(this.held).filter(([key]) => !known.includes(key)));
  }

  /** The same map with other names for some keys: old name to documented name. The documented name wins where both are there. */
  withAliases(code: string, aliases: Readonly<Record<string, string>>): Fields {
    const renamed = Object.entries(this.held).map(([key, value]) => {
      const name = own(aliases, key) ?? key;
      if (name === key || Object.hasOwn(this.held, name)) return [key, value] as const;
      this.warn([key], code, `is read as \`${name}\`.`, `Rename the key to \`${name}\`.`);
      return [name, value] as const;
    });
    return new Fields(this.reader, Object.fromEntries(renamed), this.path);
  }
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

/** Entries of the list under `key` with unique ids: one that has none gets the next free number; a twin gets a number and is reported. */
export function withUniqueIds<T extends { readonly id: string }>(
  { reader }: Fields,
  entries: readonly T[],
  { key, what, prefix }: { readonly key: string; readonly what: string; readonly prefix: string },
): readonly T[] {
  const taken = new Set(entries.map(({ id }) => id));
  const seen = new Set([""]);
  return entries.map((entry, index) => {
    const { id } = entry;
    if (!seen.has(id)) {
      seen.add(id);
      return entry;
    }
    let number = id === "" ? 1 : 2;
    const candidate = (): string => (id === "" ? `${prefix}${String(number).padStart(3, "0")}` : `${id}-${number}`);
    while (taken.has(candidate())) number++;
    taken.add(candidate());
    const message = `The ${what} \`${id}\` is there twice; this one is read as \`${candidate()}\`.`;
    if (id !== "") reader.error([key, index, "id"], "MACHINE_DUPLICATE_ID", message, `Give each ${what} its own id.`);
    return { ...entry, id: candidate() };
  });
}

/** Short, on one line, and without backticks of its own. */
export function shown(value: Json): string {
  const text = (typeof value === "string" ? value : JSON.stringify(value)).replace(/\s+/g, " ").replaceAll("`", "'");
  return shorten(text, 60);
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
  if (isObject(value)) return new Fields(reader, value, []);
  reader.error([], "MACHINE_WRONG_TYPE", `\`${reader.file}\` does not hold a map of keys.`, "Write the documented keys.");
  return undefined;
}

/** Two spaces, a line break at the end. */
export function writtenJson(value: Json): string {
  return `${JSON.stringify(value, null, 2)}\n`;
}

/** The keys of a form in their order, keys of others last. */
export function writtenForm(form: Form<unknown>, { kept, ...held }: JsonObject & { readonly kept: JsonObject }): JsonObject {
  return withKept(Object.fromEntries(Object.keys(form).map((key) => [key, held[key] ?? null])), kept);
}

/** Keys of others come last, and never hide a documented one. */
export function withKept(fields: JsonObject, kept: JsonObject, reserved: readonly string[] = []): JsonObject {
  const others = Object.entries(kept).filter(([key]) => !Object.hasOwn(fields, key) && !reserved.includes(key));
  return { ...fields, ...Object.fromEntries(others) };
}

import { failure } from "../codes.ts";

/** Where an entry belongs: `container: { name: { ... } }`, as blocks of lines. */
export interface YamlSlot {
  readonly file: string;
  readonly container: string;
  readonly name: string;
}

/** Keys of the entry, each with a text, a list of texts, or a map without entries. */
export type YamlEntry = Readonly<Record<string, string | number | boolean | readonly string[] | Readonly<Record<string, never>>>>;

/**
 * Puts an entry into a YAML text as the first one of its container, or at the end with a container of its own; nothing else is touched. One that
 * is there and starts the same command stays as it is, since its client writes the file too.
 */
export function addYamlEntry(text: string | undefined, slot: YamlSlot, entry: YamlEntry): string {
  if (text === undefined) return `${slot.container}:\n${linesOf(slot, entry, "  ").join("\n")}\n`;
  const eol = text.includes("\r\n") ? "\r\n" : "\n";
  const found = locate(text, slot, entry);
  if (found === undefined) {
    const block = [`${slot.container}:`, ...linesOf(slot, entry, "  ")].join(eol);
    if (text === "" || text.endsWith("\n")) return `${text}${block}${eol}`;
    return `${text}${eol}${block}`;
  }
  const { lines, at, indent, held } = found;
  const own = linesOf(slot, entry, indent);
  if (held !== undefined && startsSame(lines.slice(at + held.from, at + held.to), entry)) return text;
  const [from, to] = held === undefined ? [at + 1, at + 1] : [at + held.from, at + held.to];
  return [...lines.slice(0, from), ...own, ...lines.slice(to)].join(eol);
}

/** Takes the entry out, and a container that holds nothing else. undefined means that nothing else was in the file. */
export function removeYamlEntry(text: string, slot: YamlSlot): string | undefined {
  const eol = text.includes("\r\n") ? "\r\n" : "\n";
  const found = locate(text, slot);
  if (found?.held === undefined) return text;
  const { lines, at, held, others } = found;
  const kept = [...lines.slice(0, others ? at + held.from : at), ...lines.slice(at + held.to)].join(eol);
  return kept.trim() === "" ? undefined : kept;
}

/** The lines of the entry, or undefined. */
export function readYamlEntry(text: string, slot: YamlSlot): string | undefined {
  const found = locate(text, slot);
  return found?.held === undefined ? undefined : found.lines.slice(found.at + found.held.from, found.at + found.held.to).join("\n");
}

interface Found {
  readonly lines: readonly string[];
  /** The line of the container. */
  readonly at: number;
  readonly indent: string;
  /** Lines of the entry, counted from the container's; `to` is behind the last one. */
  readonly held?: { readonly from: number; readonly to: number };
  /** The container holds something else too. */
  readonly others: boolean;
}

/** The container with its entry; undefined when the text has none. Refuses one that is not a block of lines. */
function locate(text: string, slot: YamlSlot, entry?: YamlEntry): Found | undefined {
  const lines = text.split(/\r?\n/);
  const at = lines.findIndex((line) => new RegExp(`^["']?${slot.container}["']?\\s*:`).test(line));
  if (at < 0) return undefined;
  const below = lines.slice(at + 1);
  const first = below.find(isContent) ?? "";
  const indent = indentOf(first);
  const isBlock = new RegExp(`^${slot.container}:\\s*(?:#.*)?$`).test(lines[at] ?? "");
  if (!isBlock || /^\s*- /.test(first) || indent.includes("\t")) throw unusable(slot, entry);
  if (indent === "") return { lines, at, indent: "  ", others: false };
  const end = below.findIndex((line) => isContent(line) && indentOf(line).length < indent.length);
  const inside = end < 0 ? below : below.slice(0, end);
  const heads = inside.flatMap((line, index) => (isContent(line) && indentOf(line) === indent ? [index] : []));
  const own = heads.find((index) => new RegExp(`^["']?${slot.name}["']?\\s*:`).test((inside[index] ?? "").trim()));
  if (own === undefined) return { lines, at, indent, others: true };
  const next = heads.find((index) => index > own) ?? inside.findLastIndex(isContent) + 1;
  // Comments and empty lines before the next entry are that one's.
  const to = inside.slice(0, next).findLastIndex((line, index) => index >= own && isContent(line)) + 1;
  return { lines, at, indent, held: { from: own + 1, to: to + 1 }, others: heads.length > 1 };
}

function isContent(line: string): boolean {
  return line.trim() !== "" && !line.trimStart().startsWith("#");
}

function indentOf(line: string): string {
  return /^[ \t]*/.exec(line)?.[0] ?? "";
}

function linesOf({ name }: YamlSlot, entry: YamlEntry, indent: string): readonly string[] {
  return [`${indent}${name}:`, ...Object.entries(entry).map(([key, held]) => `${indent}${indent}${key}: ${valueText(held)}`)];
}

function valueText(held: YamlEntry[string]): string {
  if (typeof held === "string") return wordText(held);
  if (Array.isArray(held)) return `[${held.map((each) => wordText(String(each))).join(", ")}]`;
  return JSON.stringify(held);
}

/** A text that cannot be read as anything else needs no quotes. */
function wordText(text: string): string {
  return /^[A-Za-z/][\w./-]*$/.test(text) && !/^(?:true|false|null|yes|no|on|off|y|n)$/i.test(text) ? text : JSON.stringify(text);
}

/** Whether the lines of an entry start this command, however a client wrote them. */
function startsSame(lines: readonly string[], { cmd, args }: YamlEntry): boolean {
  const text = lines.join("\n");
  const unquoted = (word: string): string => word.trim().replace(/^(["'])(.*)\1$/, "$2");
  const command = /^\s*cmd:\s*(.+)$/m.exec(text)?.[1] ?? "";
  const flow = /^\s*args:\s*\[(.*)\]\s*$/m.exec(text)?.[1];
  const block = /^\s*args:\s*\n((?:\s*- .+\n?)*)/m.exec(text)?.[1] ?? "";
  const given = flow === undefined ? block.split("\n").map((line) => line.replace(/^\s*- /, "")) : flow.split(",");
  const words = given.map(unquoted).filter((word) => word !== "");
  return unquoted(command) === cmd && JSON.stringify(words) === JSON.stringify(args);
}

function unusable(slot: YamlSlot, entry: YamlEntry | undefined): Error {
  const byHand =
    entry === undefined ? "Take it out by hand." : `Add this by hand:\n${[`${slot.container}:`, ...linesOf(slot, entry, "  ")].join("\n")}`;
  return failure(
    "CLI_INIT_FILE",
    `\`${slot.file}\` cannot be edited: \`${slot.container}\` is not a block of lines there. It was not changed.`,
    byHand,
  );
}

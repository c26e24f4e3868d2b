import type { JsonObject } from "../../base/index.ts";
import { failure } from "../codes.ts";
import { parseJsonc, type JsoncMember, type JsoncNode } from "./parse-jsonc.ts";

/** Where an entry belongs: `{ [container]: { [name]: entry } }`. */
export interface JsonSlot {
  readonly file: string;
  readonly container: string;
  readonly name: string;
}

/**
 * Puts an entry into a JSON text, with or without comments, as the first one of its container; nothing else is touched. The way it is
 * put in shows later what was there before, so that `removeEntry` restores every byte:
 * a comma behind the entry means its container had other entries; no comma and nothing between the brace and the entry means the
 * container was empty; white space there means that the container itself was put in. The same holds one level up.
 */
export function addEntry(text: string | undefined, slot: JsonSlot, entry: JsonObject): string {
  if (text === undefined) return createdText(slot, entry);
  const { root, container, inside, held } = locate(text, slot);
  const format = formatOf(text, root);
  if (container === undefined) {
    const others = root.members.length > 0;
    return insert(text, root, containerText(slot, entry, others && format.lines ? format : undefined), others);
  }
  if (inside === undefined) throw unusable(slot, `\`${slot.container}\` is not an object there`, entry);
  if (held !== undefined) {
    const { start, end, value } = held.value;
    if (JSON.stringify(value) === JSON.stringify(entry)) return text;
    return `${text.slice(0, start)}${valueText(entry, format, 2)}${text.slice(end)}`;
  }
  const others = inside.members.length > 0;
  const lines = others && text.slice(inside.start, inside.end).includes("\n");
  const shown = lines || (!others && format.lines) ? valueText(entry, format, 2) : JSON.stringify(entry);
  const member = `${JSON.stringify(slot.name)}: ${shown}`;
  return insert(text, inside, lines ? `${format.eol}${format.unit.repeat(2)}${member}` : member, others);
}

/** Takes the entry out. Without one the text comes back as it is; undefined means that nothing but the entry was in the file. */
export function removeEntry(text: string, slot: JsonSlot): string | undefined {
  const { root, container, inside, held } = locate(text, slot);
  if (container === undefined || inside === undefined || held === undefined) return text;
  if (!isWrittenHere(text, inside, held)) return cut(text, inside, held);
  const first = undo(text, inside, held);
  if (first !== undefined) return first;
  if (!isWrittenHere(text, root, container)) return cut(text, root, container);
  const second = undo(text, root, container);
  if (second !== undefined) return second;
  return text === createdText(slot, held.value.value as JsonObject) ? undefined : cut(text, root, container);
}

/** The value an entry has in a text, or undefined. */
export function readEntry(text: string, slot: JsonSlot): unknown {
  return locate(text, slot).held?.value.value;
}

/** Where its text begins and ends, of an entry that is there. */
export function entryRange(text: string, slot: JsonSlot): { readonly start: number; readonly end: number } {
  const { start = 0, end = 0 } = locate(text, slot).held?.value ?? {};
  return { start, end };
}

function createdText(slot: JsonSlot, entry: JsonObject): string {
  return `${JSON.stringify({ [slot.container]: { [slot.name]: entry } }, null, 2)}\n`;
}

type JsoncObject = Required<JsoncNode>;

/** The container and the entry in it (`held`), as far as they are there; `inside` is what the container holds, when that is an object. */
function locate(text: string, slot: JsonSlot) {
  const root = parseJsonc(text);
  if ("problem" in root) throw unusable(slot, `${root.problem} (line ${root.line}, column ${root.column})`);
  if (!hasMembers(root)) throw unusable(slot, "it does not hold an object");
  const container = findLast(root, slot.container);
  const inside = container !== undefined && hasMembers(container.value) ? container.value : undefined;
  return { root, container, inside, held: inside && findLast(inside, slot.name) };
}

function hasMembers(node: JsoncNode): node is JsoncObject {
  return node.members !== undefined;
}

function unusable(slot: JsonSlot, why: string, entry?: JsonObject): Error {
  const byHand =
    entry === undefined
      ? "Fix the file, then run this again."
      : `Add this by hand: ${JSON.stringify({ [slot.container]: { [slot.name]: entry } })}`;
  return failure("CLI_INIT_FILE", `\`${slot.file}\` cannot be edited: ${why}. It was not changed.`, byHand);
}

/** Of equal keys the last one counts, as it does for every reader. */
function findLast(object: JsoncObject, key: string): JsoncMember | undefined {
  return object.members.findLast((member) => member.key === key);
}

interface Format {
  readonly eol: string;
  readonly unit: string;
  /** Members of the root are on lines of their own. */
  readonly lines: boolean;
}

function formatOf(text: string, root: JsoncObject): Format {
  const eol = text.includes("\r\n") ? "\r\n" : "\n";
  const [first] = root.members;
  const unit = first === undefined ? undefined : /\n([ \t]+)$/.exec(text.slice(root.start, first.start))?.[1];
  return { eol, unit: unit ?? "  ", lines: text.slice(root.start, root.end).includes("\n") };
}

/** The whole container with the entry in it; white space behind its brace in either form. */
function containerText(slot: JsonSlot, entry: JsonObject, format: Format | undefined): string {
  const [container, name] = [JSON.stringify(slot.container), JSON.stringify(slot.name)];
  if (format === undefined) return `${container}: { ${name}: ${JSON.stringify(entry)} }`;
  const { eol, unit } = format;
  return `${eol}${unit}${container}: {${eol}${unit}${unit}${name}: ${valueText(entry, format, 2)}${eol}${unit}}`;
}

function valueText(entry: JsonObject, { eol, unit }: Format, depth: number): string {
  return JSON.stringify(entry, null, unit).replaceAll("\n", `${eol}${unit.repeat(depth)}`);
}

function insert(text: string, object: JsoncObject, member: string, others: boolean): string {
  const at = object.start + 1;
  return `${text.slice(0, at)}${member}${others ? "," : ""}${text.slice(at)}`;
}

/** First in its object, with nothing but white space before it, and with its comma directly behind it if there is one. */
function isWrittenHere(text: string, object: JsoncObject, member: JsoncMember): boolean {
  const before = text.slice(object.start + 1, member.start);
  return object.members[0] === member && before.trim() === "" && (member.comma ?? member.value.end) === member.value.end;
}

/** The text without the member where its object was there before; undefined where the object itself was put in. */
function undo(text: string, object: JsoncObject, member: JsoncMember): string | undefined {
  if (member.comma !== undefined) return `${text.slice(0, object.start + 1)}${text.slice(member.comma + 1)}`;
  if (member.start === object.start + 1) return `${text.slice(0, member.start)}${text.slice(member.value.end)}`;
  return undefined;
}

/** Takes a member out of an object that was changed since: with the white space before it and one comma. */
function cut(text: string, object: JsoncObject, member: JsoncMember): string {
  const previous = object.members[object.members.indexOf(member) - 1];
  const start = text.slice(0, member.start).trimEnd().length;
  if (member.comma !== undefined) return `${text.slice(0, start)}${text.slice(member.comma + 1)}`;
  const without = `${text.slice(0, start)}${text.slice(member.value.end)}`;
  return previous?.comma === undefined ? without : `${without.slice(0, previous.comma)}${without.slice(previous.comma + 1)}`;
}

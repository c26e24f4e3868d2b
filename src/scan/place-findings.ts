import { wholeCharacters } from "../base/index.ts";
import type { Finding, Region } from "../ports/index.ts";
import { edited, type Found, type TextEdit, type Writable } from "./finder.ts";
import type { PatternFound } from "./instances.ts";
import type { PreparedSource } from "./prepared-source.ts";
import { secretSpans } from "./regex/secret-spans.ts";

type Source = Pick<PreparedSource, "text" | "lines">;

interface Place {
  readonly start: number;
  readonly end: number;
}

export interface PlacedFindings {
  readonly found: readonly PatternFound[];
  /** Those that the team has settled, in the same order as their reasons. */
  readonly suppressed: readonly (PatternFound & { readonly by: NonNullable<Finding["suppressed"]> })[];
}

/** Looks findings of tools up in the text of their file. What a tool says twice of one place, with the same words, is one. */
export function placeFindings(findings: readonly Finding[], source: Source): PlacedFindings {
  const seen = new Set<string>();
  const found: PatternFound[] = [];
  const suppressed: PlacedFindings["suppressed"][number][] = [];
  for (const [order, finding] of findings.entries()) {
    const place = finding.secret === true ? secretPlaceOf(finding.region, source) : placeOf(finding.region, source);
    const key = JSON.stringify([finding.tool, finding.rule, place.start, place.end, finding.message]);
    if (seen.has(key)) continue;
    seen.add(key);
    const placed = { spec: { id: `${finding.tool}/${finding.rule}` }, order, found: toFound(finding, place, source) };
    if (finding.suppressed === undefined) found.push(placed);
    else suppressed.push({ ...placed, by: finding.suppressed });
  }
  return { found, suppressed };
}

function toFound({ tool, rule, severity, message, help, fix, secret }: Finding, { start, end }: Place, source: Source): Found {
  const found: Writable<Found> = { type: rule, auto: false, start, end, tool, rule, severity, message };
  if (help !== undefined) found.help = help;
  if (secret === true) found.secrets = secretSpans(source.text.slice(start, end), { start, end }, undefined);
  const edits = fix === undefined ? `${tool} offers no fix for it.` : editsOf(fix, source);
  if (typeof edits === "string") {
    found.needs = "manual";
    found.why = fix === undefined ? edits : `The fix that ${tool} offers ${edits}.`;
    return found;
  }
  found.auto = true;
  found.edits = edits;
  const [from, to] = [Math.min(start, edits[0]?.start ?? start), Math.max(end, edits.at(-1)?.end ?? end)];
  found.suggestion = edited(source.text, from, to, edits);
  return found;
}

/** Ascending; a text says why there are none: where two touch the same text, or one is not in it, nobody knows what is meant. */
function editsOf(fix: NonNullable<Finding["fix"]>, source: Source): readonly TextEdit[] | string {
  if (!fix.every(({ region }) => isIn(region, source))) return "does not fit the file as it is now";
  const edits = fix.map(({ region, text }) => ({ ...exactPlace(region, source), text })).sort((a, b) => a.start - b.start || a.end - b.end);
  if (edits.length === 0 || edits.some(({ start }, at) => start < (edits[at - 1]?.end ?? 0))) return "overlaps itself";
  if (edits.some(({ start, end }) => isInPair(source.text, start) || isInPair(source.text, end))) return "cuts a character in two";
  return edits;
}

/** Whether a region begins and ends in the text: an edit may not be moved to where there is some. */
function isIn(region: Region, { text, lines }: Source): boolean {
  if (!("line" in region)) {
    const { offset, length, unit } = region;
    return offset + length <= (unit === "utf16" ? text.length : unit === "characters" ? Array.from(text).length : -1);
  }
  const { line, column = 1, endLine = line, endColumn = 1, columns } = region;
  const isOn = (at: number, wanted: number): boolean => {
    const found = offsetAt({ line: at, column: wanted, columns }, { lines }) - lines.startOf(at);
    const width = columns === undefined || columns === "utf16" ? wanted - 1 : unitsIn(`${lines.textOf(at)}\n`, columns, wanted - 1);
    return at <= lines.lineAt(text.length) && found === width;
  };
  return isOn(line, column) && isOn(endLine, endColumn);
}

function isInPair(text: string, at: number): boolean {
  return at > 0 && wholeCharacters(text, at) !== at;
}

/** The text that a finding is about: of a line without columns what is written on it, of a bare place the word there. */
function placeOf(region: Region, source: Source): Place {
  if ("line" in region && region.column === undefined) return writtenOn(region.line, region.endLine ?? region.line, source);
  const { start, end } = exactPlace(region, source);
  return end > start ? { start, end } : { start, end: wordEnd(source.text, start) };
}

/** Of a secret whose end is not said, everything that is written on its line: a part of it would leave the rest for everybody to see. */
function secretPlaceOf(region: Region, source: Source): Place {
  const isBare = "line" in region && region.endColumn === undefined;
  return isBare ? writtenOn(region.line, region.endLine ?? region.line, source) : placeOf(region, source);
}

/** Where a region begins and ends, without a look at what is there. */
function exactPlace(region: Region, source: Source): Place {
  if (!("line" in region)) return fromOffsets(region, source.text);
  const { line, column = 1, endLine = line, endColumn, columns } = region;
  const start = offsetAt({ line, column, columns }, source);
  if (endColumn === undefined && region.endLine === undefined)
    return { start, end: region.column === undefined ? lineEnd(line, source) : start };
  const end = endColumn === undefined ? lineEnd(endLine, source) : offsetAt({ line: endLine, column: endColumn, columns }, source);
  return { start, end: Math.max(start, end) };
}

function writtenOn(line: number, endLine: number, source: Source): Place {
  const from = source.lines.startOf(line);
  const text = source.text.slice(from, lineEnd(endLine, source));
  const start = from + (text.length - text.trimStart().length);
  return { start, end: Math.max(start, from + text.trimEnd().length) };
}

function lineEnd(line: number, { lines }: Source): number {
  return lines.startOf(line) + lines.textOf(line).length;
}

interface Point {
  readonly line: number;
  readonly column: number;
  readonly columns: Extract<Region, { readonly line: number }>["columns"] | undefined;
}

/** A column behind the end of its line is the end. */
function offsetAt({ line, column, columns }: Point, { lines }: Pick<Source, "lines">): number {
  const text = lines.textOf(line);
  const units = columns === undefined || columns === "utf16" ? column - 1 : unitsIn(text, columns, column - 1);
  return lines.startOf(line) + Math.max(0, Math.min(text.length, units));
}

function unitsIn(text: string, unit: "characters" | "bytes", count: number): number {
  return unit === "bytes" ? unitsOfBytes(text, 0, count) : unitsOf(text, count);
}

/** How many UTF-16 units so many characters take. */
function unitsOf(text: string, characters: number): number {
  let at = 0;
  for (let count = 0; count < characters && at < text.length; count += 1) at += (text.codePointAt(at) ?? 0) > 0xffff ? 2 : 1;
  return at;
}

function fromOffsets({ offset, length, unit }: Extract<Region, { readonly offset: number }>, text: string): Place {
  if (unit === "bytes") {
    const start = unitsOfBytes(text, 0, offset);
    return { start, end: unitsOfBytes(text, start, length) };
  }
  const start = Math.min(text.length, unit === "characters" ? unitsOf(text, offset) : offset);
  const end = unit === "characters" ? start + unitsOf(text.slice(start), length) : start + length;
  return { start, end: Math.min(text.length, end) };
}

/** The offset that is so many bytes of UTF-8 behind another. */
function unitsOfBytes(text: string, from: number, bytes: number): number {
  let at = from;
  for (let left = bytes; left > 0 && at < text.length;) {
    const code = text.codePointAt(at) ?? 0;
    left -= code < 0x80 ? 1 : code < 0x800 ? 2 : code < 0x10000 ? 3 : 4;
    at += code > 0xffff ? 2 : 1;
  }
  return at;
}

/** The end of the word at a place, or of the one character there; never behind the end of the line. */
function wordEnd(text: string, start: number): number {
  const [word = ""] = /^[\p{L}\p{N}_$]+|^[^\r\n]/u.exec(text.slice(start, start + 200)) ?? [];
  return start + word.length;
}

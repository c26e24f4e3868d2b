import { readHereDocument, type HereDocument } from "../../../../base/index.ts";

/** How a shell reads a piece of a command; `here-document`: one into which no value can be put safely. */
export type Quoting = "bare" | "single" | "double" | "here-document" | "comment";

interface Frame {
  /** `command`: words; `double`: between double quotes; `braces`: inside `${ }`; `sum`: inside `$(( ))`. */
  readonly kind: "command" | "double" | "braces" | "sum";
  /** What ends it. */
  readonly end: string;
  readonly quoting: Quoting;
}

interface Reading {
  readonly text: string;
  at: number;
  /** What is open, the innermost last. */
  readonly frames: Frame[];
  /** Here-documents that begin with the next line. */
  readonly waiting: HereDocument[];
  readonly marks: { readonly from: number; readonly quoting: Quoting }[];
}

/** How each character of a command is quoted. A rough reading: it never fails, and what is not closed reaches to the end. */
export function shellQuoting(text: string): (offset: number) => Quoting {
  const reading: Reading = { text, at: 0, frames: [{ kind: "command", end: "", quoting: "bare" }], waiting: [], marks: [] };
  while (reading.at < text.length) step(reading);
  return (offset) => reading.marks.findLast(({ from }) => from <= offset)?.quoting ?? "bare";
}

const openings: readonly (readonly [opening: string, kind: Frame["kind"], end: string])[] = [
  ["$((", "sum", "))"],
  ["$(", "command", ")"],
  ["${", "braces", "}"],
  ["`", "command", "`"],
  ['"', "double", '"'],
];

function step(reading: Reading): void {
  const { text, at, frames } = reading;
  const { kind, end, quoting } = top(reading);
  const starts = (word: string): boolean => text.startsWith(word, at);
  const opening = openings.find(([word]) => starts(word));
  if (starts("\\")) reading.at += 2;
  else if (end !== "" && starts(end)) {
    reading.at += end.length;
    frames.pop();
    mark(reading, top(reading).quoting);
  } else if (opening !== undefined) enter(reading, ...opening);
  else if (quoting === "bare" && (starts("'") || starts("$'"))) passTo(reading, endOfSingle(text, at), "single");
  else if (kind === "command") stepInCommand(reading);
  else reading.at += 1;
}

function stepInCommand(reading: Reading): void {
  const { text, at, waiting } = reading;
  const starts = (word: string): boolean => text.startsWith(word, at);
  if (starts("(")) enter(reading, "(", "command", ")");
  else if (starts("#") && /^$|[\s;&|(]/.test(text.slice(Math.max(0, at - 1), at))) passTo(reading, text.indexOf("\n", at), "comment");
  else if (starts("<<<")) reading.at += 3;
  else if (starts("<<")) takeHereWord(reading);
  else if (starts("\n") && waiting.length > 0) passDocuments(reading);
  else reading.at += 1;
}

function top({ frames }: Reading): Frame {
  return frames.at(-1)!;
}

function mark({ marks, at }: Reading, quoting: Quoting): void {
  marks.push({ from: at, quoting });
}

function enter(reading: Reading, opening: string, kind: Frame["kind"], end: string): void {
  const quoting = kind === "double" ? "double" : kind === "command" ? "bare" : top(reading).quoting;
  reading.at += opening.length;
  reading.frames.push({ kind, end, quoting });
  mark(reading, quoting);
}

/** Passes over what is quoted in one way; to the end when it is not closed. */
function passTo(reading: Reading, end: number, quoting: Quoting): void {
  mark(reading, quoting);
  reading.at = end < 0 ? reading.text.length : end;
  mark(reading, top(reading).quoting);
}

function endOfSingle(text: string, at: number): number {
  const plain = text.startsWith("'", at);
  const pattern = plain ? /'[^']*'/y : /\$'(?:[^\\']|\\[\s\S])*'/y;
  pattern.lastIndex = at;
  const length = pattern.exec(text)?.[0].length;
  return length === undefined ? -1 : at + length;
}

function takeHereWord(reading: Reading): void {
  const found = readHereDocument(reading.text, reading.at, true);
  reading.at += found?.length ?? 2;
  if (found !== undefined) reading.waiting.push(found);
}

/** Each of them to its last line, or to the end of the text. */
function passDocuments(reading: Reading): void {
  reading.at += 1;
  for (const { word, tabs, refusal } of reading.waiting.splice(0)) {
    const lines = reading.text.slice(reading.at).split("\n");
    const last = lines.findIndex((line) => (tabs ? line.replace(/^\t+/, "") : line) === word);
    const whole = lines.slice(0, last < 0 ? undefined : last + 1).join("\n");
    passTo(reading, Math.min(reading.at + whole.length + 1, reading.text.length), refusal === undefined ? "bare" : "here-document");
  }
}

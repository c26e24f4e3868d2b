import type { ByteEdit, FileScan, Instance } from "../../../../ports/index.ts";
import type { ChangeBase, GitFolder } from "./change-base.ts";
import { lineDifferences, untrackedFiles } from "./changed-files.ts";

/** The first and the last line of each change in a file, in order. */
type Ranges = readonly (readonly [first: number, last: number])[];

/** Lines that were added or modified since a base, by file; all lines of a file that git does not know. */
export type ChangedLines = ReadonlyMap<string, Ranges>;

export async function changedLines(place: GitFolder, base: Pick<ChangeBase, "base">): Promise<ChangedLines> {
  const [tracked, untracked] = await Promise.all([lineDifferences(place, base), untrackedFiles(place)]);
  return new Map([...readDifferences(tracked), ...untracked.map((path) => [path, [[1, Infinity]]] as const)]);
}

/** What was found on these lines, in whole or in part. */
export function onChangedLines(scan: FileScan, lines: ChangedLines): FileScan {
  const ranges = lines.get(scan.path) ?? [];
  const isChanged = (instance: Instance): boolean => touches(ranges, instance);
  const { suppressed } = scan;
  const kept = { ...scan, instances: scan.instances.filter(isChanged) };
  return suppressed === undefined ? kept : { ...kept, suppressed: suppressed.filter(isChanged) };
}

function touches(ranges: Ranges, { line, endLine, endColumn }: Instance): boolean {
  // The end is exclusive: a match that ends with a line break has nothing on the next line.
  const end = endLine > line && endColumn <= 1 ? endLine - 1 : endLine;
  return ranges.some(([first, last]) => first <= end && line <= last);
}

/** Where changed lines are after edits of a file, which change the lines that they touch. */
export function linesAfter(ranges: Ranges, bytes: Uint8Array, edits: readonly ByteEdit[]): Ranges {
  const lineAt = lineCounter(bytes);
  const inOrder = edits
    .toSorted((a, b) => a.start - b.start)
    .map(({ start, end, text }) => {
      const [first, last] = [lineAt(start), lineAt(end)];
      return { first, last, added: text.split("\n").length - 1 - (last - first) };
    });
  const moved = (line: number): number => inOrder.reduce((at, edit) => (edit.last < line ? at + edit.added : at), line);
  const touched = inOrder.map(({ first, last, added }): Ranges[number] => [moved(first), moved(last) + added]);
  return [...ranges.map(([first, last]): Ranges[number] => [moved(first), moved(last)]), ...touched].sort(([a], [b]) => a - b);
}

/** The line of an offset, for offsets that do not become smaller. */
function lineCounter(bytes: Uint8Array): (offset: number) => number {
  let [at, line] = [0, 1];
  return (offset) => {
    for (; at < offset; at += 1) if (bytes[at] === 0x0a) line += 1;
    return line;
  };
}

/** Reads a unified difference without lines around the changes. What files hold is counted, so that no line of theirs is taken for a heading. */
export function readDifferences(text: string): ChangedLines {
  const found = new Map<string, (readonly [number, number])[]>();
  let ranges: (readonly [number, number])[] = [];
  let held = 0;
  for (const line of text.split("\n")) {
    if (held > 0 && !line.startsWith("\\")) held -= 1;
    else if (line.startsWith("+++ ")) {
      const path = pathOf(line.slice("+++ ".length));
      ranges = [];
      if (path !== undefined) found.set(path, ranges);
    } else {
      const [, removed = "1", start, added = "1"] = /^@@ -\d+(?:,(\d+))? \+(\d+)(?:,(\d+))? @@/.exec(line) ?? [];
      if (start === undefined) continue;
      held = Number(removed) + Number(added);
      if (Number(added) > 0) ranges.push([Number(start), Number(start) + Number(added) - 1]);
    }
  }
  return found;
}

/** undefined of a file that is gone. A name with spaces has a tab behind it; one with other signs is spelled out between quotes. */
function pathOf(text: string): string | undefined {
  const name = text.startsWith('"') ? unquoted(text) : text.replace(/\t$/, "");
  return name.startsWith("b/") ? name.slice("b/".length) : undefined;
}

const letters: Readonly<Record<string, string>> = { a: "\u0007", b: "\b", f: "\f", n: "\n", r: "\r", t: "\t", v: "\v" };

function unquoted(text: string): string {
  const bytes: number[] = [];
  for (const [part, octal, letter] of text.slice(1, text.lastIndexOf('"')).matchAll(/\\([0-7]{3})|\\(.)|[^\\]+/gsu)) {
    if (octal !== undefined) bytes.push(Number.parseInt(octal, 8));
    else bytes.push(...new TextEncoder().encode(letter === undefined ? part : (letters[letter] ?? letter)));
  }
  return new TextDecoder().decode(new Uint8Array(bytes));
}

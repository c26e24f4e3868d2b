const contextLines = 3;

/** A change of a text: from `start` to `end` it reads `text` instead. Offsets are UTF-16 units of the text before any change. */
export interface TextChange {
  readonly start: number;
  readonly end: number;
  readonly text: string;
}

interface Region {
  /** Lines that change, from 0; the end is exclusive. */
  readonly from: number;
  readonly to: number;
  readonly changes: readonly TextChange[];
}

/** The unified difference of one file whose changes are known; they may not overlap. */
export function unifiedDiff(path: string, text: string, changes: readonly TextChange[]): string {
  const starts = lineStarts(text);
  const lineAt = (offset: number): number => lastAtOrBefore(starts, offset);
  const regions: Region[] = [];
  for (const change of changes.toSorted((a, b) => a.start - b.start || a.end - b.end)) {
    const [from, to] = [lineAt(change.start), lineAt(change.end) + 1];
    const last = regions.at(-1);
    if (last !== undefined && from < last.to)
      regions[regions.length - 1] = { from: last.from, to: Math.max(to, last.to), changes: [...last.changes, change] };
    else regions.push({ from, to, changes: [change] });
  }
  const lines = starts.map((start, at) => text.slice(start, starts[at + 1] ?? text.length));
  if (lines.at(-1) === "") lines.pop();
  const hunks: string[] = [];
  let shift = 0;
  for (const group of grouped(regions, lines.length)) {
    const hunk = hunkOf({ text, lines, starts }, group, shift);
    hunks.push(hunk.text);
    shift += hunk.added;
  }
  return hunks.length === 0 ? "" : [`--- a/${path}`, `+++ b/${path}`, ...hunks].join("\n");
}

function lineStarts(text: string): number[] {
  const starts = [0];
  for (const match of text.matchAll(/\r\n|\r|\n/g)) starts.push(match.index + match[0].length);
  return starts;
}

function lastAtOrBefore(starts: readonly number[], offset: number): number {
  let [low, high] = [0, starts.length - 1];
  while (low < high) {
    const middle = Math.ceil((low + high) / 2);
    if ((starts[middle] ?? 0) <= offset) low = middle;
    else high = middle - 1;
  }
  return low;
}

/** Regions whose contexts touch are one hunk. */
function grouped(regions: readonly Region[], lines: number): Region[][] {
  const groups: Region[][] = [];
  for (const region of regions) {
    const last = groups.at(-1)?.at(-1);
    if (last !== undefined && region.from - last.to <= contextLines * 2) groups.at(-1)?.push(region);
    else groups.push([region]);
  }
  return groups.filter((group) => (group[0]?.from ?? lines) <= lines);
}

interface Source {
  readonly text: string;
  readonly lines: readonly string[];
  readonly starts: readonly number[];
}

function hunkOf(
  { text, lines, starts }: Source,
  group: readonly Region[],
  shift: number,
): { readonly text: string; readonly added: number } {
  const begin = Math.max(0, (group[0]?.from ?? 0) - contextLines);
  const end = Math.min(lines.length, (group.at(-1)?.to ?? 0) + contextLines);
  const out: string[] = [];
  let [at, before, after] = [begin, 0, 0];
  const keep = (until: number): void => {
    for (; at < until; at += 1) {
      out.push(` ${bare(lines[at])}`);
      before += 1;
      after += 1;
    }
  };
  for (const region of group) {
    keep(region.from);
    const last = Math.min(region.to, lines.length);
    for (; at < last; at += 1) {
      out.push(`-${bare(lines[at])}`);
      before += 1;
    }
    for (const line of newLines(text, starts, region)) {
      out.push(`+${line}`);
      after += 1;
    }
  }
  keep(end);
  const range = (from: number, count: number): string => `${count === 0 ? from : from + 1},${count}`;
  return { text: [`@@ -${range(begin, before)} +${range(begin + shift, after)} @@`, ...out].join("\n"), added: after - before };
}

function newLines(text: string, starts: readonly number[], { from, to, changes }: Region): readonly string[] {
  const [begin, end] = [starts[from] ?? 0, starts[to] ?? text.length];
  let [made, at] = ["", begin];
  for (const change of changes) {
    made += text.slice(at, change.start) + change.text;
    at = change.end;
  }
  made += text.slice(at, end);
  const lines = made.split(/\r\n|\r|\n/);
  if (lines.at(-1) === "") lines.pop();
  return lines;
}

function bare(line: string | undefined): string {
  return (line ?? "").replace(/[\r\n]+$/, "");
}

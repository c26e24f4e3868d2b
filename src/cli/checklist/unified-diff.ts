/** A piece of a text that is replaced: it begins on this line (from 1), at the first place from there on that reads `before`. */
export interface Replacement {
  readonly line: number;
  readonly before: string;
  readonly after: string;
}

interface Span {
  readonly start: number;
  readonly end: number;
  readonly text: string;
}

/** Whole lines that are replaced, counted from 0; the last one included. */
interface Block {
  readonly from: number;
  readonly to: number;
  readonly before: readonly string[];
  readonly after: readonly string[];
}

const contextLines = 3;

/** The difference that replacements make, in the form that `patch` and reviewers read. Replacements that are not found are left out. */
export function unifiedDiff(path: string, text: string, replacements: readonly Replacement[]): string {
  const starts = lineStarts(text);
  const lines = linesOf(text);
  let grown = 0;
  const hunks = hunksOf(blocksOf(text, starts, spansOf(text, starts, replacements))).map((blocks) => {
    const hunk = renderHunk(lines, blocks, grown);
    for (const { before, after } of blocks) grown += after.length - before.length;
    return hunk;
  });
  return hunks.length === 0 ? "" : [`--- a/${path}`, `+++ b/${path}`, ...hunks.flat(), ""].join("\n");
}

function lineStarts(text: string): number[] {
  const starts = [0];
  for (let at = text.indexOf("\n"); at >= 0; at = text.indexOf("\n", at + 1)) starts.push(at + 1);
  return starts;
}

function spansOf(text: string, starts: readonly number[], replacements: readonly Replacement[]): Span[] {
  const spans: Span[] = [];
  let from = 0;
  for (const { line, before, after } of replacements.toSorted((a, b) => a.line - b.line)) {
    const start = text.indexOf(before, Math.max(from, starts[line - 1] ?? text.length));
    if (start < 0 || before === "") continue;
    from = start + before.length;
    spans.push({ start, end: from, text: after });
  }
  return spans;
}

/** Spans that share a line are one block. */
function blocksOf(text: string, starts: readonly number[], spans: readonly Span[]): Block[] {
  const groups: { readonly from: number; to: number; readonly spans: Span[] }[] = [];
  for (const span of spans) {
    const [from, to] = [lineAt(starts, span.start), lineAt(starts, span.end)];
    const last = groups.at(-1);
    if (last === undefined || from > last.to) groups.push({ from, to, spans: [span] });
    else {
      last.to = Math.max(last.to, to);
      last.spans.push(span);
    }
  }
  return groups.map(({ from, to, spans: inside }) => {
    const [start, end] = [starts[from] ?? 0, starts[to + 1] ?? text.length];
    let [made, at] = ["", start];
    for (const span of inside) {
      made += text.slice(at, span.start) + span.text;
      at = span.end;
    }
    return { from, to, before: linesOf(text.slice(start, end)), after: linesOf(made + text.slice(at, end)) };
  });
}

function lineAt(starts: readonly number[], offset: number): number {
  let [low, high] = [0, starts.length - 1];
  while (low < high) {
    const middle = Math.ceil((low + high) / 2);
    if ((starts[middle] ?? 0) <= offset) low = middle;
    else high = middle - 1;
  }
  return low;
}

/** Blocks whose surroundings touch share a hunk. */
function hunksOf(blocks: readonly Block[]): Block[][] {
  const hunks: Block[][] = [];
  for (const block of blocks) {
    const last = hunks.at(-1)?.at(-1);
    if (last !== undefined && block.from - last.to <= 2 * contextLines) hunks.at(-1)?.push(block);
    else hunks.push([block]);
  }
  return hunks;
}

function renderHunk(lines: readonly string[], blocks: readonly Block[], grown: number): string[] {
  const first = Math.max(0, (blocks[0]?.from ?? 0) - contextLines);
  const end = Math.min(lines.length, (blocks.at(-1)?.to ?? 0) + 1 + contextLines);
  const shown: string[] = [];
  let [line, added] = [first, 0];
  const same = (until: number): void => {
    for (; line < until; line++) shown.push(` ${lines[line] ?? ""}`);
  };
  for (const { from, to, before, after } of blocks) {
    same(from);
    shown.push(...before.map((text) => `-${text}`), ...after.map((text) => `+${text}`));
    added += after.length - before.length;
    line = to + 1;
  }
  same(end);
  return [`@@ -${first + 1},${end - first} +${first + 1 + grown},${end - first + added} @@`, ...shown];
}

/** Without line ends; a text that ends with one has no empty line behind it. */
function linesOf(text: string): string[] {
  const lines = text.split("\n").map((line) => line.replace(/\r$/, ""));
  if (lines.at(-1) === "") lines.pop();
  return lines;
}

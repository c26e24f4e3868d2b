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

const contextLines = 3;

/** The difference that replacements make, in the form that `patch` and reviewers read. Replacements that are not found are left out. */
export function unifiedDiff(path: string, text: string, replacements: readonly Replacement[]): string {
  const starts = lineStarts(text);
  const hunks = grouped(spansOf(text, starts, replacements), starts);
  if (hunks.length === 0) return "";
  let grown = 0;
  const parts = hunks.map((spans) => {
    const { lines, change } = hunkOf(text, starts, spans, grown);
    grown += change;
    return lines.join("\n");
  });
  return [`--- a/${path}`, `+++ b/${path}`, ...parts, ""].join("\n");
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

function lineAt(starts: readonly number[], offset: number): number {
  let [low, high] = [0, starts.length - 1];
  while (low < high) {
    const middle = Math.ceil((low + high) / 2);
    if ((starts[middle] ?? 0) <= offset) low = middle;
    else high = middle - 1;
  }
  return low;
}

/** Spans whose surroundings touch share a hunk. */
function grouped(spans: readonly Span[], starts: readonly number[]): Span[][] {
  const groups: Span[][] = [];
  for (const span of spans) {
    const last = groups.at(-1)?.at(-1);
    const near = last !== undefined && lineAt(starts, span.start) - lineAt(starts, last.end) <= 2 * contextLines;
    if (near) groups.at(-1)?.push(span);
    else groups.push([span]);
  }
  return groups;
}

function hunkOf(
  text: string,
  starts: readonly number[],
  spans: readonly Span[],
  grown: number,
): { readonly lines: readonly string[]; readonly change: number } {
  const first = Math.max(0, lineAt(starts, spans[0]?.start ?? 0) - contextLines);
  const last = Math.min(starts.length - 1, lineAt(starts, spans.at(-1)?.end ?? 0) + contextLines);
  const lines: string[] = [];
  let [removed, added] = [0, 0];
  let line = first;
  for (let at = 0; at < spans.length; ) {
    const from = lineAt(starts, spans[at]?.start ?? 0);
    let to = from;
    let end = at;
    // Spans on the same lines are shown as one change.
    for (; end < spans.length && (end === at || lineAt(starts, spans[end]?.start ?? 0) <= to); end++)
      to = Math.max(to, lineAt(starts, spans[end]?.end ?? 0));
    for (; line < from; line++) lines.push(` ${lineText(text, starts, line)}`);
    const before = linesOf(text.slice(starts[from] ?? 0, starts[to + 1] ?? text.length));
    const after = linesOf(replaced(text, { start: starts[from] ?? 0, end: starts[to + 1] ?? text.length }, spans.slice(at, end)));
    lines.push(...before.map((old) => `-${old}`), ...after.map((fresh) => `+${fresh}`));
    removed += before.length;
    added += after.length;
    line = to + 1;
    at = end;
  }
  const kept = lines.filter((each) => each.startsWith(" ")).length;
  const shown: string[] = [];
  for (; line <= last && (line < starts.length - 1 || (starts[line] ?? 0) < text.length); line++) shown.push(` ${lineText(text, starts, line)}`);
  const same = kept + shown.length;
  const head = `@@ -${first + 1},${same + removed} +${first + 1 + grown},${same + added} @@`;
  return { lines: [head, ...lines, ...shown], change: added - removed };
}

function replaced(text: string, { start, end }: { readonly start: number; readonly end: number }, spans: readonly Span[]): string {
  let [made, at] = ["", start];
  for (const span of spans) {
    made += text.slice(at, span.start) + span.text;
    at = span.end;
  }
  return made + text.slice(at, end);
}

function lineText(text: string, starts: readonly number[], line: number): string {
  return linesOf(text.slice(starts[line] ?? 0, starts[line + 1] ?? text.length))[0] ?? "";
}

/** Without line ends; a text that ends with one has no empty line behind it. */
function linesOf(text: string): string[] {
  const lines = text.split("\n").map((line) => line.replace(/\r$/, ""));
  if (lines.at(-1) === "") lines.pop();
  return lines;
}

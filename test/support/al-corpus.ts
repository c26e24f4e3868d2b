/** What a case expects at a place. Lines and columns count from 1. */
export interface Expected {
  readonly type: string;
  readonly level: "auto" | "review" | "manual";
  readonly start: number;
  readonly end: number;
  readonly line: number;
  readonly column: number;
  /** The text of the place after the fix. */
  readonly after?: string;
}

export interface CorpusCase {
  readonly name: string;
  readonly text: string;
  readonly expected: readonly Expected[];
  /** The whole text after all fixes, where the case gives it. */
  readonly fixed?: string;
  readonly runtime: number | undefined;
  readonly test: boolean;
}

const levels = { "*": "auto", "?": "review", "!": "manual" } as const;

/** Cases behind lines `=== name; option; option`. Options: `crlf`, `test`, `runtime=7`, `runtime=none`. */
export function readFileCases(corpus: string): readonly CorpusCase[] {
  const parts = corpus.split(/^=== (.*)\n/m).slice(1);
  const cases: CorpusCase[] = [];
  for (let at = 0; at < parts.length; at += 2) {
    const [name = "", ...options] = (parts[at] ?? "").split(";").map((option) => option.trim());
    const [marked = "", fixed] = (parts[at + 1] ?? "").split(/^--->\n/m);
    const ends = options.includes("crlf") ? "\r\n" : "\n";
    const runtime = options.find((option) => option.startsWith("runtime="))?.slice(8);
    cases.push({
      name,
      ...readMarks(marked.replaceAll("\n", ends)),
      ...(fixed === undefined ? {} : { fixed }),
      runtime: runtime === "none" ? undefined : Number(runtime ?? "15"),
      test: options.includes("test"),
    });
  }
  return cases;
}

/** One case for each line, set into the frame at `@@@`. */
export function readStatementCases(corpus: string, frame: string): readonly CorpusCase[] {
  const lines = corpus.split("\n").filter((line) => line !== "" && !line.startsWith("#"));
  return lines.map((line) => ({ name: line, ...readMarks(frame.replace("@@@", () => `        ${line}`)), runtime: 15, test: false }));
}

function readMarks(marked: string): Pick<CorpusCase, "text" | "expected"> {
  let text = "";
  const open: { type: string; level: string; start: number }[] = [];
  const found: Omit<Expected, "line" | "column">[] = [];
  for (let at = 0; at < marked.length;) {
    const mark = /^⟦(\w+)([*?!]) /.exec(marked.slice(at, at + 60));
    if (mark !== null) {
      open.push({ type: mark[1] ?? "", level: mark[2] ?? "", start: text.length });
      at += mark[0].length;
    } else if (marked.startsWith(" → ", at)) {
      const close = marked.indexOf("⟧", at);
      found.push({ ...closed(open, text.length), after: marked.slice(at + 3, close) });
      at = close + 1;
    } else if (marked[at] === "⟧") {
      found.push(closed(open, text.length));
      at += 1;
    } else {
      text += marked[at];
      at += 1;
    }
  }
  const expected = found.sort((a, b) => a.start - b.start).map((one) => ({ ...one, ...placeAt(text, one.start) }));
  return { text, expected };
}

function closed(open: { type: string; level: string; start: number }[], end: number): Omit<Expected, "line" | "column"> {
  const last = open.pop();
  if (last === undefined) throw new TypeError("A mark of the corpus closes what was not opened.");
  return { type: last.type, level: levels[last.level as keyof typeof levels], start: last.start, end };
}

function placeAt(text: string, offset: number): { line: number; column: number } {
  const before = text.slice(0, offset).split(/\r\n|\n/);
  return { line: before.length, column: (before.at(-1) ?? "").length + 1 };
}

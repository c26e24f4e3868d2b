import {
  findingRows,
  rowLines,
  writeGithub,
  writeGitlab,
  writeJson,
  writeJsonLines,
  writeJunit,
  writeSarif,
} from "../../../findings/index.ts";
import type { ReportedFinding, ResultsAbout, RowLook } from "../../../findings/index.ts";
import { fitColumns, type Output } from "../../../cli/index.ts";
import { writeHtml, writeMarkdown } from "./results-page.ts";

type Findings = AsyncIterable<ReportedFinding>;

export type ResultFormat = "text" | WrittenFormat;
type WrittenFormat = "json" | "jsonl" | "sarif" | "github" | "gitlab" | "junit" | "markdown" | "html";

const writers: Readonly<Record<WrittenFormat, (findings: Findings, about: ResultsAbout) => AsyncIterable<string>>> = {
  json: writeJson,
  jsonl: writeJsonLines,
  sarif: writeSarif,
  github: writeGithub,
  gitlab: writeGitlab,
  junit: writeJunit,
  markdown: writeMarkdown,
  html: writeHtml,
};

/** The form that was asked for: `--json` and `--jsonl` are short for theirs. */
export function formatOf<Format extends string>(out: Output, given: Format | undefined): Format | "text" | "json" | "jsonl" {
  return given ?? (out.jsonLines ? "jsonl" : out.json ? "json" : "text");
}

const isRead: ReadonlySet<ResultFormat> = new Set<ResultFormat>(["github", "markdown"]);

/** Characters that are collected before they are handed to stdout. */
const chunkChars = 64 * 1024;

/** Findings in a form, piece by piece, for a file. */
export async function* resultPieces(
  findings: Findings,
  format: ResultFormat,
  about: ResultsAbout,
): AsyncGenerator<string, void, undefined> {
  if (format !== "text") return yield* writers[format](findings, about);
  for await (const rows of findingRows(findings)) yield `${rowLines(rows).join("\n")}\n`;
}

/** Prints findings as they come and waits for the reader, so that nothing piles up. */
export async function printResults(out: Output, findings: Findings, format: ResultFormat, about: ResultsAbout): Promise<void> {
  if (format === "text") return printRows(out, findings);
  let held = "";
  for await (const piece of writers[format](findings, about)) {
    // Where text is meant for people, nothing in it may move their cursor.
    held += isRead.has(format) ? out.plain(piece) : piece;
    if (held.length < chunkChars) continue;
    out.raw(held);
    held = "";
    await out.flush();
  }
  out.raw(held);
  await out.flush();
}

const colours = { critical: "red", error: "red", warning: "yellow", info: "cyan" } as const;
/** Where a terminal leaves less for a message, it has a line of its own. */
const fewestColumns = 30;

async function printRows(out: Output, findings: Findings): Promise<void> {
  const { columns } = out;
  const fit = (message: string, taken: number): string => {
    if (columns === undefined) return message;
    const left = columns - taken - 1;
    return left >= fewestColumns ? fitColumns(message, left) : `\n  ${fitColumns(message, columns - 3)}`;
  };
  const look: RowLook = { fit, paint: (severity, word) => out.paint(colours[severity], word) };
  let isFirst = true;
  for await (const rows of findingRows(findings)) {
    if (!isFirst) out.line();
    isFirst = false;
    for (const line of rowLines(rows, look)) out.line(line);
    await out.flush();
  }
}

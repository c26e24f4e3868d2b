import type { Diagnostic, Place } from "../base/index.ts";
import { formatDocumentPath, type DocumentPath, type ParsedFile, type SourceNode } from "./source-node.ts";

/** What can be wrong with the text of a document, whatever it defines. */
export type TextFault =
  | JsonFault
  | "unquoted_template"
  | "alias"
  | "several_documents"
  | "not_a_map"
  | "empty_wrapper"
  | "beside_wrapper"
  | "not_json";

export type JsonFault = "syntax" | "duplicate_key" | "forbidden_key" | "too_deep";

/** A problem of the text itself, before there are nodes to complain about. */
export interface TextProblem<F extends TextFault = TextFault> {
  readonly fault: F;
  readonly message: string;
  readonly fix: string;
  readonly place: Place;
  readonly path?: string;
}

export interface ParsedDocument<F extends TextFault = TextFault> {
  readonly file: ParsedFile;
  /** Absent when the text holds nothing that can be looked at. */
  readonly root?: SourceNode;
  /** It has a syntax error: its values are only a guess. */
  readonly broken: boolean;
  readonly problems: readonly TextProblem<F>[];
}

/** The codes of a dialect; a fix replaces the general one. */
export type FaultCodes<F extends TextFault = TextFault> = Readonly<Record<F, string | { readonly code: string; readonly fix: string }>>;

/** Problems of a text in the words of a dialect. */
export function textDiagnostics<F extends TextFault>(problems: readonly TextProblem<F>[], codes: FaultCodes<F>): Diagnostic[] {
  return problems.map(({ fault, message, fix, place, path }) => {
    const said: string | { readonly code: string; readonly fix: string } = codes[fault];
    const words = typeof said === "string" ? { code: said, fix } : said;
    return { severity: "error", message, ...words, place, ...(path === undefined ? {} : { path }) };
  });
}

/** What is wrong, and what to do about it. */
export type Finding = readonly [fault: TextFault, message: string, fix: string];

export function textProblem([fault, message, fix]: Finding, place: Place, path: DocumentPath = []): TextProblem {
  return { fault, message, fix, place, ...(path.length > 0 ? { path: formatDocumentPath(path) } : {}) };
}

export const deepest = 60;

export const tooDeep: Finding = [
  "too_deep",
  `The file is nested deeper than ${deepest} levels.`,
  "Write the definition with fewer levels.",
];

export const unquotedTemplate: Finding = [
  "unquoted_template",
  "A template has no quotes, and YAML reads its braces as maps.",
  "Put quotes around the whole value.",
];

/** Longest line of a frame; longer ones are cut around the problem. */
const frameWidth = 120;

/**
 * A problem as plain text: where, what, the lines around it with a caret, and what to do. `text` is that of the file the
 * problem is in; without it there is no frame.
 */
export function renderDiagnostic({ place, severity, code, message, fix, path }: Diagnostic, text?: string): string {
  const where = place === undefined ? "" : `${place.file}:${place.line}:${place.column} `;
  const lines = [`${where}${severity} ${code}: ${message}`];
  if (place !== undefined && text !== undefined) lines.push(...frame(place, text));
  if (path !== undefined) lines.push(`  at: ${path}`);
  if (fix !== undefined) lines.push(`  fix: ${fix}`);
  return `${lines.join("\n")}\n`;
}

/** The line with the problem, marked, and the ones before and after it. */
function frame(place: Place, text: string): string[] {
  const all = text.split(/\r?\n/);
  const line = Math.min(Math.max(1, place.line), all.length);
  const first = Math.max(1, line - 1);
  const last = Math.min(all.length, line + 1);
  const gutter = String(last).length;
  const shown: string[] = [];
  const held = all[line - 1] ?? "";
  const start = Math.min(place.column - 1, held.length);
  const end = place.endLine === undefined || place.endLine === place.line ? (place.endColumn ?? place.column + 1) - 1 : held.length;
  const cut = Math.max(0, Math.min(start - Math.floor(frameWidth / 3), held.length - frameWidth));
  for (let number = first; number <= last; number++) {
    const source = all[number - 1] ?? "";
    shown.push(`  ${String(number).padStart(gutter)} | ${expand(source.slice(cut, cut + frameWidth))}`.trimEnd());
    if (number !== line) continue;
    const marked = expand(held.slice(start, Math.min(end, cut + frameWidth))).length;
    shown.push(`  ${" ".repeat(gutter)} | ${" ".repeat(expand(held.slice(cut, start)).length)}${"^".repeat(Math.max(1, marked))}`);
  }
  return shown;
}

/** Tabs are shown as two blanks, so that the caret stays below its character. */
function expand(text: string): string {
  return text.replaceAll("\t", "  ");
}

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

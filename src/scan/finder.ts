import type { ByteEdit, Instance } from "../ports/index.ts";
import type { CodeTokens } from "./rules/code-tokens.ts";
import type { LineIndex } from "./text/line-index.ts";

/** One decoded file as finders see it. */
export interface SourceText {
  readonly text: string;
  /** AL runtime the file is compiled for (8, 11, 15 ...); absent when nothing says so. */
  readonly runtime?: number;
  /** Known to be test code before its content was looked at. */
  readonly test: boolean;
}

/** The same with its tokens, for finders that know more than one language. */
export interface LexedText extends SourceText {
  readonly language: string;
  readonly code: CodeTokens;
  readonly lines: Pick<LineIndex, "lineAt" | "textOf">;
}

/** As in the file, but all offsets count UTF-16 units of the decoded text. */
export type TextEdit = ByteEdit;

/** What a finder saw: an instance before its place, its ordinal and its pattern are known. Offsets as in `TextEdit`. */
export type Found = Omit<
  Instance,
  "pattern" | "line" | "column" | "endLine" | "endColumn" | "text" | "ordinal" | "guide" | "step" | "edits"
> & {
  /** Ascending, not overlapping; only where the rewrite keeps the meaning. */
  readonly edits?: readonly TextEdit[];
  /** What has to be masked in its text: parts of the match of a pattern of secrets. */
  readonly secrets?: readonly Pick<TextEdit, "start" | "end">[];
};

/** For results that are written key by key, where copies of copies would cost more than the search. */
export type Writable<T> = { -readonly [Key in keyof T]: T[Key] };

/** The text from `start` to `end` after the edits, all of which are inside. */
export function edited(text: string, start: number, end: number, edits: readonly TextEdit[]): string {
  let result = "";
  let at = start;
  for (const edit of edits) {
    result += text.slice(at, edit.start) + edit.text;
    at = edit.end;
  }
  return result + text.slice(at, end);
}

/** Finds one kind of thing with knowledge of a language, where a regular expression cannot. */
export interface Finder {
  readonly id: string;
  /** Lower-case ASCII. A file that holds none of them, in any case, has no match. */
  readonly needles: readonly string[];
  find(source: LexedText): readonly Found[];
}

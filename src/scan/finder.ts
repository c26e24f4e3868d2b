import type { PatternSpec } from "../ports/index.ts";
import type { Token } from "./token.ts";

/** One decoded file as finders see it. */
export interface SourceText {
  /** Relative to the root that is scanned, with `/`. */
  readonly path: string;
  readonly text: string;
  readonly language: string;
  /** Lexed when first asked for. */
  readonly tokens: readonly Token[];
  /** AL runtime the file is compiled for (8, 11, 15 ...); absent when nothing says so. */
  readonly runtime?: number;
  /** Known to be test code before its content was looked at. */
  readonly test: boolean;
}

/** What a finder saw. All offsets count UTF-16 units of the decoded text; the end is exclusive. */
export interface Found {
  readonly type: string;
  /** Older name of the type, where one exists. */
  readonly seedType?: string;
  readonly auto: boolean;
  readonly needs?: "review" | "manual";
  /** Why it is not fixed by the engine. */
  readonly why?: string;
  readonly start: number;
  readonly end: number;
  readonly action?: string;
  readonly suggestion?: string;
  /** Ascending, not overlapping; only where the rewrite keeps the meaning. */
  readonly edits?: readonly TextEdit[];
  readonly procedure?: string;
  readonly section?: string;
}

/** Units `start` to `end` of the text before any edit are replaced by `text`. */
export interface TextEdit {
  readonly start: number;
  readonly end: number;
  readonly text: string;
}

/** Finds one kind of thing with knowledge of a language, where a regular expression cannot. */
export interface Finder {
  readonly id: string;
  /** Lower-case ASCII. A file that holds none of them, in any case, has no match. */
  readonly needles: readonly string[];
  find(source: SourceText, pattern: PatternSpec): readonly Found[];
}

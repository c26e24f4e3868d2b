/** How a text was written in YAML, and where: `start` is the offset of its first character, quote or block header. */
export interface ScalarSource {
  readonly style: string;
  readonly start: number;
  readonly end: number;
}

const escapes: Readonly<Record<string, number>> = { x: 2, u: 4, U: 8 };

/**
 * Offset in the file of a character of a parsed text. Quotes, escapes, folding and block indentation are undone; where that
 * is not exact the result is at most a little late in the same text, never outside of it.
 */
export function offsetInFile(file: string, scalar: ScalarSource, offset: number, value: string): number {
  const find = scalar.style === "BLOCK_LITERAL" ? inLiteralBlock : scalar.style === "QUOTE_DOUBLE" ? inDoubleQuotes : alongside;
  const found = find(file, scalar, Math.min(offset, value.length), value);
  return Math.max(scalar.start, Math.min(found, scalar.end - 1));
}

/** Line by line: a literal block keeps every line and loses only its indentation. */
function inLiteralBlock(file: string, scalar: ScalarSource, wanted: number, value: string): number {
  const before = value.slice(0, wanted).split("\n");
  let line = afterHeader(file, scalar);
  const indent = blockIndent(file, scalar);
  for (let skipped = 1; skipped < before.length; skipped++) {
    const next = file.indexOf("\n", line);
    if (next < 0) break;
    line = next + 1;
  }
  return line + indent + (before.at(-1) ?? "").length;
}

function afterHeader(file: string, scalar: ScalarSource): number {
  const end = file.indexOf("\n", scalar.start);
  return end < 0 ? scalar.start : end + 1;
}

function blockIndent(file: string, scalar: ScalarSource): number {
  const lines = file.slice(afterHeader(file, scalar), scalar.end).split("\n");
  const first = lines.find((line) => line.trim() !== "");
  return first === undefined ? 0 : first.length - first.trimStart().length;
}

const fold = /[ \t\r]*\n\s*/y;
const continuation = /\\\r?\n\s*/y;

/** Follows escapes and folded lines: one line break is a blank, each further one a line break of the text. */
function inDoubleQuotes(file: string, scalar: ScalarSource, wanted: number): number {
  let at = scalar.start + 1;
  let produced = 0;
  while (at < scalar.end) {
    at += matchAt(continuation, file, at).length;
    if (produced >= wanted) return at;
    const blank = matchAt(fold, file, at);
    if (file[at] === "\\") {
      const digits = escapes[file[at + 1] ?? ""] ?? 0;
      at += 2 + digits;
      produced += digits === 8 && Number.parseInt(file.slice(at - 8, at), 16) > 0xffff ? 2 : 1;
    } else if (blank !== "") {
      at += blank.length;
      produced += Math.max(1, blank.split("\n").length - 2);
    } else {
      at++;
      produced++;
    }
  }
  return at;
}

function matchAt(pattern: RegExp, text: string, at: number): string {
  pattern.lastIndex = at;
  return pattern.exec(text)?.[0] ?? "";
}

function skipBlank(file: string, from: number): number {
  let at = from;
  while (/\s/.test(file[at] ?? "")) at++;
  return at;
}

/** Walks text and source together: blanks match any run of blanks, a doubled single quote is one character. */
function alongside(file: string, scalar: ScalarSource, wanted: number, value: string): number {
  const single = scalar.style === "QUOTE_SINGLE";
  let at = scalar.style === "BLOCK_FOLDED" ? skipBlank(file, afterHeader(file, scalar)) : scalar.start + (single ? 1 : 0);
  for (let produced = 0; produced < wanted && at < scalar.end; produced++) {
    const folded = /\s/.test(value[produced] ?? "") && file[at] === "\n";
    if (folded) {
      at = skipBlank(file, at);
      while (/\s/.test(value[produced + 1] ?? "")) produced++;
    } else {
      at += single && file[at] === "'" ? 2 : 1;
    }
  }
  return at;
}

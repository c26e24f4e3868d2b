/** A piece of a markdown text; lines count from 1 within the text. */
export type Block =
  | { readonly kind: "heading"; readonly level: number; readonly text: string; readonly line: number }
  | { readonly kind: "code"; readonly language: string; readonly text: string; readonly line: number }
  | { readonly kind: "table"; readonly header: readonly string[]; readonly rows: readonly (readonly string[])[]; readonly line: number }
  /** A line of a paragraph or a list, without its bullet. */
  | { readonly kind: "text"; readonly text: string; readonly item: boolean; readonly line: number };

export interface Section {
  readonly heading: string;
  readonly slug: string;
  readonly level: number;
  readonly line: number;
  /** With its sub-sections, without its heading. */
  readonly text: string;
}

/** Just enough of markdown to find headings, blocks of code, tables and lines of text. */
export function parseMarkdown(text: string): Block[] {
  const lines = text.split("\n");
  const blocks: Block[] = [];
  for (let at = 0; at < lines.length; at++) {
    const line = lines[at]!;
    const fence = /^\s*(`{3,}|~{3,})\s*([\w+-]*)/.exec(line);
    if (fence !== null) {
      const end = lineFrom(lines, at + 1, (next) => next.trim().startsWith(fence[1]!) && /^[`~]+$/.test(next.trim()));
      blocks.push({ kind: "code", language: fence[2]!.toLowerCase(), text: lines.slice(at + 1, end).join("\n"), line: at + 1 });
      at = end;
    } else if (isTableHead(line, lines[at + 1])) {
      const end = lineFrom(lines, at + 2, (next) => !next.includes("|"));
      blocks.push({ kind: "table", header: cellsOf(line), rows: lines.slice(at + 2, end).map(cellsOf), line: at + 1 });
      at = end - 1;
    } else pushLine(blocks, line, at + 1);
  }
  return blocks;
}

function pushLine(blocks: Block[], line: string, number: number): void {
  const heading = /^\s{0,3}(#{1,6})\s+(.*?)\s*#*\s*$/.exec(line);
  if (heading !== null) blocks.push({ kind: "heading", level: heading[1]!.length, text: plainText(heading[2]!), line: number });
  else if (line.trim() !== "") {
    const item = /^\s*(?:[-*+]|\d+[.)])\s+/.exec(line);
    blocks.push({ kind: "text", text: line.slice(item?.[0].length ?? 0).trim(), item: item !== null, line: number });
  }
}

/** The first line from a place on for which the test holds, else the end. */
function lineFrom(lines: readonly string[], from: number, test: (line: string) => boolean): number {
  const found = lines.findIndex((line, at) => at >= from && test(line));
  return found < 0 ? lines.length : found;
}

function isTableHead(line: string, next: string | undefined): boolean {
  return line.includes("|") && next !== undefined && /^\s*\|?\s*:?-+:?\s*(?:\|\s*:?-+:?\s*)+\|?\s*$/.test(next);
}

function cellsOf(line: string): string[] {
  return line
    .trim()
    .replace(/^\||\|$/g, "")
    .split(/(?<!\\)\|/)
    .map((cell) => cell.trim().replaceAll("\\|", "|"));
}

/** Text without marks for bold, code and links. */
export function plainText(text: string): string {
  return text
    .replace(/\[([^\]]*)\]\([^)]*\)/g, "$1")
    .replace(/\*\*|__|`/g, "")
    .trim();
}

/** The parts in backticks. */
export function codeSpans(text: string): string[] {
  return [...text.matchAll(/`([^`\n]+)`/g)].map((match) => match[1]!.trim());
}

/** A heading as a link names it: `event-migration-strategy`. */
export function slugOf(heading: string): string {
  return heading
    .toLowerCase()
    .replace(/[^\p{L}\p{N}\s-]/gu, "")
    .trim()
    .replace(/\s+/g, "-");
}

/** Every heading with the text below it, up to the next one of its level or above. */
export function sectionsOf(blocks: readonly Block[], body: string): Section[] {
  const lines = body.split("\n");
  const headings = blocks.filter((block) => block.kind === "heading");
  return headings.map(({ text: heading, level, line }, at) => {
    const end = headings.slice(at + 1).find((next) => next.level <= level)?.line ?? lines.length + 1;
    const text = lines.slice(line, end - 1).join("\n");
    return { heading, slug: slugOf(heading), level, line, text: text.trim() };
  });
}

/** Heading above a block. Labels such as `#### Code Discovery` belong to the section above them. */
export function headingAt(blocks: readonly Block[], at: number): string | undefined {
  for (let place = at; place >= 0; place--) {
    const block = blocks[place]!;
    if (block.kind === "heading" && block.level <= 3) return block.text;
  }
  return undefined;
}

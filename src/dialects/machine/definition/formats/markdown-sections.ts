import { plainText } from "./session-reader.ts";

/** A heading of a Markdown file, with what is below it up to the next heading of its level or above. */
export interface MarkdownSection {
  readonly level: number;
  /** As written, without the marks. */
  readonly heading: string;
  readonly line: number;
  readonly body: string;
  /** Line of the first line of the body. */
  readonly bodyLine: number;
}

/** Other names of required sections, e.g. those of another language: `{ Goals: ["Ziele"] }`. */
export type HeadingNames = Readonly<Record<string, readonly string[]>>;

interface Heading {
  readonly level: number;
  readonly heading: string;
  readonly index: number;
  /** Lines the heading takes: two when it is underlined. */
  readonly size: number;
}

/** All sections of a text, in order. What is in code blocks and comments is not a heading. */
export function sectionsOf(text: string): readonly MarkdownSection[] {
  const lines = visibleLines(text);
  const headings = headingsOf(lines);
  const ends = endsOf(headings, lines.length);
  return headings.map(({ level, heading, index, size }, at) => {
    const body = lines.slice(index + size, ends[at]).join("\n");
    return { level, heading, line: index + 1, body, bodyLine: index + size + 1 };
  });
}

/** For each heading the line of the next one of its level or above. */
function endsOf(headings: readonly Heading[], last: number): readonly number[] {
  const next = [last, last, last, last, last, last, last];
  return headings
    .toReversed()
    .map(({ level, index }) => {
      const end = next[level] ?? last;
      next.fill(index, level);
      return end;
    })
    .toReversed();
}

/** Lines without comments; code blocks stay, but nothing in them looks like a heading. */
function visibleLines(text: string): readonly string[] {
  const lines = plainText(text)
    .replace(/<!--[\s\S]*?(?:-->|$)/g, (comment) => comment.replace(/[^\n]/g, ""))
    .split("\n");
  let fence: string | undefined;
  return lines.map((line) => {
    const [, mark] = /^ {0,3}(`{3,}|~{3,})/.exec(line) ?? [];
    if (fence === undefined) {
      fence = mark;
      return line;
    }
    if (mark?.startsWith(fence) === true && line.trim() === mark) fence = undefined;
    return `    ${line}`;
  });
}

const longestHeading = 500;

function headingsOf(lines: readonly string[]): readonly Heading[] {
  return lines.flatMap((line, index): Heading[] => {
    if (line.length > longestHeading) return [];
    const [, marks, heading = ""] = /^ {0,3}(#{1,6})(?:\s+(.*))?$/.exec(line) ?? [];
    if (marks !== undefined) return [{ level: marks.length, heading: heading.replace(/(?:^|\s+)#+\s*$/, "").trim(), index, size: 1 }];
    const [, underline] = /^ {0,3}(=+|-{2,})\s*$/.exec(lines[index + 1] ?? "") ?? [];
    const isText = /^ {0,3}[^\s#>|`~=*+-]/.test(line) && !/^\s*\d+[.)]\s/.test(line);
    if (underline === undefined || !isText) return [];
    return [{ level: underline.startsWith("=") ? 1 : 2, heading: line.trim(), index, size: 2 }];
  });
}

/** The section with one of the names: numbers before it, emphasis, case and remarks behind it do not count. */
export function findSection(sections: readonly MarkdownSection[], names: readonly string[]): MarkdownSection | undefined {
  const wanted = names.map(headingKey);
  const matching = sections.filter(({ heading }) => wanted.some((name) => isNamed(headingKey(heading), name)));
  return matching.find(({ body }) => hasContent(body)) ?? matching[0];
}

/** A heading as it is compared. */
export function headingKey(heading: string): string {
  return heading
    .normalize("NFKC")
    .replace(/[*_`]/g, "")
    .replace(/^[^\p{L}\p{N}]+/u, "")
    .replace(/^(?:section|part|chapter)\s+(?=\d)/i, "")
    .replace(/^(?:\d+(?:\.\d+)*|[A-Z]|[IVX]+)[.):]\s*/u, "")
    .replace(/^\d+(?:\.\d+)*\s+(?:[-–—:]\s*)?/u, "")
    .replace(/\s*[&/+]\s*/g, "/")
    .replace(/\s+/g, " ")
    .toLowerCase()
    .replace(/[\s:.]+$/, "");
}

function isNamed(heading: string, name: string): boolean {
  return heading === name || (heading.startsWith(name) && /^\s*[(:–—-]/.test(heading.slice(name.length)));
}

const placeholder = /^(?:tbd|todo|tba|to be (?:done|defined|written|decided)|\.{3}|…|[*+-])?[.:]?$/i;

/** Whether something is said: sub-headings, rules and placeholders such as `TODO` alone say nothing. */
export function hasContent(body: string): boolean {
  return body.split("\n").some((line) => {
    const text = line
      .replace(/^\s*#{1,6}(?:\s.*)?$/, "")
      .replace(/^\s*(?:[-*+]|\d+[.)])\s+/, "")
      .replace(/^\[[ xX]\]\s*/, "")
      .replace(/[*_`<>|=[\]()-]/g, "")
      .trim();
    return !placeholder.test(text);
  });
}

/** The text with a heading under another name; everything else stays as it is. */
export function renameHeading(text: string, { line, heading }: MarkdownSection, name: string): string {
  const lines = text.split("\n");
  lines[line - 1] = (lines[line - 1] ?? "").replace(heading, () => name);
  return lines.join("\n");
}

/** A criterion of `spec.md`. */
export interface SpecCriterion {
  readonly id: string;
  readonly text: string;
  readonly line: number;
}

export interface SpecCriteria {
  readonly criteria: readonly SpecCriterion[];
  /** What looks like a criterion but cannot be tested, a sentence each. */
  readonly faults: readonly { readonly line: number; readonly message: string }[];
}

const entry = /^(?: {0,3})(?:[-*+]|\d+[.)])\s+(.*)$/;
const row = /^\s*\|(.*)$/;
const heading = /^ {0,3}#{1,6}\s+(.*)$/;
const identified = /^[\s*_`[\]()xX|]*\b(AC-[A-Za-z0-9][\w.-]*?)(?![\w-])[\s*_`\])]*[:.|–—-]*(.*)$/;

/** Of what is below a criterion, so much is taken as its text. */
const enough = 1000;

/** Criteria of a section: entries of a list, rows of a table, or headings, each beginning with an id such as `AC-001`. */
export function criteriaIn(section: MarkdownSection): SpecCriteria {
  const found: { id: string; text: string; line: number }[] = [];
  const faults: { line: number; message: string }[] = [];
  let belowHeading = false;
  let current: { id: string; text: string; line: number } | undefined;
  for (const [offset, line] of section.body.split("\n").entries()) {
    const at = section.bodyLine + offset;
    const [, title] = heading.exec(line) ?? [];
    const [, item] = entry.exec(line) ?? [];
    const [, cells] = row.exec(line) ?? [];
    const [, id, rest = ""] = identified.exec(title ?? item ?? cells ?? line) ?? [];
    if (id !== undefined) {
      current = { id, text: words(rest), line: at };
      found.push(current);
      belowHeading = title !== undefined;
    } else if (title !== undefined) {
      current = undefined;
      belowHeading = false;
    } else if (item !== undefined && !/^\s{2,}/.test(line) && !belowHeading && words(item) !== "") {
      faults.push({ line: at, message: `The criterion on line ${at} has no id such as \`AC-001\`.` });
      current = undefined;
    } else if (current !== undefined && current.text.length < enough) {
      current.text = `${current.text} ${words(line)}`.trim();
    }
  }
  return { criteria: found, faults: [...faults, ...faultsOf(found)].sort((a, b) => a.line - b.line) };
}

function faultsOf(found: readonly SpecCriterion[]): { line: number; message: string }[] {
  const seen = new Set<string>();
  return found.flatMap(({ id, text, line }) => {
    const twin = seen.has(id);
    seen.add(id);
    return [
      ...(text === "" ? [{ line, message: `The criterion \`${id}\` says nothing that could be tested.` }] : []),
      ...(twin ? [{ line, message: `The criterion \`${id}\` is there twice.` }] : []),
    ];
  });
}

function words(text: string): string {
  const said = text.replace(/[*_`|\s]+/g, " ").trim();
  const bare = said.replace(/[\s\p{P}\p{S}]+/gu, "");
  return /^(?:tbd|todo|tba)?$/i.test(bare) ? "" : said;
}

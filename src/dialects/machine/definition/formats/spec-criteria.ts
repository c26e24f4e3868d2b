import type { MarkdownSection } from "./markdown-sections.ts";

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

import { type Json, type JsonObject, textOf, grouped } from "../../../base/index.ts";

/** One part of a report, the same for every format: people get titles and text, programs get keys and raw values. */
export type ReportSection = FactsSection | LinesSection | TableSection;

interface SectionHead {
  readonly key: string;
  readonly title: string;
  /** A sentence below the title. */
  readonly note?: string;
}

export interface FactsSection extends SectionHead {
  readonly kind: "facts";
  readonly entries: readonly { readonly key: string; readonly label: string; readonly value: Json }[];
}

export interface LinesSection extends SectionHead {
  readonly kind: "lines";
  readonly lines: readonly string[];
}

export interface TableSection extends SectionHead {
  readonly kind: "table";
  readonly columns: readonly { readonly key: string; readonly title: string }[];
  /** Rows with one value for each column that has one; read once. */
  readonly rows: AsyncIterable<JsonObject> | Iterable<JsonObject>;
  /** Said in place of an empty table; without it an empty table is left out for people. */
  readonly empty?: string;
}

/** `columns` names the keys; a title that is not simply its key comes after a colon: `line, description: Issue`. */
export function table(key: string, title: string, columns: string, rest: Pick<TableSection, "rows" | "note" | "empty">): TableSection {
  const named = columns.split(", ").map((column) => {
    const [name = "", given = `${name.slice(0, 1).toUpperCase()}${name.slice(1)}`] = column.split(": ");
    return { key: name, title: given };
  });
  return { kind: "table", key, title, columns: named, ...rest };
}

export function lineSection(key: string, title: string, lines: readonly string[]): LinesSection {
  return { kind: "lines", key, title, lines };
}

export interface Report {
  readonly title: string;
  readonly interim: boolean;
  /** First lines, below the title. */
  readonly opening: readonly string[];
  /** Plain values that the JSON form begins with. */
  readonly head: JsonObject;
  readonly sections: readonly ReportSection[];
}

/** Headings, bullets and tables; values can neither break a table nor become markup. */
export async function* renderMarkdown(report: Report): AsyncGenerator<string, void, undefined> {
  yield `# ${inMarkdown(report.title)}\n\n${report.interim ? "**Interim report**\n\n" : ""}${report.opening.map(inMarkdown).join("\n\n")}\n`;
  for (const section of report.sections) yield* markdownSection(section);
}

async function* markdownSection(section: ReportSection): AsyncGenerator<string, void, undefined> {
  const head = `\n## ${inMarkdown(section.title)}\n\n${section.note === undefined ? "" : `${inMarkdown(section.note)}\n\n`}`;
  switch (section.kind) {
    case "facts":
      yield `${head}${section.entries.map(({ label, value }) => `- ${inMarkdown(label)}: ${shown(value)}\n`).join("")}`;
      return;
    case "lines":
      yield `${head}${section.lines.map((line) => `- ${inMarkdown(line)}\n`).join("")}`;
      return;
    case "table":
      yield* markdownTable(section, head);
  }
}

function markdownTable(section: TableSection, head: string): AsyncGenerator<string, void, undefined> {
  return tableParts(section, {
    head: (titles) => `${head}| ${titles.map(inMarkdown).join(" | ")} |\n|${titles.map(() => "---|").join("")}\n`,
    row: (values) => `| ${values.map(shown).join(" | ")} |\n`,
    end: "",
    empty: (text) => `${head}${inMarkdown(text)}\n`,
  });
}

interface TableParts {
  readonly head: (titles: readonly string[]) => string;
  readonly row: (values: readonly (Json | undefined)[]) => string;
  readonly end: string;
  readonly empty: (text: string) => string;
}

/** A table row by row; one without rows has no head. */
async function* tableParts({ columns: of, rows, empty }: TableSection, parts: TableParts): AsyncGenerator<string, void, undefined> {
  let begun = false;
  for await (const row of rows) {
    if (!begun) yield parts.head(of.map(({ title }) => title));
    begun = true;
    yield parts.row(of.map(({ key }) => (Object.hasOwn(row, key) ? row[key] : undefined)));
  }
  if (begun && parts.end !== "") yield parts.end;
  if (!begun && empty !== undefined) yield parts.empty(empty);
}

function shown(value: Json | undefined): string {
  return inMarkdown(cellText(value));
}

/** A value for people: grouped numbers, yes and no, nothing for what is absent. */
function cellText(value: Json | undefined): string {
  if (value === undefined || value === null) return "";
  if (typeof value === "number") return grouped(value);
  if (typeof value === "boolean") return value ? "yes" : "no";
  return textOf(value);
}

function inMarkdown(text: string): string {
  return text
    .replaceAll(/\s+/g, " ")
    .replaceAll("&", "&amp;")
    .replaceAll("<", "&lt;")
    .replaceAll(/[\\`*[\]|~]|(?<![A-Za-z0-9])_|_(?![A-Za-z0-9])/g, String.raw`\$&`);
}

/** One JSON object: plain values first, then each section under its key with raw values. */
export async function* renderJson(report: Report): AsyncGenerator<string, void, undefined> {
  yield `{\n"title":${JSON.stringify(report.title)}`;
  for (const [key, value] of Object.entries(report.head)) yield `,\n${JSON.stringify(key)}:${JSON.stringify(value)}`;
  for (const section of report.sections) yield* jsonSection(section);
  yield "\n}\n";
}

async function* jsonSection(section: ReportSection): AsyncGenerator<string, void, undefined> {
  const key = `,\n${JSON.stringify(section.key)}:`;
  switch (section.kind) {
    case "facts":
      yield `${key}${JSON.stringify(Object.fromEntries(section.entries.map((entry) => [entry.key, entry.value])))}`;
      return;
    case "lines":
      yield `${key}${JSON.stringify(section.lines)}`;
      return;
    case "table": {
      let first = true;
      for await (const row of section.rows) {
        yield `${first ? `${key}[` : ","}\n${JSON.stringify(row)}`;
        first = false;
      }
      yield first ? `${key}[]` : "]";
    }
  }
}

const style = `
:root { color-scheme: light dark; }
body { font: 15px/1.5 system-ui, sans-serif; max-width: 72rem; margin: 2rem auto; padding: 0 1rem; }
table { border-collapse: collapse; width: 100%; margin: .5rem 0 1.5rem; }
th, td { border: 1px solid #8886; padding: .3rem .5rem; text-align: left; vertical-align: top; overflow-wrap: anywhere; }
th { background: #8882; }
td.number { text-align: right; white-space: nowrap; }
.interim { border-left: 4px solid #d80; padding-left: .7rem; font-weight: 600; }
`;

/** One page that needs nothing else: no script, no link, no image; every value is text. */
export async function* renderHtml(report: Report): AsyncGenerator<string, void, undefined> {
  const title = inHtml(report.title);
  yield `<!DOCTYPE html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n<meta name="viewport" content="width=device-width, initial-scale=1">\n<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'">\n<title>${title}</title>\n<style>${style}</style>\n</head>\n<body>\n<h1>${title}</h1>\n`;
  if (report.interim) yield `<p class="interim">Interim report</p>\n`;
  yield report.opening.map((line) => `<p>${inHtml(line)}</p>\n`).join("");
  for (const section of report.sections) yield* htmlSection(section);
  yield "</body>\n</html>\n";
}

async function* htmlSection(section: ReportSection): AsyncGenerator<string, void, undefined> {
  const note = section.note === undefined ? "" : `<p>${inHtml(section.note)}</p>\n`;
  const head = `<h2 id="${inHtml(section.key)}">${inHtml(section.title)}</h2>\n${note}`;
  switch (section.kind) {
    case "facts":
      yield `${head}<table>\n${section.entries.map(({ label, value }) => `<tr><th scope="row">${inHtml(label)}</th>${htmlCell(value)}</tr>\n`).join("")}</table>\n`;
      return;
    case "lines":
      yield `${head}<ul>\n${section.lines.map((line) => `<li>${inHtml(line)}</li>\n`).join("")}</ul>\n`;
      return;
    case "table":
      yield* htmlTable(section, head);
  }
}

function htmlTable(section: TableSection, head: string): AsyncGenerator<string, void, undefined> {
  const title = (text: string): string => `<th scope="col">${inHtml(text)}</th>`;
  return tableParts(section, {
    head: (titles) => `${head}<table>\n<thead><tr>${titles.map(title).join("")}</tr></thead>\n<tbody>\n`,
    row: (values) => `<tr>${values.map(htmlCell).join("")}</tr>\n`,
    end: "</tbody>\n</table>\n",
    empty: (text) => `${head}<p>${inHtml(text)}</p>\n`,
  });
}

function htmlCell(value: Parameters<typeof cellText>[0]): string {
  return `<td${typeof value === "number" ? ' class="number"' : ""}>${inHtml(cellText(value))}</td>`;
}

const htmlNames: Readonly<Record<string, string>> = { "&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;", "'": "&#39;" };

/** Text that is safe between tags and in quoted attributes; characters that HTML forbids are replaced. */
function inHtml(text: string): string {
  return text
    .replaceAll(/[\u0000-\u0008\u000B\u000C\u000E-\u001F\u007F-\u009F]/g, "\uFFFD")
    .replaceAll(/[&<>"']/g, (sign) => htmlNames[sign] ?? sign);
}

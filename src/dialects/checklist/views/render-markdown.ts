import { textOf, type Json, type JsonObject } from "../../../base/index.ts";
import { grouped } from "../../../views/index.ts";
import type { Report, ReportSection, TableSection } from "./report-section.ts";

/** Headings, bullets and tables; values can neither break a table nor become markup. */
export async function* renderMarkdown(report: Report): AsyncGenerator<string, void, undefined> {
  yield `# ${escaped(report.title)}\n\n${report.interim ? "**Interim report**\n\n" : ""}${report.opening.map(escaped).join("\n\n")}\n`;
  for (const section of report.sections) yield* rendered(section);
}

async function* rendered(section: ReportSection): AsyncGenerator<string, void, undefined> {
  const head = `\n## ${escaped(section.title)}\n\n${section.note === undefined ? "" : `${escaped(section.note)}\n\n`}`;
  switch (section.kind) {
    case "facts":
      yield `${head}${section.entries.map(({ label, value }) => `- ${escaped(label)}: ${shown(value)}\n`).join("")}`;
      return;
    case "lines":
      yield `${head}${section.lines.map((line) => `- ${escaped(line)}\n`).join("")}`;
      return;
    case "table":
      yield* tableRows(section, head);
  }
}

async function* tableRows(section: TableSection, head: string): AsyncGenerator<string, void, undefined> {
  let begun = false;
  for await (const row of section.rows) {
    if (!begun) {
      const titles = section.columns.map(({ title }) => escaped(title));
      yield `${head}| ${titles.join(" | ")} |\n|${section.columns.map(() => "---|").join("")}\n`;
      begun = true;
    }
    yield `| ${section.columns.map(({ key }) => shown(valueOf(row, key))).join(" | ")} |\n`;
  }
  if (!begun && section.empty !== undefined) yield `${head}${escaped(section.empty)}\n`;
}

function valueOf(row: JsonObject, key: string): Json | undefined {
  return Object.hasOwn(row, key) ? row[key] : undefined;
}

function shown(value: Json | undefined): string {
  return escaped(cellText(value));
}

/** A value for people: grouped numbers, yes and no, nothing for what is absent. */
export function cellText(value: Json | undefined): string {
  if (value === undefined || value === null) return "";
  if (typeof value === "number") return grouped(value);
  if (typeof value === "boolean") return value ? "yes" : "no";
  return textOf(value);
}

function escaped(text: string): string {
  return text
    .replaceAll(/\s+/g, " ")
    .replaceAll("&", "&amp;")
    .replaceAll("<", "&lt;")
    .replaceAll(/[\\`*[\]|~]|(?<![A-Za-z0-9])_|_(?![A-Za-z0-9])/g, String.raw`\$&`);
}

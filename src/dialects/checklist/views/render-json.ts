import type { Report, ReportSection } from "./report-section.ts";

/** One JSON object: plain values first, then each section under its key with raw values. */
export async function* renderJson(report: Report): AsyncGenerator<string, void, undefined> {
  yield `{\n"title":${JSON.stringify(report.title)}`;
  for (const [key, value] of Object.entries(report.head)) yield `,\n${JSON.stringify(key)}:${JSON.stringify(value)}`;
  for (const section of report.sections) yield* rendered(section);
  yield "\n}\n";
}

async function* rendered(section: ReportSection): AsyncGenerator<string, void, undefined> {
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

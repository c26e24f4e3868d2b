import { cellText } from "./render-markdown.ts";
import type { Report, ReportSection, TableSection } from "./report-section.ts";

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
  const title = escaped(report.title);
  yield `<!DOCTYPE html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n<meta name="viewport" content="width=device-width, initial-scale=1">\n<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'">\n<title>${title}</title>\n<style>${style}</style>\n</head>\n<body>\n<h1>${title}</h1>\n`;
  if (report.interim) yield `<p class="interim">Interim report</p>\n`;
  yield report.opening.map((line) => `<p>${escaped(line)}</p>\n`).join("");
  for (const section of report.sections) yield* rendered(section);
  yield "</body>\n</html>\n";
}

async function* rendered(section: ReportSection): AsyncGenerator<string, void, undefined> {
  const note = section.note === undefined ? "" : `<p>${escaped(section.note)}</p>\n`;
  const head = `<h2 id="${escaped(section.key)}">${escaped(section.title)}</h2>\n${note}`;
  switch (section.kind) {
    case "facts":
      yield `${head}<table>\n${section.entries.map(({ label, value }) => `<tr><th scope="row">${escaped(label)}</th>${cell(value)}</tr>\n`).join("")}</table>\n`;
      return;
    case "lines":
      yield `${head}<ul>\n${section.lines.map((line) => `<li>${escaped(line)}</li>\n`).join("")}</ul>\n`;
      return;
    case "table":
      yield* tableRows(section, head);
  }
}

async function* tableRows(section: TableSection, head: string): AsyncGenerator<string, void, undefined> {
  let begun = false;
  for await (const row of section.rows) {
    if (!begun) {
      const titles = section.columns.map(({ title }) => `<th scope="col">${escaped(title)}</th>`);
      yield `${head}<table>\n<thead><tr>${titles.join("")}</tr></thead>\n<tbody>\n`;
      begun = true;
    }
    yield `<tr>${section.columns.map(({ key }) => cell(Object.hasOwn(row, key) ? row[key] : undefined)).join("")}</tr>\n`;
  }
  if (begun) yield "</tbody>\n</table>\n";
  else if (section.empty !== undefined) yield `${head}<p>${escaped(section.empty)}</p>\n`;
}

function cell(value: Parameters<typeof cellText>[0]): string {
  return `<td${typeof value === "number" ? ' class="number"' : ""}>${escaped(cellText(value))}</td>`;
}

const named: Readonly<Record<string, string>> = { "&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;", "'": "&#39;" };

/** Text that is safe between tags and in quoted attributes; characters that HTML forbids are replaced. */
function escaped(text: string): string {
  return text
    .replaceAll(/[\u0000-\u0008\u000B\u000C\u000E-\u001F\u007F-\u009F]/g, "\uFFFD")
    .replaceAll(/[&<>"']/g, (sign) => named[sign] ?? sign);
}

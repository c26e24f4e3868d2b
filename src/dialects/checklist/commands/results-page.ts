import { placeOf, type ReportedFinding, type ResultsAbout } from "../../../findings/index.ts";
import { defined, type Json, type JsonObject } from "../../../base/index.ts";
import { renderHtml, renderMarkdown, table, type Report } from "../views/index.ts";

type Findings = AsyncIterable<ReportedFinding>;

/** Findings as a page for people, for a comment of a pull request or the summary of a job. */
export function writeMarkdown(findings: Findings, about: ResultsAbout): AsyncIterable<string> {
  return renderMarkdown(pageOf(findings, about));
}

/** The same as one page of HTML that needs nothing else. */
export function writeHtml(findings: Findings, about: ResultsAbout): AsyncIterable<string> {
  return renderHtml(pageOf(findings, about));
}

const plainCounts: Readonly<Record<string, string>> = {
  files: "Files",
  findings: "Findings",
  auto_fixable: "Auto-fixable",
  suppressed: "Suppressed",
  known: "Known from the baseline",
};

function pageOf(findings: Findings, { workflow, summary }: ResultsAbout): Report {
  const rows = (async function* (): AsyncGenerator<JsonObject> {
    for await (const finding of findings) {
      const { severity, rule, message, status, reason } = finding;
      yield defined({ place: placeOf(finding), severity, rule, message, status, reason });
    }
  })();
  return {
    title: `Findings of ${workflow}`,
    interim: false,
    opening: [],
    head: {},
    sections: [
      table("findings", "Findings", "place, severity, rule, message, status, reason", { rows, empty: "There are none." }),
      {
        kind: "facts",
        key: "summary",
        title: "Summary",
        // Counted while the table was written.
        get entries() {
          const counts: Readonly<Record<string, Json | undefined>> = summary();
          return Object.entries(plainCounts).flatMap(([key, label]) => {
            const value = counts[key];
            return value === undefined ? [] : [{ key, label, value }];
          });
        },
      },
    ],
  };
}

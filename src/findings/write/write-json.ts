import { findingData, type ReportedFinding, type Results, type ResultsAbout } from "./reported-finding.ts";

/** One document: what it is about, the findings, and their counts. */
export async function* writeJson(
  findings: AsyncIterable<ReportedFinding>,
  { workflow, root, summary }: Pick<ResultsAbout, "workflow" | "root" | "summary">,
): Results {
  yield `{\n"workflow": ${JSON.stringify(workflow)},\n"root": ${JSON.stringify(root)},\n"findings": [`;
  let between = "\n";
  for await (const finding of findings) {
    yield `${between}${JSON.stringify(findingData(finding))}`;
    between = ",\n";
  }
  yield `${between === "\n" ? "" : "\n"}],\n"summary": ${JSON.stringify(summary())}\n}\n`;
}

/** One finding a line. */
export async function* writeJsonLines(findings: AsyncIterable<ReportedFinding>): Results {
  for await (const finding of findings) yield `${JSON.stringify(findingData(finding))}\n`;
}

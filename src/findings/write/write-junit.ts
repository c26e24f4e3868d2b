import { findingRows, placeOf } from "./finding-rows.ts";
import { isFixed, isStanding, type ReportedFinding, type Results, type ResultsAbout } from "./reported-finding.ts";

/**
 * JUnit: a suite for each file with findings, a test case for each of them. One that is open has failed, one that was dismissed or suppressed is
 * skipped, and one that was fixed has passed. Without any there is one test that passed, since some readers refuse a report without tests.
 */
export async function* writeJunit(findings: AsyncIterable<ReportedFinding>, { workflow }: Pick<ResultsAbout, "workflow">): Results {
  yield `<?xml version="1.0" encoding="UTF-8"?>\n<testsuites name="${inXml(workflow)}">\n`;
  let hasSuites = false;
  for await (const rows of findingRows(findings)) {
    hasSuites = true;
    const all = rows.map(({ finding }) => finding);
    const [failed, fixed] = [all.filter(isStanding).length, all.filter(isFixed).length];
    const counts = `tests="${all.length}" failures="${failed}" errors="0" skipped="${all.length - failed - fixed}"`;
    yield `  <testsuite name="${inXml(all[0]?.file ?? "")}" ${counts}>\n`;
    for (const finding of all) yield caseOf(finding);
    yield "  </testsuite>\n";
  }
  if (!hasSuites)
    yield `  <testsuite name="${inXml(workflow)}" tests="1" failures="0" errors="0" skipped="0">\n    <testcase classname="${inXml(workflow)}" name="no findings"/>\n  </testsuite>\n`;
  yield "</testsuites>\n";
}

function caseOf(finding: ReportedFinding): string {
  const { file, severity, rule, message, text = "", reason = finding.suppressed?.reason ?? "" } = finding;
  const place = placeOf(finding);
  const head = `    <testcase classname="${inXml(file)}" name="${inXml(`${rule} ${place}`)}"`;
  if (isFixed(finding)) return `${head}/>\n`;
  if (!isStanding(finding)) return `${head}><skipped message="${inXml(reason)}"/></testcase>\n`;
  const body = inXml(`${place}: ${severity} ${rule}: ${message}${text === "" ? "" : `\n${text}`}`);
  return `${head}><failure type="${severity}" message="${inXml(message)}">${body}</failure></testcase>\n`;
}

const names: Readonly<Record<string, string>> = { "&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;", "'": "&apos;", "\n": "&#10;" };

/** Text of an element or an attribute; what XML has no sign for is replaced. */
function inXml(text: string): string {
  return text
    .replaceAll(/[\u0000-\u0008\u000b\u000c\u000e-\u001f\u007f-\u009f\ufffe\uffff]|[\ud800-\udfff]/gu, "\ufffd")
    .replaceAll(/[&<>"'\n]/g, (sign) => names[sign] ?? sign);
}

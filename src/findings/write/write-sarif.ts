import { defined, type JsonObject } from "../../base/index.ts";
import type { Severity } from "../../ports/index.ts";
import { isDismissed, isFixed } from "./reported-finding.ts";
import type { ReportedEdit, ReportedFinding, ReportedRule, Results, ResultsAbout } from "./reported-finding.ts";

const schema = "https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json";
const base = "%SRCROOT%";

const levels: Readonly<Record<Severity, string>> = { critical: "error", error: "error", warning: "warning", info: "note" };

/**
 * SARIF 2.1.0. The rules come behind the results, so that those of tools, which are known by their first finding, are among them. What SARIF has
 * no word for, such as `critical`, is in the property bags.
 */
export async function* writeSarif(findings: AsyncIterable<ReportedFinding>, about: ResultsAbout): Results {
  const { workflow, version, root } = about;
  const rules = new RuleTable(about.rules);
  const bases = { [base]: { uri: `${fileUri(root)}/` } };
  yield `{\n"$schema": ${JSON.stringify(schema)},\n"version": "2.1.0",\n"runs": [{\n`;
  yield `"automationDetails": ${JSON.stringify({ id: `waymark/${encodePath(workflow)}/` })},\n`;
  yield `"columnKind": "utf16CodeUnits",\n"originalUriBaseIds": ${JSON.stringify(bases)},\n"results": [`;
  let between = "\n";
  for await (const finding of findings) {
    if (isFixed(finding)) continue;
    yield `${between}${JSON.stringify(resultOf(finding, rules.indexOf(finding)))}`;
    between = ",\n";
  }
  const driver = { name: "Waymark", version, rules: rules.all.map(ruleOf) };
  yield `${between === "\n" ? "" : "\n"}],\n"properties": ${JSON.stringify(about.summary())},\n"tool": ${JSON.stringify({ driver })}\n}]\n}\n`;
}

/** Rules in the order in which results refer to them. */
class RuleTable {
  readonly all: ReportedRule[];
  readonly #places = new Map<string, number>();

  constructor(rules: readonly ReportedRule[]) {
    this.all = [...rules];
    for (const [at, { id }] of rules.entries()) this.#places.set(id, at);
  }

  indexOf({ rule, severity, help }: ReportedFinding): number {
    const known = this.#places.get(rule);
    if (known !== undefined) return known;
    this.#places.set(rule, this.all.length);
    return this.all.push({ id: rule, severity, ...defined({ help }) }) - 1;
  }
}

function ruleOf({ id, name, description, severity, category, advice, help }: ReportedRule): JsonObject {
  const text = (said: string | undefined): JsonObject | undefined => (said === undefined || said === "" ? undefined : { text: said });
  return defined({
    id,
    shortDescription: text(name),
    fullDescription: text(description),
    help: text(advice),
    helpUri: help !== undefined && isUri(help) ? help : undefined,
    defaultConfiguration: { level: levels[severity] },
    properties: defined({ waymarkSeverity: severity, tags: category === undefined ? undefined : [category] }),
  });
}

function resultOf(finding: ReportedFinding, ruleIndex: number): JsonObject {
  const { rule, severity, message, fingerprint, fixes = [] } = finding;
  const { type, workflow, status, secret } = finding;
  const suppressions = suppressionsOf(finding);
  return defined({
    ruleId: rule,
    ruleIndex,
    level: levels[severity],
    message: { text: message === "" ? rule : message },
    locations: [{ physicalLocation: defined({ artifactLocation: locationOf(finding.file), region: regionOf(finding) }) }],
    partialFingerprints: { "waymark/v1": fingerprint },
    fixes: fixes.length === 0 ? undefined : [fixOf(finding.file, fixes)],
    suppressions,
    properties: defined({ waymarkSeverity: severity, waymarkSecret: secret, type, workflow, status }),
  });
}

/** What a directive or a tool settled, and what was dismissed in a run. A list without members says that it counts. */
function suppressionsOf({ suppressed, status, reason }: ReportedFinding): JsonObject[] {
  if (suppressed !== undefined)
    return [defined({ kind: suppressed.kind === "in_source" ? "inSource" : "external", justification: suppressed.reason })];
  return isDismissed(status) ? [defined({ kind: "external", status: "accepted", justification: reason })] : [];
}

function locationOf(file: string): JsonObject {
  return isAbsolute(file) ? { uri: fileUri(file) } : { uri: encodePath(file), uriBaseId: base };
}

function regionOf({ line, column, endLine, endColumn, text }: ReportedFinding): JsonObject | undefined {
  if (line === undefined) return undefined;
  const region = { startLine: line, startColumn: column, endLine, endColumn };
  return defined({ ...region, snippet: text === undefined || text === "" ? undefined : { text } });
}

function fixOf(file: string, edits: readonly ReportedEdit[]): JsonObject {
  const replacements = edits.map(({ line, column, endLine, endColumn, text }) => ({
    deletedRegion: { startLine: line, startColumn: column, endLine, endColumn },
    insertedContent: { text },
  }));
  return { artifactChanges: [{ artifactLocation: locationOf(file), replacements }] };
}

function isAbsolute(path: string): boolean {
  return path.startsWith("/") || /^[A-Za-z]:\//.test(path);
}

function isUri(text: string): boolean {
  return /^[a-z][a-z\d+.-]*:[^\s<>"{}|\\^`]+$/i.test(text);
}

function fileUri(path: string): string {
  const whole = path.replace(/\/+$/, "");
  // The colon of a drive is kept: it is part of the path there.
  const drive = /^[A-Za-z]:/.exec(whole)?.[0] ?? "";
  return `file://${drive === "" ? "" : `/${drive}`}${encodePath(whole.slice(drive.length))}`;
}

/** Segment by segment; half a character becomes the sign for an unknown one. */
function encodePath(path: string): string {
  return path
    .replaceAll(/[\ud800-\udfff]/gu, "\ufffd")
    .split("/")
    .map(encodeURIComponent)
    .join("/");
}

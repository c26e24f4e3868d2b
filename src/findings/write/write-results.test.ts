import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { sarifProblems } from "../../../test/support/sarif-problems.ts";
import type { ReportedFinding, Results, ResultsAbout } from "./reported-finding.ts";
import { findingRows, rowLines } from "./finding-rows.ts";
import { writeJson, writeJsonLines } from "./write-json.ts";
import { writeSarif } from "./write-sarif.ts";

const about: ResultsAbout = {
  workflow: "codebase-review",
  version: "1.2.3",
  root: "/home/ada/my project",
  rules: [{ id: "debugger", name: "Debugger", severity: "warning", advice: "Remove it.", category: "leftovers" }],
  summary: () => ({ findings: 1 }),
};
const finding: ReportedFinding = {
  file: "src/a b.ts",
  line: 3,
  column: 5,
  endLine: 3,
  endColumn: 14,
  severity: "warning",
  rule: "debugger",
  message: "Remove it.",
  text: "debugger;",
  autoFixable: false,
  fingerprint: "i0123456789ab",
};

async function* each(findings: readonly ReportedFinding[]): AsyncGenerator<ReportedFinding> {
  yield* findings;
}
async function text(pieces: Results): Promise<string> {
  let whole = "";
  for await (const piece of pieces) whole += piece;
  return whole;
}
interface Sarif {
  readonly runs: readonly [
    {
      readonly results: readonly Record<string, unknown>[];
      readonly tool: { readonly driver: { readonly rules: readonly Record<string, unknown>[] } };
      readonly originalUriBaseIds: unknown;
    },
  ];
}
async function sarif(...findings: ReportedFinding[]): Promise<Sarif> {
  const document = JSON.parse(await text(writeSarif(each(findings), about))) as Sarif;
  expect(sarifProblems(document)).toEqual([]);
  return document;
}

describe("SARIF", () => {
  test("says where, how grave and why, as other tools read it", async () => {
    const { runs } = await sarif(finding);
    expect(runs[0]).toMatchObject({
      columnKind: "utf16CodeUnits",
      originalUriBaseIds: { "%SRCROOT%": { uri: "file:///home/ada/my%20project/" } },
    });
    expect(runs[0].results).toEqual([
      {
        ruleId: "debugger",
        ruleIndex: 0,
        level: "warning",
        message: { text: "Remove it." },
        locations: [
          {
            physicalLocation: {
              artifactLocation: { uri: "src/a%20b.ts", uriBaseId: "%SRCROOT%" },
              region: { startLine: 3, startColumn: 5, endLine: 3, endColumn: 14, snippet: { text: "debugger;" } },
            },
          },
        ],
        partialFingerprints: { "waymark/v1": "i0123456789ab" },
        suppressions: [],
        properties: { waymarkSeverity: "warning" },
      },
    ]);
    expect(runs[0].tool.driver.rules).toMatchObject([
      { id: "debugger", help: { text: "Remove it." }, defaultConfiguration: { level: "warning" } },
    ]);
  });

  test("critical and error are errors, and the property bag tells them apart", async () => {
    const { runs } = await sarif(...(["critical", "error", "warning", "info"] as const).map((severity) => ({ ...finding, severity })));
    expect(runs[0].results.map(({ level, properties }) => [level, properties])).toEqual([
      ["error", { waymarkSeverity: "critical" }],
      ["error", { waymarkSeverity: "error" }],
      ["warning", { waymarkSeverity: "warning" }],
      ["note", { waymarkSeverity: "info" }],
    ]);
  });

  test("a rule of a tool comes with its page, once", async () => {
    const { runs } = await sarif(
      ...[1, 2].map((line) => ({ ...finding, line, endLine: line, rule: "oxlint/no-debugger", help: "https://oxc.rs/rules/no-debugger" })),
    );
    expect(runs[0].results.map(({ ruleIndex }) => ruleIndex)).toEqual([1, 1]);
    expect(runs[0].tool.driver.rules).toMatchObject([
      { id: "debugger" },
      { id: "oxlint/no-debugger", helpUri: "https://oxc.rs/rules/no-debugger" },
    ]);
  });

  test("fixes and suppressions are in it, and a dismissed one is suppressed with its reason", async () => {
    const edit = { line: 3, column: 5, endLine: 3, endColumn: 14, text: "" };
    const { runs } = await sarif(
      { ...finding, autoFixable: true, fixes: [edit] },
      { ...finding, suppressed: { kind: "in_source", reason: "a demo" } },
      { ...finding, status: "skipped", reason: "it is meant" },
    );
    expect(runs[0].results.map(({ fixes, suppressions }) => [fixes, suppressions])).toEqual([
      [
        [
          {
            artifactChanges: [
              {
                artifactLocation: { uri: "src/a%20b.ts", uriBaseId: "%SRCROOT%" },
                replacements: [
                  { deletedRegion: { startLine: 3, startColumn: 5, endLine: 3, endColumn: 14 }, insertedContent: { text: "" } },
                ],
              },
            ],
          },
        ],
        [],
      ],
      [undefined, [{ kind: "inSource", justification: "a demo" }]],
      [undefined, [{ kind: "external", status: "accepted", justification: "it is meant" }]],
    ]);
  });

  test("is valid whatever files, rules and texts are called", async () => {
    const odd = fc.string({ unit: "binary", maxLength: 20 });
    await fc.assert(
      fc.asyncProperty(odd, odd, odd, odd, async (file, rule, message, reason) => {
        const { runs } = await sarif({ ...finding, file, rule, message, help: reason, status: "skipped", reason });
        expect(runs[0].results).toHaveLength(1);
      }),
      { numRuns: 25 },
    );
  });

  test("however many findings there are, none is held", async () => {
    let [longest, last] = [0, ""];
    const many = async function* (): AsyncGenerator<ReportedFinding> {
      for (let line = 1; line <= 10_000; line += 1) yield { ...finding, line };
    };
    for await (const piece of writeSarif(many(), about)) {
      longest = Math.max(longest, piece.length);
      last = piece;
    }
    expect(longest).toBeLessThan(2_000);
    expect(last).toContain('"rules"');
  });
});

test("JSON is one document with what it is about and its counts; JSON lines have a finding each", async () => {
  expect(JSON.parse(await text(writeJson(each([finding]), about)))).toEqual({
    workflow: "codebase-review",
    root: "/home/ada/my project",
    findings: [
      {
        file: "src/a b.ts",
        line: 3,
        column: 5,
        end_line: 3,
        end_column: 14,
        severity: "warning",
        rule: "debugger",
        message: "Remove it.",
        auto_fixable: false,
        text: "debugger;",
        fingerprint: "i0123456789ab",
      },
    ],
    summary: { findings: 1 },
  });
  expect(JSON.parse(await text(writeJson(each([]), about)))).toMatchObject({ findings: [] });
  const lines = (await text(writeJsonLines(each([finding, finding])))).trimEnd().split("\n");
  expect(lines.map((line) => (JSON.parse(line) as ReportedFinding).line)).toEqual([3, 3]);
});

test("rows are grouped by file, each with its place, severity, rule and message in columns", async () => {
  const groups: (readonly string[])[] = [];
  const other = {
    ...finding,
    file: "b.ts",
    line: 12,
    severity: "info" as const,
    message: "two\nlines",
    workflow: "called",
    status: "pending",
  };
  for await (const rows of findingRows(each([finding, { ...finding, line: 10 }, other]))) groups.push(rowLines(rows));
  expect(groups).toEqual([
    ["src/a b.ts:3:5   warning  debugger  Remove it.", "src/a b.ts:10:5  warning  debugger  Remove it."],
    ["b.ts:12:5  info  debugger  pending: two lines [called]"],
  ]);
});

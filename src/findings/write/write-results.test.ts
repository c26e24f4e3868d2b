import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { sarifProblems } from "../../../test/support/sarif-problems.ts";
import type { ReportedFinding, Results, ResultsAbout } from "./reported-finding.ts";
import { findingRows, rowLines } from "./finding-rows.ts";
import { writeGithub } from "./write-github.ts";
import { writeGitlab } from "./write-gitlab.ts";
import { writeJson, writeJsonLines } from "./write-json.ts";
import { writeJunit } from "./write-junit.ts";
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

/** What a run made of three findings: one stands, one was fixed, one was dismissed. */
const ofRun: readonly ReportedFinding[] = [
  { ...finding, status: "pending" },
  { ...finding, line: 4, endLine: 4, status: "completed" },
  { ...finding, line: 5, endLine: 5, status: "skipped", reason: "it is <meant>" },
];

describe("GitHub", () => {
  test("annotations with everything escaped that could end them or begin another", async () => {
    const odd = { ...finding, file: "a,b:c%.ts", severity: "critical" as const, message: "50 % of it\r\n::error::gone, all: of it" };
    expect(await text(writeGithub(each([odd])))).toBe(
      "::error file=a%2Cb%3Ac%25.ts,line=3,endLine=3,col=5,endColumn=14,title=critical%3A debugger::50 %25 of it%0D%0A::error::gone, all: of it\n",
    );
    const levels = (["critical", "error", "warning", "info"] as const).map((severity) => ({ ...finding, severity }));
    expect((await text(writeGithub(each(levels)))).match(/^::\w+/gm)).toEqual(["::error", "::error", "::warning", "::notice"]);
  });

  test("columns only within one line, and nothing that was fixed or dismissed", async () => {
    expect(await text(writeGithub(each([{ ...finding, endLine: 9 }])))).toContain("line=3,endLine=9,title=");
    expect((await text(writeGithub(each(ofRun)))).trim().split("\n")).toHaveLength(1);
  });
});

test("a code quality report of GitLab has its severities and a fingerprint for each", async () => {
  const all = (["critical", "error", "warning", "info"] as const).map((severity) => ({ ...finding, severity }));
  expect(JSON.parse(await text(writeGitlab(each([...all, ...ofRun.slice(1)]))))).toEqual(
    ["critical", "major", "minor", "info"].map((severity) => ({
      description: "Remove it.",
      check_name: "debugger",
      fingerprint: "i0123456789ab",
      severity,
      location: { path: "src/a b.ts", lines: { begin: 3, end: 3 } },
    })),
  );
  expect(JSON.parse(await text(writeGitlab(each([]))))).toEqual([]);
});

test("JUnit has a suite for each file: what stands failed, what was fixed passed, what was dismissed is skipped", async () => {
  const report = await text(writeJunit(each(ofRun), about));
  expect(report).toContain('<testsuite name="src/a b.ts" tests="3" failures="1" errors="0" skipped="1">');
  expect(report).toContain(
    '<failure type="warning" message="Remove it.">src/a b.ts:3:5: warning debugger: Remove it.&#10;debugger;</failure>',
  );
  expect(report).toContain('name="debugger src/a b.ts:4:5"/>');
  expect(report).toContain('<skipped message="it is &lt;meant&gt;"/>');
  expect(await text(writeJunit(each([{ ...finding, message: '\u0000 \ud800 ]]> & "' }]), about))).toContain(
    'message="\ufffd \ufffd ]]&gt; &amp; &quot;"',
  );
  expect(await text(writeJunit(each([]), about))).toContain('tests="1" failures="0"');
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

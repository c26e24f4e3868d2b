/** SARIF out of one scan and into another, and outputs of tools that say nothing certain. */
import { afterEach, beforeEach, expect, test } from "vitest";
import { openCliBench, type CliBench, type CliResult } from "../../../../test/process/cli-world.ts";
import { oldCalls } from "../../../../test/support/checklist-sample.ts";

let bench: CliBench;
beforeEach(async () => {
  bench = await openCliBench();
});
afterEach(() => bench.close());

/** The sample with what a tool prints in the place of its patterns. */
async function readingOf(command: string, format = "sarif"): Promise<void> {
  const from = `findings_from:\n  - { id: report, command: ${JSON.stringify(command)}, format: ${format} }\n`;
  const patterns = /^pattern_discovery:[\s\S]*(?=^completion_rules:)/m;
  await bench.write(
    ".waymark/workflows/reading.workflow.yaml",
    oldCalls.replace("type: old-calls", "type: reading").replace(patterns, () => from),
  );
  const allowed = await bench.run(["allow", "reading"], { terminal: true, typed: ["y"] });
  expect(allowed.code, allowed.stderr).toBe(0);
}

const kept = ["file", "line", "column", "end_line", "end_column", "severity", "message", "text", "auto_fixable", "fixes"];

function rowsOf({ stdout, stderr, code }: CliResult): unknown[] {
  expect(code, stderr).toBe(0);
  const { findings } = JSON.parse(stdout) as { readonly findings: readonly Readonly<Record<string, unknown>>[] };
  return findings.map((row) => Object.fromEntries(kept.flatMap((key) => (row[key] === undefined ? [] : [[key, row[key]]]))));
}

test("SARIF of a scan that another workflow reads gives the same instances, twice over", async () => {
  await bench.write(
    ".waymark/workflows/old-calls.workflow.yaml",
    oldCalls.replace("      in: code\n", "      in: code\n      severity: critical\n"),
  );
  await bench.write("src/plain.js", "old('a');\nold(b, '%20');\n");
  await bench.write("src/marked.js", "\uFEFFold('mark'); old(x);\r\nconst s = '\u{1f600}\u{1f600}'; old('behind');\r\n");
  await bench.write("src/deep/a b#%20 [\u00fc].js", "keep();\n\told(\n  'several lines',\n);\n");
  await bench.write("src/settled.js", "old('settled'); // waymark-ignore old-call it goes with the module\nold('open');\n");
  const first = await bench.run(["--json", "scan", "old-calls"]);
  const sarif = await bench.run(["scan", "old-calls", "--format", "sarif"]);
  await bench.write("report.sarif", sarif.stdout);
  await readingOf("cat report.sarif");
  const second = await bench.run(["--json", "scan", "reading"]);
  expect(rowsOf(first)).toHaveLength(7);
  expect(rowsOf(second)).toEqual(rowsOf(first));
  expect(second.stderr).toContain("1 suppressed");
  await bench.write("report.sarif", (await bench.run(["scan", "reading", "--format", "sarif"])).stdout);
  expect(rowsOf(await bench.run(["--json", "scan", "reading"]))).toEqual(rowsOf(first));
});

test.each([
  ["nothing", "true", "sarif", "ended with exit code 0", "It is empty."],
  [
    "a crash",
    "echo 'Oops! Something went wrong!'; echo boom >&2; exit 2",
    "eslint",
    "ended with exit code 2",
    "found `Oops! Something went wrong!",
  ],
  [
    "half a document",
    `printf '[{"filePath":"a.js","messages":[{"ruleId":"r","sev'`,
    "eslint",
    "ended with exit code 0",
    "but the output ends there.",
  ],
  [
    "results null",
    `echo '{"version":"2.1.0","runs":[{"results":null}]}'`,
    "sarif",
    "ended with exit code 0",
    "Expected a list of results in `runs[0].results`",
  ],
])("%s of a tool ends the scan with an error, never with no finding", async (_title, command, format, ended, why) => {
  await bench.write("a.js", "old('a');\n");
  await readingOf(command, format);
  const { code, stdout, stderr } = await bench.run(["scan", "reading"]);
  expect([code, stdout]).toEqual([2, ""]);
  for (const told of ["The tool `report`", `\`${command}\``, ended, why]) expect(stderr).toContain(told);
  expect(stderr.includes("boom")).toBe(command.includes("boom"));
});

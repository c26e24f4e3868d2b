/** The SARIF of a scan, read by `findings_from`, gives the same instances; and a secret stays masked on the way. */
import { afterEach, expect, test } from "vitest";
import { openCliBench, type CliBench } from "../process/cli-world.ts";
import { sarifProblems } from "../support/sarif-problems.ts";

const secret = "abcdefghijklmnop";
const phases = "phases: [{ id: inventory, name: I }, { id: scan, name: S }, { id: review, name: R }, { id: summary, name: Z }]";
const head = (type: string): string => `type: ${type}\nname: ${type}\ndescription: Looks for it.\nfile_patterns: ["**/*.ts"]\n${phases}\n`;
const own = `${head("own")}pattern_discovery:
  patterns:
    - { id: key, regex: "KEY_(?<secret>\\\\w+)", severity: critical, secret: true, description: "A key, for everybody to see." }
    - id: old-call
      regex: "old\\\\("
      balanced: true
      severity: info
      instance_classifier: { rules: [{ name: text, pattern: "^old\\\\(", suggested_action: Call fresh instead., auto_fixable: true }] }
      transformations: [{ instance_type: text, template: "fresh({{arg0}})", requires_review: false }]
`;
const back = `${head("back")}findings_from: [{ id: waymark, command: cat found.sarif, format: sarif }]\n`;
const scanner = `${head("scanner")}findings_from: [{ id: leaks, command: cat leaks.txt, format: lines, secrets: true, pattern: '^(?<file>[^:]+):(?<line>\\d+):(?<column>\\d+) (?<message>.*)$' }]\n`;

let bench: CliBench;
afterEach(() => bench.close());

type Found = Readonly<Record<string, unknown>>;
const lines = (text: string): readonly Found[] => text.split("\n").flatMap((line) => (line === "" ? [] : [JSON.parse(line) as Found]));
/** Which part of a match is the secret is known to its pattern alone: behind the mark of SARIF all of it is masked. */
const shown = ({ file, line, column, end_line, end_column, severity, message, text, auto_fixable }: Found): Found => ({
  file,
  line,
  column,
  end_line,
  end_column,
  severity,
  message,
  auto_fixable,
  text: String(text).replace(/\S*\*\*\*.*/, "masked"),
});

async function started(workflow: string): Promise<string> {
  await bench.run(["allow", workflow, "--yes"], { terminal: true });
  return String((await bench.json(["start", workflow]))["run_id"]);
}

test("a run over the SARIF of our scan has the instances that the scan found, fixes and severities included", async () => {
  const files = { "src/a ä%.ts": `const key = 'KEY_${secret}'; // ${secret}\nold('é');\n`, "src/c.ts": "\told(1); old(2);\n" };
  bench = await openCliBench({ ...files, ".waymark/workflows/own.workflow.yaml": own, ".waymark/workflows/back.workflow.yaml": back });
  const scanned = lines((await bench.run(["scan", "own", "--jsonl"])).stdout);
  expect(scanned).toHaveLength(4);
  const { stdout: sarif } = await bench.run(["scan", "own", "--format", "sarif"]);
  expect(sarifProblems(JSON.parse(sarif))).toEqual([]);
  await bench.write("found.sarif", sarif);
  const run = await started("back");
  const read = lines((await bench.run(["report", run, "--jsonl"])).stdout);
  expect(read.map(shown)).toEqual(scanned.map(shown));
  expect(read.map(({ rule }) => rule)).toEqual(scanned.map(({ rule }) => `waymark/${String(rule)}`));
  // The scan of the tool's findings says the same as the run, also in SARIF.
  const again = lines((await bench.run(["scan", "back", "--jsonl"])).stdout);
  expect(again.map(shown)).toEqual(scanned.map(shown));
  const handed = await bench.run(["next", run]);
  const all = [sarif, JSON.stringify([scanned, read]), handed.stdout, (await bench.run(["journal", run, "--jsonl"])).stdout];
  expect(handed.stdout).toContain("KEY_***");
  for (const text of all) expect(text).not.toContain(secret);
});

test("what a scanner for secrets reports is masked in rows, hand-outs and reports, its message too", async () => {
  const leaks = `src/a.ts:1:13 '${secret}' is a secret\n`;
  const files = { "src/a.ts": `const key = '${secret}';\n`, "leaks.txt": leaks, ".waymark/workflows/scanner.workflow.yaml": scanner };
  bench = await openCliBench(files);
  const run = await started("scanner");
  const said = await Promise.all(
    [
      ["next", run],
      ["report", run],
      ["report", run, "--format", "text"],
      ["items", run, "--json"],
      ["export", run, "--format", "bc"],
    ].map(async (argv) => (await bench.run(argv)).stdout),
  );
  expect(said[2]).toContain("src/a.ts:1:1 ");
  expect(said.join("\n")).toContain("abcd*** (16 characters)");
  const session = await bench.read(`.bc-workflows/sessions/${run}.json`);
  for (const text of [...said, session]) expect(text).not.toContain(secret);
});

import { expect, test } from "vitest";
import { parseChecklist } from "../parse-checklist.ts";

const head = `type: lint
name: Lint
description: d
file_patterns: ["**/*.ts"]
topic_discovery: { enabled: false }
per_file_checklist: [{ id: settled, type: validation }]
phases:
  - { id: inventory, name: Inventory }
  - { id: scan, name: Scan }
  - { id: manual_review, name: Review }
`;

const read = (text: string) => parseChecklist({ path: "lint.workflow.yaml", text: `${head}${text}` }, { source: "project" });

test("every key of a tool reaches the definition, and a tool alone makes a phase scan", () => {
  const { definition, diagnostics } = read(`findings_from:
  - id: lint
    command: lint -f lines .
    format: lines
    pattern: '^(?<file>.+):(?<line>\\d+)'
    files: ["src/**"]
    per_file: lint {{file}} --quiet
    if_present: [node_modules/.bin/lint]
  - { id: other, command: other, format: sarif }
`);
  expect(diagnostics).toEqual([]);
  expect(definition?.phases.map(({ role }) => role)).toEqual(["inventory", "scan", "review"]);
  expect(definition?.patterns).toMatchObject({ enabled: true, patterns: [] });
  expect(definition?.tools).toEqual([
    {
      id: "lint",
      command: "lint -f lines .",
      format: "lines",
      pattern: "^(?<file>.+):(?<line>\\d+)",
      files: ["src/**"],
      perFile: { before: "lint ", after: " --quiet" },
      ifPresent: ["node_modules/.bin/lint"],
    },
    { id: "other", command: "other", format: "sarif" },
  ]);
});

test("everything that is wrong with tools is reported at once, with its place", () => {
  const { diagnostics } = read(`findings_from:
  - { id: a, command: "a {{file}}", format: lines }
  - { id: a, command: a, format: sarif, pattern: "(?<file>x)" }
  - { id: "b/c", command: b, format: lines, pattern: "(?<file>x", files: ["../x"] }
  - { id: d, command: d, format: eslint, per_file: "d '{{file}}'" }
  - { id: e, command: e, format: eslint, per_file: "e --all", if_present: ["/usr/bin/e"] }
  - { id: f, command: f, format: xml }
`);
  expect(diagnostics.map(({ code, place }) => [code, place?.line])).toEqual([
    ["CHECKLIST_BAD_VALUE", 12],
    ["CHECKLIST_MISSING_KEY", 12],
    ["CHECKLIST_DUPLICATE_ID", 13],
    ["CHECKLIST_WITHOUT_EFFECT", 13],
    ["CHECKLIST_BAD_ID", 14],
    ["CHECKLIST_BAD_REGEX", 14],
    ["CHECKLIST_BAD_VALUE", 14],
    ["CHECKLIST_BAD_GLOB", 14],
    ["CHECKLIST_BAD_VALUE", 15],
    ["CHECKLIST_BAD_VALUE", 16],
    ["CHECKLIST_BAD_GLOB", 16],
    ["CHECKLIST_BAD_VALUE", 17],
  ]);
  expect(diagnostics.find(({ message }) => message.includes("no group"))?.message).toContain("`(?<line>...)`");
});

test("tools without a phase that scans are refused", () => {
  const text = head.replace("  - { id: scan, name: Scan }\n", "");
  const file = { path: "x.yaml", text: `${text}findings_from: [{ id: a, command: a, format: sarif }]\n` };
  const { diagnostics } = parseChecklist(file, { source: "project" });
  expect(diagnostics).toMatchObject([{ code: "CHECKLIST_PHASE_MISSING", message: expect.stringContaining("`findings_from` names tools") }]);
});

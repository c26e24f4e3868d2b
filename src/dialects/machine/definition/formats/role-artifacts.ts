import { isList, type JsonObject } from "../../../../base/index.ts";
import { nameOf, type Fields } from "./session-reader.ts";
import type { SessionRole } from "./session-vocabulary.ts";

const commentSeverities = ["nit", "minor", "major", "blocker"] as const;
const findingSeverities = ["low", "medium", "high", "critical"] as const;
export const reviewAspects = ["security", "architecture", "logic", "performance", "quality", "devils_advocate"] as const;
const aspectResults = ["OK", "issues_found", "N/A"] as const;
const mostInlineLines = 80;

export interface ReviewComment {
  readonly severity: (typeof commentSeverities)[number];
  readonly message: string;
  readonly category: string;
  readonly file: string | null;
  readonly line: string | null;
  readonly suggested_fix: string | null;
}

export interface SecurityFinding {
  readonly severity: (typeof findingSeverities)[number];
  readonly description: string;
  readonly category: string;
  readonly file: string | null;
  readonly recommended_fix: string | null;
}

/** Artifacts that only some roles give. */
export const extraArtifactKeys: ReadonlySet<string> = new Set(
  `patch_summary checklist_summary test_results coverage_gaps research_summary confidence options design_spec_inline design_spec_file
  ci_notes`.split(/\s+/),
);

export function readComments(fields: Fields): readonly ReviewComment[] {
  return remarksAt(fields, "review_comments", ["message", commentSeverities, ["file", "line", "suggested_fix"]]);
}

export function readFindings(fields: Fields): readonly SecurityFinding[] {
  return remarksAt(fields, "findings", ["description", findingSeverities, ["file", "recommended_fix"]]);
}

type RemarkForm = readonly [said: string, severities: readonly string[], others: readonly string[]];

function remarksAt<T>(fields: Fields, key: string, [said, severities, others]: RemarkForm): readonly T[] {
  return entriesAt(fields, key, (entry) => {
    const severity = needed(entry, "severity", entry.word("severity", severities));
    const text = needed(entry, said, entry.text(said));
    if (severity === undefined || text === undefined) return undefined;
    const rest = Object.fromEntries(others.map((each) => [each, entry.text(each) ?? null]));
    return { severity, [said]: text, category: entry.text("category") ?? "", ...rest } as T;
  });
}

function entriesAt<T>(fields: Fields, key: string, read: (entry: Fields) => T | undefined): readonly T[] {
  const value = fields.value(key);
  if (value !== undefined && !isList(value)) fields.wrongType([key], "a list of maps");
  return fields.maps(key, "a map", read);
}

function needed<T>(fields: Fields, key: string, value: T | undefined): T | undefined {
  const empty = value === undefined ? fields.value(key) === undefined : value === "";
  if (empty) fields.error([key], "MACHINE_OUTPUT_MISSING", "is missing.", `Add \`${key}\`.`);
  return value;
}

/** Checks what a role gives besides the common lists. When its work is not done, only what is there is checked. */
export function extraArtifacts(role: SessionRole, fields: Fields, done: boolean): void {
  switch (role) {
    case "Coder":
      return listOfTexts(fields, "patch_summary", done);
    case "Integrator":
      return listOfTexts(fields, "ci_notes", done);
    case "Reviewer":
      return checklist(fields, done);
    case "QA":
      listOfTexts(fields, "coverage_gaps", done);
      return testResults(fields, done);
    case "Researcher":
      return research(fields, done);
    case "Designer":
      return designSpec(fields, done);
    default:
      return undefined;
  }
}

/** Whether a value is there; reports it when it is not. */
export function isGiven(fields: Fields, key: string, what: string, given: boolean = fields.value(key) !== undefined): boolean {
  if (!given) fields.error([key], "MACHINE_OUTPUT_MISSING", "is missing.", `Add ${nameOf([...fields.path, key])}: ${what}.`);
  return given;
}

function listOfTexts(fields: Fields, key: string, done: boolean): void {
  if (done) isGiven(fields, key, "a list of texts, empty if there is nothing to say");
  fields.texts(key);
}

const mapForms = {
  checklist_summary: `a map with ${reviewAspects.map((aspect) => `\`${aspect}\``).join(", ")}, each \`OK\`, \`issues_found\` or \`N/A\``,
  test_results: "a map with the numbers `passed`, `failed`, `skipped` and the text `output`",
};
const optionForm =
  "a list of maps with the texts `id`, `label`, `effort`, the lists `pros`, `cons`, and `recommended`, which is true or false";

/** A map under a key, checked if it is there. */
function mapUnder(fields: Fields, key: keyof typeof mapForms, done: boolean): Fields | undefined {
  if (done) isGiven(fields, key, mapForms[key]);
  return fields.map(key, mapForms[key]);
}

function checklist(fields: Fields, done: boolean): void {
  const summary = mapUnder(fields, "checklist_summary", done);
  if (summary === undefined) return;
  for (const aspect of reviewAspects) if (isGiven(summary, aspect, "`OK`, `issues_found` or `N/A`")) summary.word(aspect, aspectResults);
}

function testResults(fields: Fields, done: boolean): void {
  const results = mapUnder(fields, "test_results", done);
  if (results === undefined) return;
  for (const key of ["passed", "failed", "skipped"]) {
    const count = results.value(key);
    if (isGiven(results, key, "a number") && !(Number.isSafeInteger(count) && Number(count) >= 0))
      results.wrongType([key], "a number of tests");
  }
  if (isGiven(results, "output", "what the tests printed at the end")) results.text("output");
}

function research(fields: Fields, done: boolean): void {
  for (const key of ["research_summary", "confidence"]) if (!done || isGiven(fields, key, "a text")) fields.text(key);
  if (done) isGiven(fields, "options", optionForm);
  entriesAt(fields, "options", (option) => {
    for (const key of ["id", "label", "effort"]) needed(option, key, option.text(key));
    for (const key of ["pros", "cons"]) listOfTexts(option, key, true);
    if (typeof option.value("recommended") !== "boolean") option.wrongType(["recommended"], "true or false");
    return undefined;
  });
}

function designSpec(fields: Fields, done: boolean): void {
  const inline = fields.text("design_spec_inline");
  const file = fields.text("design_spec_file");
  if (done) isGiven(fields, "design_spec_file", "the path of the design spec, or `design_spec_inline`", (inline ?? file) !== undefined);
  const lines = inline?.split("\n").length ?? 0;
  if (lines > mostInlineLines) {
    const says = `has ${lines} lines; at most ${mostInlineLines} are allowed there.`;
    const fix = "Write it to a file below `design-specs/` and give `design_spec_file`.";
    fields.error(["design_spec_inline"], "MACHINE_OUTPUT_LONG", says, fix);
  }
}

/** The least that every report holds. */
export const commonForm: JsonObject & { readonly gates: JsonObject; readonly next: JsonObject } = {
  status: "OK",
  summary: "One to three sentences.",
  artifacts: {},
  gates: { meets_definition_of_done: true, needs_review: false, needs_tests: false, security_concerns: [] },
  next: { recommended_agent: null, reason: "Why." },
};

/** What the reports of some roles hold besides. */
const artifacts: Partial<Record<SessionRole, JsonObject>> = {
  Coder: { patch_summary: [] },
  Reviewer: {
    review_comments: [{ severity: "nit", category: "quality", file: null, line: null, message: "What is wrong.", suggested_fix: null }],
    checklist_summary: Object.fromEntries(reviewAspects.map((aspect) => [aspect, "OK"])),
  },
  Security: { findings: [{ severity: "low", category: "input", file: null, description: "What is wrong.", recommended_fix: null }] },
  QA: { test_results: { passed: 1, failed: 0, skipped: 0, output: "The end of it." }, coverage_gaps: [] },
  Researcher: {
    research_summary: "What you found.",
    confidence: "high",
    options: [{ id: "A", label: "Its name.", pros: [], cons: [], effort: "low", recommended: true }],
  },
  Designer: { design_spec_file: "design-specs/name.md" },
  Integrator: { ci_notes: [] },
};

/** A short report that counts, as an example for the agent in the role. */
export function reportForm(role: SessionRole): JsonObject {
  const verdict = role === "Reviewer" ? { verdict: "PASS" } : {};
  return { ...commonForm, ...verdict, artifacts: artifacts[role] ?? {} };
}

const telling = ["artifacts", ...Object.keys(commonForm.gates), ...Object.keys(commonForm.next)];

/** Whether instructions name what a report holds, so that the form need not be shown again. */
export function showsReportForm(instructions: string): boolean {
  return telling.every((key) => instructions.includes(key));
}

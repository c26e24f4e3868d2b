import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { Json, JsonObject } from "../../../../base/index.ts";
import { reportForm, showsReportForm } from "./role-artifacts.ts";
import { checkRoleOutput, statusesOf, verdictOf } from "./role-output.ts";
import { sessionRoles, type SessionRole } from "./session-vocabulary.ts";

const extras: Partial<Record<SessionRole, JsonObject>> = {
  Coder: { patch_summary: ["x"] },
  Reviewer: {
    checklist_summary: {
      security: "OK",
      architecture: "OK",
      logic: "issues_found",
      performance: "N/A",
      quality: "OK",
      devils_advocate: "OK",
    },
  },
  QA: { test_results: { passed: 3, failed: 0, skipped: 0, output: "ok" }, coverage_gaps: [] },
  Researcher: {
    research_summary: "s",
    confidence: "high",
    options: [{ id: "A", label: "a", pros: ["p"], cons: [], effort: "low", recommended: true }],
  },
  Designer: { design_spec_file: "design-specs/design-spec-x.md" },
  Integrator: { ci_notes: [] },
};
const output = (role: SessionRole, fields: JsonObject = {}, artifacts: JsonObject = {}): JsonObject => ({
  status: "OK",
  summary: role === "Reviewer" ? "PASS. All fine." : "Did it.",
  artifacts: { files_changed: [], ...extras[role], ...artifacts },
  gates: { meets_definition_of_done: true, needs_review: false, needs_tests: false, security_concerns: [] },
  next: { recommended_agent: "Reviewer", recommended_task_id: "T-001", reason: "next" },
  ...fields,
});
const errors = (role: SessionRole, given: Json): string[] =>
  checkRoleOutput(role, given)
    .problems.filter(({ severity }) => severity === "error")
    .map(({ code, path }) => `${code} ${path ?? ""}`);

test.each(sessionRoles)("%s: a complete output counts, as a value and as text, with a fence or without", (role) => {
  const whole = output(role);
  expect(checkRoleOutput(role, whole).problems).toEqual([]);
  const read = checkRoleOutput(role, whole).output;
  expect(read).toMatchObject({
    status: "OK",
    next: { recommended_agent: "Reviewer" },
    artifacts: { notes: [], extras: extras[role] ?? {} },
  });
  expect(checkRoleOutput(role, JSON.stringify(whole)).output).toEqual(read);
  expect(checkRoleOutput(role, `\`\`\`json\n${JSON.stringify(whole, null, 2)}\n\`\`\`\n`).output).toEqual(read);
});

test("all that is wrong is told at once", () => {
  expect(errors("Coder", {})).toEqual([
    "MACHINE_OUTPUT_MISSING status",
    "MACHINE_OUTPUT_MISSING summary",
    "MACHINE_OUTPUT_MISSING artifacts",
    "MACHINE_OUTPUT_MISSING gates",
    "MACHINE_OUTPUT_MISSING next",
  ]);
  expect(
    errors("Coder", {
      status: "DONE",
      summary: 3,
      artifacts: { files_changed: {}, patch_summary: 1 },
      gates: { needs_review: "yes" },
      next: [],
    }),
  ).toEqual([
    "MACHINE_UNKNOWN_WORD status",
    "MACHINE_WRONG_TYPE artifacts.files_changed",
    "MACHINE_WRONG_TYPE artifacts.patch_summary",
    "MACHINE_OUTPUT_MISSING gates.meets_definition_of_done",
    "MACHINE_WRONG_TYPE gates.needs_review",
    "MACHINE_OUTPUT_MISSING gates.needs_tests",
    "MACHINE_WRONG_TYPE next",
  ]);
});

describe("a refusal says what to write", () => {
  const fixes = (given: Json): string =>
    checkRoleOutput("SpecAgent", given)
      .problems.map(({ message, fix }) => `${message} ${fix ?? ""}`)
      .join("\n");
  const named = ["meets_definition_of_done", "needs_review", "needs_tests", "security_concerns", "recommended_agent", "reason", "null"];

  test.each<[string, JsonObject]>([
    ["missing", { status: "OK", summary: "Done." }],
    ["null", { status: "OK", summary: "Done.", artifacts: null, gates: null, next: null }],
    ["of another type", { status: "OK", summary: "Done.", artifacts: ["notes.md"], gates: [], next: "Reviewer" }],
  ])("for keys that are %s, down to their last key", (_how, given) => {
    const told = fixes(given);
    for (const key of named) expect(told).toContain(key);
    const [artifacts, gates, next] = [...told.matchAll(/`(\{".*?\})`/g)].map(([, json]) => JSON.parse(json ?? "") as Json);
    expect(
      checkRoleOutput("SpecAgent", { status: "OK", summary: "Done.", artifacts: artifacts!, gates: gates!, next: next! }).problems,
    ).toEqual([]);
  });

  test("for what the role adds, even when there are no artifacts", () => {
    expect(errors("QA", { ...output("QA"), artifacts: [] })).toEqual([
      "MACHINE_WRONG_TYPE artifacts",
      "MACHINE_OUTPUT_MISSING artifacts.coverage_gaps",
      "MACHINE_OUTPUT_MISSING artifacts.test_results",
    ]);
    const { problems } = checkRoleOutput("QA", { ...output("QA"), artifacts: {} });
    for (const key of ["passed", "failed", "skipped", "output"]) expect(problems.at(-1)?.fix).toContain(`\`${key}\``);
  });
});

describe("the form of a report", () => {
  test.each(sessionRoles)("%s: it counts as it is", (role) => {
    expect(checkRoleOutput(role, reportForm(role)).problems).toEqual([]);
  });

  test("of roles that remark on the work shows a remark", () => {
    expect(reportForm("Reviewer")["artifacts"]).toMatchObject({ review_comments: [{ severity: "nit", message: "What is wrong." }] });
    expect(reportForm("Security")["artifacts"]).toMatchObject({ findings: [{ severity: "low", description: "What is wrong." }] });
  });

  test("is shown by instructions that name its keys", () => {
    expect(showsReportForm(`Report:\n${JSON.stringify(reportForm("SpecAgent"))}`)).toBe(true);
    expect(showsReportForm("Report status, summary, artifacts, gates and next.")).toBe(false);
  });
});

describe("the role that is recommended next", () => {
  const recommending = (name: Json): JsonObject => output("SpecAgent", { next: { recommended_agent: name, reason: "r" } });

  test("may be one of the machine, one of the usual team, or none", () => {
    for (const name of ["Writer", "Coder", null]) {
      const { output: read, problems } = checkRoleOutput("SpecAgent", recommending(name), { roles: ["Writer"] });
      expect(problems).toEqual([]);
      expect(read?.next.recommended_agent).toBe(name);
    }
  });

  test("is refused with all names that count, and null", () => {
    const [problem] = checkRoleOutput("SpecAgent", recommending("Nobody"), { roles: ["Writer", "Coder"] }).problems;
    expect(problem).toMatchObject({ code: "MACHINE_UNKNOWN_WORD", path: "next.recommended_agent" });
    expect(problem?.fix).toMatch(/^Write one of `Writer`, `Coder`, `SpecAgent`, .*`Orchestrator`, or null\.$/);
  });
});

test("the words that a machine gives a role are its words", () => {
  const given = output("SpecAgent", { status: "NEEDS_INFO" });
  expect(checkRoleOutput("SpecAgent", given, { answers: ["OK", "NEEDS_INFO"] }).output?.status).toBe("NEEDS_INFO");
  const [problem] = checkRoleOutput("SpecAgent", output("SpecAgent", { status: "BLOCKED" }), { answers: ["OK", "FAIL"] }).problems;
  expect(problem?.fix).toContain("`OK`, `FAIL`.");
});

test("each role has its own words for the status", () => {
  expect(statusesOf("Coder")).toEqual(["OK", "BLOCKED", "FAIL"]);
  for (const role of sessionRoles) {
    expect(errors(role, output(role, { status: "NEEDS_INFO" })).length === 0, role).toBe(role === "Researcher");
    expect(checkRoleOutput(role, output(role, { status: "FAIL" })).output?.status).toBe("FAIL");
  }
  expect(
    errors("Security", output("Security", { status: "NEEDS_DECISION" }, { findings: [{ severity: "medium", description: "d" }] })),
  ).toEqual([]);
});

describe("what a role gives besides", () => {
  test.each<[SessionRole, string[]]>([
    ["Coder", ["patch_summary"]],
    ["Reviewer", ["checklist_summary"]],
    ["QA", ["coverage_gaps", "test_results"]],
    ["Researcher", ["research_summary", "confidence", "options"]],
    ["Designer", ["design_spec_file"]],
    ["Integrator", ["ci_notes"]],
  ])("%s must give it when the work is done, and need not when it is blocked", (role, keys) => {
    const without = { ...output(role), artifacts: {} };
    expect(errors(role, without)).toEqual(keys.map((key) => `MACHINE_OUTPUT_MISSING artifacts.${key}`));
    expect(errors(role, { ...without, status: "BLOCKED", summary: "NEEDS FIXES" })).toEqual([]);
  });

  test("is checked to its last field", () => {
    expect(errors("QA", output("QA", {}, { test_results: { passed: -1, failed: "0" } }))).toEqual([
      "MACHINE_WRONG_TYPE artifacts.test_results.passed",
      "MACHINE_WRONG_TYPE artifacts.test_results.failed",
      "MACHINE_OUTPUT_MISSING artifacts.test_results.skipped",
      "MACHINE_OUTPUT_MISSING artifacts.test_results.output",
    ]);
    expect(
      errors("Reviewer", output("Reviewer", {}, { checklist_summary: { security: "fine" }, review_comments: [{ severity: "huge" }, 1] })),
    ).toHaveLength(9);
    expect(errors("Researcher", output("Researcher", {}, { options: [{ id: "A" }] }))).toHaveLength(5);
    expect(errors("Designer", output("Designer", {}, { design_spec_inline: "x\n".repeat(81) }))).toEqual([
      "MACHINE_OUTPUT_LONG artifacts.design_spec_inline",
    ]);
    expect(errors("Designer", output("Designer", {}, { design_spec_inline: "x\n".repeat(79) }))).toEqual([]);
  });

  test("unknown keys and long summaries are told and do not hinder", () => {
    const { output: read, problems } = checkRoleOutput(
      "Coder",
      output("Coder", { summry: "x", summary: "One. Two. Three. Four." }, { theirs: 1 }),
    );
    expect(read?.artifacts.extras).toMatchObject({ theirs: 1 });
    expect(problems.map(({ code }) => code)).toEqual(["MACHINE_OUTPUT_LONG", "MACHINE_OUTPUT_UNKNOWN", "MACHINE_OUTPUT_UNKNOWN"]);
    expect(problems[1]?.fix).toContain("`summary`");
  });
});

describe("verdicts", () => {
  test.each([
    ["PASS WITH NOTES", "", "PASS WITH NOTES"],
    ["pass_with_notes", "NEEDS FIXES", "PASS WITH NOTES"],
    ["maybe", "PASS", undefined],
    [undefined, "PASS: good", "PASS"],
    [undefined, "PASS WITH NOTES. See below.", "PASS WITH NOTES"],
    [undefined, "Would PASS, but NEEDS FIXES.", "NEEDS FIXES"],
    [undefined, "This does not PASS.", undefined],
    [undefined, "Cannot give a PASS.", undefined],
    [undefined, "The passport works.", undefined],
    [undefined, "PASSED", undefined],
  ] as const)("%j and %j: %j", (verdict, summary, expected) => expect(verdictOf(verdict, summary)).toBe(expected));

  test("a review that is done says one", () => {
    expect(errors("Reviewer", output("Reviewer", { summary: "Fine." }))).toEqual(["MACHINE_OUTPUT_VERDICT verdict"]);
    expect(checkRoleOutput("Reviewer", output("Reviewer", { summary: "Fine.", verdict: "PASS WITH NOTES" })).output?.verdict).toBe(
      "PASS WITH NOTES",
    );
    expect(checkRoleOutput("Reviewer", output("Reviewer", { status: "BLOCKED", summary: "Broken." })).output?.verdict).toBe("NEEDS FIXES");
    expect(checkRoleOutput("Coder", output("Coder", { summary: "PASS" })).output).not.toHaveProperty("verdict");
  });
});

describe("an output that says two things at once does not count", () => {
  const finding = (severity: string): JsonObject => ({ findings: [{ severity, category: "auth", description: "d" }] });
  test.each<[SessionRole, JsonObject, JsonObject]>([
    ["Reviewer", { verdict: "NEEDS FIXES" }, {}],
    ["Reviewer", { status: "BLOCKED", verdict: "PASS" }, {}],
    ["Reviewer", {}, { review_comments: [{ severity: "blocker", message: "m" }] }],
    ["Reviewer", {}, { review_comments: [{ severity: "major", category: "Security", message: "m" }] }],
    ["QA", {}, { test_results: { passed: 0, failed: 3, skipped: 0, output: "boom" } }],
    ["Security", {}, finding("medium")],
    ["Security", {}, finding("critical")],
    ["Security", { status: "NEEDS_DECISION" }, finding("high")],
    ["Security", { status: "NEEDS_DECISION" }, {}],
  ])("%s %j %j", (role, fields, artifacts) =>
    expect(errors(role, output(role, fields, artifacts))).toEqual(["MACHINE_OUTPUT_CONTRADICTS status"]),
  );
  test("while low findings and minor comments go with OK", () => {
    expect(errors("Security", output("Security", {}, finding("low")))).toEqual([]);
    expect(
      errors("Reviewer", output("Reviewer", {}, { review_comments: [{ severity: "major", category: "style", message: "m" }] })),
    ).toEqual([]);
  });
});

test("nothing makes it throw, and nothing counts that has an error", () => {
  const key = fc.constantFrom(
    "status",
    "summary",
    "verdict",
    "artifacts",
    "gates",
    "next",
    "findings",
    "review_comments",
    "severity",
    "test_results",
    "options",
  );
  const value = fc.letrec((tie) => ({
    node: fc.oneof(
      { maxDepth: 3 },
      fc.constantFrom<Json>("OK", "PASS", null, 1, true),
      fc.array(tie("node"), { maxLength: 2 }),
      fc.dictionary(key, tie("node"), { maxKeys: 4 }),
    ),
  })).node as fc.Arbitrary<Json>;
  fc.assert(
    fc.property(fc.constantFrom(...sessionRoles), value, (role, given) => {
      const { output: read, problems } = checkRoleOutput(role, given);
      expect(read === undefined).toBe(problems.some(({ severity }) => severity === "error"));
    }),
    { numRuns: 300 },
  );
  fc.assert(
    fc.property(fc.string(), (text) => {
      expect(checkRoleOutput("QA", text).output).toBeUndefined();
    }),
  );
});

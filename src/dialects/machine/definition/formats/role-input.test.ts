import { describe, expect, test } from "vitest";
import type { Json, JsonObject } from "../../../../base/index.ts";
import { checkRoleInput, contextFilesFor, contextMatrix } from "./role-input.ts";
import { sessionRoles, type SessionRole } from "./session-vocabulary.ts";

const session = "2026-03-02_fix-login";
const existing = [
  "spec.md",
  "acceptance.json",
  "architecture.md",
  "tasks.yaml",
  "status.json",
  "design-specs/design-spec-b.md",
  "design-specs/design-spec-a.md",
  "research/research-x.md",
];
const view = { session, existing, taskIds: ["T-001"] };
interface Facts {
  readonly existing?: readonly string[];
  readonly id?: string;
}
const input = (role: SessionRole, { existing: there = existing, id = "T-001" }: Facts = {}): JsonObject => ({
  task: {
    id,
    title: "Log in",
    goal: "g",
    non_goals: ["n"],
    context_files: [...contextFilesFor(role, session, there).files, "src/a.ts"],
    ...(role === "Reviewer" ? { session_changed_files: [{ path: "src/a.ts", change_type: "modified" }] } : {}),
    constraints: ["no new dependencies"],
    acceptance_checks: ["cmd: npm test"],
    risk_flags: ["security"],
    ...(role === "Researcher" ? { research_question: "Which?" } : {}),
    ...(role === "SpecAgent" ? { lean: true } : {}),
  },
  project_type: "web",
  repo_state: { branch: "main", ci_status: "green", last_failed_step: null },
  tools_available: ["git"],
  artifact_list: there.map((path) => `.agents-work/${session}/${path}`),
});
const codes = (role: SessionRole, given: Json, where = view): string[] =>
  checkRoleInput(role, given, where).map(({ code, path }) => `${code} ${path ?? ""}`);
const inTask = (role: SessionRole, fields: JsonObject): JsonObject => {
  const whole = input(role);
  return { ...whole, task: { ...(whole["task"] as JsonObject), ...fields } };
};

test.each(sessionRoles)("%s: a complete input passes the checks", (role) => {
  expect(codes(role, input(role))).toEqual([]);
  expect(codes(role, input(role, { id: "meta" }))).toEqual([]);
});

test("the matrix says who reads what", () => {
  const rows = sessionRoles.map((role) => `${role}: ${contextMatrix[role].map((need) => need.replace("?", "*")).join(", ")}`);
  expect(rows).toEqual([
    "SpecAgent: ",
    "Architect: spec, acceptance, research*",
    "Planner: spec, acceptance, architecture, design-spec*, research*",
    "Designer: spec, architecture, acceptance",
    "Researcher: spec, acceptance*, architecture*",
    "Coder: spec, tasks, architecture*, design-spec*",
    "Reviewer: spec, tasks, architecture*, design-spec*",
    "QA: spec, acceptance, tasks, design-spec*",
    "Security: tasks, architecture*",
    "Integrator: tasks, acceptance",
    "Docs: spec, tasks, acceptance, architecture*",
    "Orchestrator: ",
  ]);
  expect(contextFilesFor("Planner", session, ["spec.md"]).missing).toEqual(["acceptance.json", "architecture.md"]);
  expect(contextFilesFor("Coder", session, ["spec.md", "tasks.yaml", "design-specs/x/y.md"])).toEqual({
    files: [`.agents-work/${session}/spec.md`, `.agents-work/${session}/tasks.yaml`],
    missing: [],
  });
});

describe("an input is refused", () => {
  test("when anything is missing, all at once", () => {
    expect(codes("Coder", {})).toEqual(
      ["task", "project_type", "repo_state", "tools_available", "artifact_list"].map((key) => `MACHINE_INPUT_MISSING ${key}`),
    );
    expect(codes("Coder", { ...input("Coder"), task: {}, repo_state: {} })).toHaveLength(16);
    expect(codes("Coder", [])).toHaveLength(1);
  });

  test("for a task outside the plan", () => {
    expect(codes("Coder", input("Coder"), { ...view, taskIds: [] })).toEqual(["MACHINE_INPUT_TASK task.id"]);
  });

  test("when its context is not that of the role", () => {
    const of = (context_files: string[]): string[] =>
      checkRoleInput("Security", inTask("Security", { context_files }), view).map(({ message }) => message);
    const own = [`.agents-work/${session}/tasks.yaml`, `.agents-work/${session}/architecture.md`];
    expect(of([...own, "src/b.ts"])).toEqual([]);
    expect(of([...own, `.agents-work/${session}/spec.md`])).toEqual([
      `\`.agents-work/${session}/spec.md\` does not exist, or is not for Security.`,
    ]);
    expect(of([...own, ".agents-work/2025-01-01_old-one/spec.md"])).toEqual([
      "`.agents-work/2025-01-01_old-one/spec.md` belongs to another session.",
    ]);
    expect(of(own.slice(0, 1))).toEqual([`Security is not given \`.agents-work/${session}/architecture.md\`.`]);
    expect(of([...own, "../secret", "/etc/passwd", "a\\b", "tasks.yaml"])).toHaveLength(4);
    expect(codes("Coder", input("Coder", { existing: [] }), { ...view, existing: [] })).toEqual([
      "MACHINE_INPUT_CONTEXT task.context_files",
      "MACHINE_INPUT_CONTEXT task.context_files",
    ]);
  });

  test("when it carries what is for another role, or lacks what is for its own", () => {
    expect(codes("Coder", inTask("Coder", { session_changed_files: [] }))).toEqual([]);
    expect(
      codes("Coder", inTask("Coder", { session_changed_files: [{ path: "a", change_type: "added" }], lean: true, research_question: "x" })),
    ).toEqual([
      "MACHINE_INPUT_ROLE task.session_changed_files",
      "MACHINE_INPUT_ROLE task.research_question",
      "MACHINE_INPUT_ROLE task.lean",
    ]);
    expect(codes("Reviewer", inTask("Reviewer", { session_changed_files: null }))).toEqual([
      "MACHINE_INPUT_MISSING task.session_changed_files",
    ]);
    expect(codes("Researcher", inTask("Researcher", { research_question: "" }))).toEqual(["MACHINE_INPUT_MISSING task.research_question"]);
  });

  test.each<[string, Json]>([
    ["no path", { change_type: "added" }],
    ["a path outside", { path: "../a", change_type: "added" }],
    ["an absolute path", { path: "C:/a", change_type: "added" }],
    ["no kind of change", { path: "a" }],
    ["renamed from nowhere", { path: "a", change_type: "renamed" }],
    ["an old path without need", { path: "a", change_type: "added", old_path: "b" }],
    ["a text", "a"],
    ["an unknown kind", { path: "a", change_type: "copied" }],
  ])("when a changed file has %s", (_name, entry) => {
    expect(codes("Reviewer", inTask("Reviewer", { session_changed_files: [entry] })).length).toBeGreaterThan(0);
  });

  test("when a changed file stands twice", () => {
    const twice = [
      { path: "a", change_type: "renamed", old_path: "b" },
      { path: "a", change_type: "deleted" },
    ];
    expect(codes("Reviewer", inTask("Reviewer", { session_changed_files: twice }))).toEqual([
      "MACHINE_CHANGED_FILE task.session_changed_files[1]",
    ]);
  });
});

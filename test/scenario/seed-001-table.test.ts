/** docs/seeds/001.md is true: every test it names exists, and nothing of the seed is missing from it. */
import { describe, expect, test } from "vitest";
import { readSeedTable, wrongReferences } from "../support/seed-table.ts";
import { testTitles } from "../support/seed-titles.ts";
import { stepsFeatures } from "../support/dialect-features.ts";

const rows = readSeedTable("docs/seeds/001.md");
/** Everything that stands in backticks in the first column. */
const named = new Set(rows.flatMap(({ cell }) => [...cell.matchAll(/`([^`]+)`/g)].map((match) => match[1] ?? "")));

function missing(wanted: readonly string[]): string[] {
  return wanted.filter((name) => !named.has(name));
}

describe("the page", () => {
  test("has rows, and each names its tests", () => {
    expect(rows.length).toBeGreaterThan(200);
    expect(rows.filter(({ tests }) => tests.some(({ title }) => title === "")).map(({ cell }) => cell)).toEqual([]);
  });

  test("names only tests that exist", () => {
    expect(wrongReferences(rows)).toEqual([]);
  });

  test("would notice a test that does not exist and a key that is missing", () => {
    expect(
      testTitles(
        `test("a", () => {}); test.each([["b", 1], ["c", 2]])("%s is here", () => {}); const t = { d: 1 }; test.each(Object.keys(t))("%s", () => {});`,
      ),
    ).toEqual(["a", "b is here", "c is here", "d"]);
    expect(missing(["shell_command.comand", "workflow.begin"])).toEqual(["shell_command.comand", "workflow.begin"]);
  });
});

describe("the language", () => {
  const everyStep = ["id", "type", "description"];

  test("every step type has a row", () => {
    expect(missing(stepsFeatures.stepTypes)).toEqual([]);
  });

  test("every key of every step type has a row", () => {
    const keys = stepsFeatures.stepTypes.flatMap((type) =>
      stepsFeatures.stepKeys[type].filter((key) => !everyStep.includes(key)).map((key) => `${type}.${key}`),
    );
    expect(missing([...everyStep.map((key) => `step.${key}`), ...keys])).toEqual([]);
  });

  test("every key of a file has a row", () => {
    expect(missing(stepsFeatures.topLevelKeys.map((key) => `${key}:`))).toEqual([]);
  });

  test("every value that a key can take has a row", () => {
    const values = [
      ...stepsFeatures.outputFormats.map((word) => `output_format: ${word}`),
      ...stepsFeatures.operations.map((word) => `operation: ${word}`),
      ...stepsFeatures.errorPolicies.map((word) => `on_error: ${word}`),
      ...stepsFeatures.workflowErrorPolicies.map((word) => `error_handling.on_error: ${word}`),
      ...stepsFeatures.itemErrorStrategies.map((word) => `strategy: ${word}`),
      ...stepsFeatures.computedErrorPolicies.map((word) => `computed.on_error: ${word}`),
      ...stepsFeatures.lostPolicies.map((word) => `on_lost: ${word}`),
      ...stepsFeatures.typeWords.map((word) => `type: ${word}`),
      ...stepsFeatures.resumeParts.map((word) => `resume: ${word}`),
    ];
    expect(missing(values)).toEqual([]);
  });

  test("every key of the error sections has a row", () => {
    const keys = [
      "retry_count",
      "retry_delay",
      "fallback_value",
      "error_state_update",
      "max_retries",
      "collect_errors",
      "error_state_path",
      "return_on_error",
      "cleanup_on_error",
    ];
    const sections = [
      "error_collection.enabled",
      "error_collection.state_path",
      "error_collection.include_stack_traces",
      "error_handling.on_failure",
    ];
    const resume = ["retry_failed_steps", "skip_completed_steps", "reset_error_counts", "load_from_checkpoint", "exclude"].map(
      (key) => `on_resume.${key}`,
    );
    const computed = ["from", "transform", "fallback", "validate", "static", "value"].map((key) => `computed.${key}`);
    const tracked = ["steps_completed", "steps_failed", "retry_counts", "last_error", "workflow_errors"];
    expect(missing([...keys, ...sections, ...resume, ...computed, ...tracked])).toEqual([]);
  });

  test("every field of an atomic step has a row", () => {
    expect(
      missing([
        "id",
        "type",
        "instructions",
        "definition",
        "variable_replacements",
        "original_expression",
        "updates",
        "method",
        "params",
        "tasks",
        "message",
        "prompt",
        "validation",
      ]),
    ).toEqual([]);
  });
});

describe("tools", () => {
  const seedTools = [
    "workflow.get_info",
    "workflow.start",
    "workflow.get_next_step",
    "workflow.step_complete",
    "workflow.resume",
    "workflow.load_definition",
    "workflow.checkpoint",
    "workflow.complete",
    "workflow.list",
    "workflow_state.read",
    "workflow_state.update",
    "workflow_state.dependencies",
    "workflow.trace_transformations",
    "workflow.debug_info",
    "workflow.test_transformation",
    "workflow.explain_plan",
  ];

  test("every tool of the seed has a row, in both spellings", () => {
    expect(missing([...seedTools, ...seedTools.map((name) => name.replaceAll(".", "_"))])).toEqual([]);
  });

  test("every canonical tool has a row", () => {
    expect(
      missing([
        "workflow_list",
        "workflow_info",
        "workflow_start",
        "workflow_next",
        "workflow_progress",
        "workflow_status",
        "workflow_complete",
        "workflow_decide",
        "workflow_resume",
        "workflow_retry",
        "workflow_abort",
        "workflow_checkpoint",
      ]),
    ).toEqual([]);
  });

  test("every tool that the seed's workflows call has a row", () => {
    expect(
      missing([
        "list_files",
        "read_files",
        "write_files",
        "check_typescript",
        "lint_project",
        "run_test_suite",
        "find_dead_code",
        "find_import_cycles",
        "extract_api_endpoints",
        "hints_for_file",
        "get_session_stats",
      ]),
    ).toEqual([]);
  });
});

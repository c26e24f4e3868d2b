/** docs/seeds/002.md is true: every test it names exists, and nothing of the seed is missing from it. */
import { isObject } from "../../src/base/index.ts";
import { expect, test } from "vitest";
import { promptsDialect } from "../../src/dialects/prompts/definition/index.ts";
import { readReference, readSeedTable, wrongReferences } from "../support/seed-table.ts";

const rows = readSeedTable("docs/seeds/002.md");
const named = new Set(rows.flatMap(({ cell }) => [...cell.matchAll(/`([^`]+)`/g)].map((match) => match[1] ?? "")));
const missing = (wanted: readonly string[]): string[] => wanted.filter((name) => !named.has(name));

/** Keys at a path of the JSON Schema of a file. */
function keysAt(...path: readonly string[]): string[] {
  let at: unknown = promptsDialect.jsonSchema?.();
  for (const key of path) at = isObject(at) ? at[key] : undefined;
  return isObject(at) ? Object.keys(at) : [];
}

test("the page names its tests, and only tests that exist", () => {
  expect(rows.length).toBeGreaterThan(30);
  expect(wrongReferences(rows)).toEqual([]);
});

test("every key of a file and of a step has a row", () => {
  const top = keysAt("properties");
  const step = keysAt("properties", "steps", "items", "properties");
  const loop = keysAt("properties", "loop", "properties");
  const retry = keysAt("properties", "steps", "items", "properties", "retry", "properties");
  expect([top.length, step.length, loop.length, retry.length].every((count) => count > 2)).toBe(true);
  expect(
    missing([
      ...top.map((key) => `${key}:`),
      ...step.map((key) => `step.${key}`),
      ...loop.map((key) => `loop.${key}`),
      ...retry.map((key) => `retry.${key}`),
    ]),
  ).toEqual([]);
});

/** Written by hand from the seed. */
const events = "workflow_start workflow_complete workflow_error step_start step_complete step_error assistant tool".split(" ");
const fields = "type workflow_id workflow_name step step_index content tool_name tool_input error ts".split(" ");
const columns = "id workflow_name current_step_index status user_message metadata started_at completed_at".split(" ");
const variables = ["$WORKFLOW_ID", "$USER_MESSAGE", "$ARGUMENTS", "$1", "$9", "$ARTIFACTS_DIR"];

const types = "StepDefinition WorkflowDefinition WorkflowRun StepResult WorkflowEvent RouterResult IPlatformAdapter".split(" ");
const functions = [
  "createWorkflowRun getWorkflowRun getActiveWorkflowRun updateWorkflowRun completeWorkflowRun failWorkflowRun",
  "parseYaml parseWorkflow loadWorkflowsFromDir discoverWorkflows registerWorkflows getRegisteredWorkflows getWorkflow clearWorkflows",
  "buildRouterPrompt parseRouterResponse loadStepPrompt substituteWorkflowVariables executeStep executeWorkflow formatToolCall",
  "getLogPath logWorkflowEvent logWorkflowStart logStepStart logStepComplete logAssistant logTool logWorkflowError logWorkflowComplete",
].flatMap((names) => names.split(" "));
const messages = [
  "**Starting workflow**",
  "Steps: a → b",
  "**Step 1/3**: plan",
  "**Workflow failed** at step: name",
  "**Workflow complete**",
];
const commands = ["/workflow list", "/help", "/command-invoke", "/status", "/reset", "/setcwd", "/clone", "/codebases"];
const tables = ["workflow_runs", "conversations", "_codebases", "_sessions", "_command_templates"];
const endpoints = [
  "POST /test/message",
  "GET /test/messages/<id>",
  "DELETE",
  "PUT /test/mode",
  "/health",
  "/health/db",
  "/health/concurrency",
];

test("every variable, event, field and column has a row", () => {
  expect(missing([...variables, ...events, ...fields, ...columns])).toEqual([]);
});

test("every type, function, message, command, table and endpoint has a row", () => {
  const rest = tables.map((name) => (name.startsWith("_") ? name : `remote_agent_${name}`));
  expect(missing([...types, ...functions, ...messages, ...commands, ...rest, ...endpoints])).toEqual([]);
});

test("a test that does not exist and a key that is missing would be noticed", () => {
  const cell = "`seed-002-log` › nothing of the kind";
  expect(wrongReferences([{ cell, id: "x", feature: "x", tests: [readReference(cell)] }])).toHaveLength(1);
  expect(missing(["step.nothing"])).toEqual(["step.nothing"]);
});

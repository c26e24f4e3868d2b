/** The flows of the three protocols use every word of the steps dialect that an agent or a person can notice. */
import { describe, expect, test } from "vitest";
import { parse } from "yaml";
import { isList, isObject, type Json, type JsonObject } from "../../../src/base/index.ts";
import { flows } from "../../support/protocol-flows.ts";
import { stepsFeatures } from "../../support/dialect-features.ts";

/** Keys that do not show in a conversation that every protocol walks to its end, with the reason. */
const notShown: Readonly<Record<string, string>> = {
  "step on_lost": "It counts when a process or an agent dies in the middle of a step.",
  "workflow name": "Every flow gets it where it is made into a workflow.",
  "workflow description": "Every flow gets it where it is made into a workflow.",
  "workflow version": "Every flow gets it where it is made into a workflow.",
  "workflow triggers": "The router reads it before a run begins.",
  "workflow examples": "The router reads it before a run begins.",
  "workflow not_for": "The router reads it before a run begins.",
  "workflow imports": "It is resolved when the file is loaded; what it brings is like what stands in the file.",
  "workflow on_resume": "It shapes the reply to a resume, and a flow is not interrupted.",
  "workflow on_high_context_usage": "It is told to an agent whose context is nearly full.",
  "workflow budget": "At its limit a person is asked whether to continue, which no step of the flow does.",
};

/** `section key`, and `section key: word` where the value is a word. */
const used = new Set<string>();
const lists: ReadonlySet<string> = new Set(["steps", "body", "then", "else", "on_complete", "on_failure", "cleanup_on_error"]);
const sections: Readonly<Record<string, string>> = {
  state_update: "write",
  error_state_update: "write",
  updates: "write",
  validation: "validation",
  mcp: "mcp",
  on_sub_agent_error: "on_sub_agent_error",
  error_collection: "error_collection",
};

/** Reads a map of the language; what an author names freely is left out. */
function read(map: JsonObject, section: string): void {
  for (const [key, value] of Object.entries(map)) {
    used.add(`${section} ${key}`);
    if (typeof value === "string") used.add(`${section} ${key}: ${value}`);
    const inside = lists.has(key) ? "step" : key === "error_handling" ? `${section} error_handling` : sections[key];
    if (inside !== undefined) for (const entry of mapsIn(value)) read(entry, inside);
    if (key === "sub_agent_tasks") for (const task of mapsOf(value)) read(task, "task");
    if (key === "state_schema" && isObject(value)) for (const field of mapsOf(value["computed"] ?? {})) read(field, "computed");
  }
}

function mapsIn(value: Json): JsonObject[] {
  return (isList(value) ? value : [value]).filter(isObject);
}

function mapsOf(value: Json): JsonObject[] {
  return isObject(value) ? Object.values(value).filter(isObject) : [];
}

for (const { body } of flows) read(parse(body) as JsonObject, "workflow");

const missing = (section: string, keys: readonly string[]): string[] =>
  keys.map((key) => `${section} ${key}`).filter((each) => !used.has(each) && notShown[each] === undefined);
const words = (key: string, list: readonly string[]): string[] => list.map((word) => `${key}: ${word}`);

describe("a flow has", () => {
  test("every step type, format of output and policy of a step", () => {
    const { stepTypes, outputFormats, errorPolicies } = stepsFeatures;
    const all = [...words("type", stepTypes), ...words("output_format", outputFormats), ...words("on_error", errorPolicies)];
    expect(missing("step", all)).toEqual([]);
  });

  test("every operation of a write", () => {
    const unused = stepsFeatures.operations.filter((word) => !used.has(`write operation: ${word}`) && !used.has(`step operation: ${word}`));
    expect(unused).toEqual([]);
  });

  test("every policy of a workflow, of computed fields and of tasks", () => {
    expect(missing("workflow error_handling", words("on_error", stepsFeatures.workflowErrorPolicies))).toEqual([]);
    expect(missing("computed", words("on_error", stepsFeatures.computedErrorPolicies))).toEqual([]);
    expect(missing("on_sub_agent_error", words("strategy", stepsFeatures.itemErrorStrategies))).toEqual([]);
  });

  test("every key of a step", () => {
    expect(missing("step", [...new Set(Object.values(stepsFeatures.stepKeys).flat())])).toEqual([]);
  });

  test("every key of a workflow", () => {
    expect(missing("workflow", stepsFeatures.topLevelKeys)).toEqual([]);
  });

  test("every key inside them", () => {
    expect(missing("write", ["path", "value", "operation", "transform"])).toEqual([]);
    expect(missing("mcp", ["method", "params"])).toEqual([]);
    expect(missing("validation", ["pattern", "error_message"])).toEqual([]);
    expect(missing("computed", ["from", "transform", "on_error", "fallback", "validate", "static", "value"])).toEqual([]);
    expect(missing("task", ["description", "inputs", "steps", "error_handling"])).toEqual([]);
    expect(missing("task error_handling", ["return_on_error", "cleanup_on_error"])).toEqual([]);
    expect(missing("on_sub_agent_error", ["strategy", "max_retries", "collect_errors", "error_state_path"])).toEqual([]);
    expect(missing("workflow error_handling", ["on_error", "max_retries", "error_collection", "on_failure"])).toEqual([]);
    expect(missing("error_collection", ["enabled", "state_path", "include_stack_traces"])).toEqual([]);
  });
});

test("what is said not to show is a word of the language, and in no flow", () => {
  const known = [
    ...Object.values(stepsFeatures.stepKeys).flatMap((keys) => keys.map((key) => `step ${key}`)),
    ...stepsFeatures.topLevelKeys.map((key) => `workflow ${key}`),
  ];
  expect(Object.keys(notShown).filter((each) => !known.includes(each) || used.has(each))).toEqual([]);
});

test("a word that no flow has is noticed", () => {
  expect(missing("step", ["type: jump", "colour"])).toEqual(["step type: jump", "step colour"]);
});

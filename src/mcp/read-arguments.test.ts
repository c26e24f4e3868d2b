import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { isWaymarkError, type WaymarkError } from "../base/index.ts";
import { dialectTools } from "../../test/support/all-dialects.ts";
import { readArguments } from "./read-arguments.ts";
import { allTools } from "./tool-registry.ts";

function toolNamed(name: string) {
  const tool = allTools(dialectTools).find((entry) => entry.name === name);
  if (tool === undefined) throw new Error(`no tool ${name}`);
  return tool;
}

const read = (name: string, given: unknown) => readArguments(name, toolNamed(name).shape, given);

function refusal(name: string, given: unknown): WaymarkError {
  try {
    read(name, given);
  } catch (error) {
    if (isWaymarkError(error)) return error;
    throw error;
  }
  throw new Error("nothing was refused");
}

describe("names of arguments", () => {
  test.each(["run_id", "workflow_id", "session_id", "runId", "id", "workflowId"])("a run is named by %s", (spelling) => {
    expect(read("workflow_next", { [spelling]: "wf-1" })).toEqual({ run_id: "wf-1" });
    expect(read("workflow_get_next_step", { [spelling]: "wf-1" })).toEqual({ workflow_id: "wf-1" });
  });

  test("a workflow is named by workflow or workflow_type", () => {
    expect(read("workflow_start", { workflow: "a" })).toEqual({ workflow: "a" });
    expect(read("workflow_start", { workflow_type: "a" })).toEqual({ workflow: "a" });
  });

  test("a task is named directly or by the sub-agent's context", () => {
    expect(read("workflow_next", { run_id: "r", task_id: "t" })).toEqual({ run_id: "r", task_id: "t" });
    expect(read("workflow_next", { run_id: "r", sub_agent_context: { task_id: "t", batch_id: "b" } })).toEqual({
      run_id: "r",
      task_id: "t",
    });
    expect(read("workflow_next", { run_id: "r", sub_agent_context: '{"batch_id":"b"}' })).toEqual({ run_id: "r", task_id: "b" });
  });

  test("two spellings with the same value are fine, with different values they are refused", () => {
    expect(read("workflow_next", { run_id: "r", workflow_id: "r" })).toEqual({ run_id: "r" });
    const error = refusal("workflow_next", { run_id: "r", workflow_id: "s" });
    expect(error.code).toBe("MCP_BAD_ARGUMENT");
    expect(error.message).toContain("`run_id` and `workflow_id`");
  });

  test("an argument that means nothing is refused with the nearest one", () => {
    const error = refusal("workflow_start", { workflow: "a", input: {} });
    expect(error.code).toBe("MCP_UNKNOWN_ARGUMENT");
    expect(error.message).toContain("`input` means nothing to `workflow_start`. Did you mean `inputs`?");
    expect(error.fix).toContain("workflow, inputs?, scope?, path?, since?, options?, initial_processing?, serial?, budget?");
  });

  test("a run id means nothing to a start", () => {
    expect(refusal("workflow_start", { workflow: "a", run_id: "r" }).code).toBe("MCP_UNKNOWN_ARGUMENT");
  });
});

describe("values of arguments", () => {
  test("objects, lists, numbers and flags are read from JSON text", () => {
    expect(read("workflow_start", { workflow: "a", inputs: '{"n":1}', serial: "true" })).toEqual({
      workflow: "a",
      inputs: { n: 1 },
      serial: true,
    });
    expect(read("workflow_state_read", { workflow_id: "r", paths: '["a","b"]' })).toEqual({ workflow_id: "r", paths: ["a", "b"] });
    const updates = '[{"path":"raw.a","value":"1"}]';
    expect(read("workflow_state_update", { workflow_id: "r", updates, expected_version: "4" })).toEqual({
      workflow_id: "r",
      updates: [{ path: "raw.a", value: "1" }],
      expected_version: 4,
    });
  });

  test("text that is wanted as text, or as any value, is left alone", () => {
    expect(read("workflow_progress", { run_id: "1", result: "[1]" })).toEqual({ run_id: "1", result: "[1]" });
    expect(read("workflow_decide", { run_id: "7", answer: "true" })).toEqual({ run_id: "7", answer: "true" });
  });

  test("null stands for an absent argument, except where any value is wanted", () => {
    expect(read("workflow_next", { run_id: "r", task_id: null })).toEqual({ run_id: "r" });
    expect(read("workflow_progress", { run_id: "r", result: null })).toEqual({ run_id: "r", result: null });
  });

  test("every problem is in the one error, in our own words", () => {
    const error = refusal("workflow_progress", { status: "done", action_id: 5, usage: { token: 1 } });
    expect(error.code).toBe("MCP_BAD_ARGUMENT");
    expect(error.details["problems"]).toEqual([
      "`run_id` is missing",
      "`action_id` must be text",
      "`status` must be one of success, completed, failed, skipped, confirmed, dismissed",
      "`usage` has no `token`",
    ]);
  });

  test("arguments that are not an object are refused", () => {
    expect(refusal("workflow_next", ["r"]).code).toBe("MCP_BAD_ARGUMENT");
  });
});

test("whatever is given, reading it ends in arguments or in a listed code", () => {
  const names = fc.constantFrom(
    "run_id",
    "workflow",
    "inputs",
    "updates",
    "paths",
    "result",
    "status",
    "sub_agent_context",
    "__proto__",
    "constructor",
  );
  const given = fc.oneof(fc.dictionary(names, fc.jsonValue()), fc.jsonValue(), fc.dictionary(fc.string(), fc.jsonValue()));
  fc.assert(
    fc.property(fc.constantFrom(...allTools(dialectTools)), given, (tool, args) => {
      try {
        readArguments(tool.name, tool.shape, args);
        return true;
      } catch (error) {
        return isWaymarkError(error) && (error.code === "MCP_BAD_ARGUMENT" || error.code === "MCP_UNKNOWN_ARGUMENT");
      }
    }),
    { numRuns: 2000 },
  );
});

import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { startingWith, subAgentPrompt, workflowPrompt } from "./prompts.ts";

describe("the workflow prompt", () => {
  test.each([
    [["list"], "Call workflow_list"],
    [[], "Call workflow_list"],
    [["standards:fix info"], 'Call workflow_info with workflow "standards:fix"'],
    [["standards:fix", "info"], 'Call workflow_info with workflow "standards:fix"'],
    [["standards:fix start --input base=main --input=deep=true limit=3"], '{"base":"main","deep":true,"limit":3}'],
    [["standards:fix", "start", "--input base=main"], '{"base":"main"}'],
    [["resume wf-a-2026-11-15-abcdef"], 'Call workflow_resume with run_id "wf-a-2026-11-15-abcdef"'],
    [["status", "wf-a"], 'Call workflow_status with run_id "wf-a"'],
    [["status"], "Call workflow_status and tell me"],
  ])("%j says what to do", (words, expected) => {
    expect(workflowPrompt(words)).toContain(expected);
  });

  test("a placeholder of the client is kept for it to fill in", () => {
    const text = workflowPrompt(["$1"]);
    expect(text).toContain("`workflow $1`");
    expect(text).toContain("`resume <run id>`");
  });

  test("the user asks the model to follow the tools' instructions", () => {
    expect(workflowPrompt(["a", "start"])).toContain("Follow the instructions in the replies of its tools: I ask for that.");
  });

  test("nothing is refused", () => {
    fc.assert(
      fc.property(fc.array(fc.option(fc.string(), { nil: undefined }), { maxLength: 4 }), (words) => workflowPrompt(words).length > 200),
    );
  });
});

test("the sub-agent prompt names its task and run, and stands without them", () => {
  expect(subAgentPrompt("batch_0", "wf-1")).toContain('{"run_id":"wf-1","task_id":"batch_0"}');
  expect(subAgentPrompt(undefined, undefined)).toContain('"task_id":"<task id>"');
});

test("at most 100 completions are given, and only those that begin as typed", () => {
  const many = Array.from({ length: 300 }, (_, index) => `Name-${index}`);
  expect(startingWith([...many, "other"], "name")).toHaveLength(100);
  expect(startingWith(["alpha", "beta", "alpha"], "A")).toEqual(["alpha"]);
});

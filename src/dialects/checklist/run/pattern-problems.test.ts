import { afterEach, expect, test } from "vitest";
import { oldCalls, review, withWorkflow } from "../../../../test/support/checklist-sample.ts";
import type { TestEngine } from "../../../../test/support/test-engine.ts";
import type { Diagnostic } from "../../../base/index.ts";

let engine: TestEngine;
afterEach(() => engine.close());

async function problems(text: string): Promise<readonly Diagnostic[]> {
  engine = await withWorkflow(text, {});
  const { program, files } = await engine.context.catalog.loadValid(/^type: (\S+)/m.exec(text)?.[1] ?? "");
  return engine.context.leaves.problems(program, files);
}

const lineOf = (text: string, part: string): number => text.slice(0, text.indexOf(part)).split("\n").length;

test("a workflow without patterns, and one whose patterns compile, have no problem", async () => {
  expect(await problems(review)).toEqual([]);
  await engine.close();
  expect(await problems(oldCalls)).toEqual([]);
});

test("a pattern that might never end is told at the line of its id, with what to do", async () => {
  const text = oldCalls.replace('regex: "old\\\\("', 'regex: "(a+)+$"');
  const [problem, ...others] = await problems(text);
  expect(others).toEqual([]);
  expect(problem).toMatchObject({
    severity: "error",
    fix: expect.any(String),
    place: { line: lineOf(text, "- id: old-call"), column: 11 },
  });
  expect(problem?.place?.file).toContain("old-calls.workflow.yaml");
  await engine.close();
  expect(await problems(text.replace("  enabled: true\n", "  enabled: false\n"))).toEqual([]);
});

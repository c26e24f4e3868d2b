/** The published types are those of what Waymark reads and writes: checked when the types are, and once more for a program outside. */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, expectTypeOf, test } from "vitest";
import type * as published from "../../src/bin/package-types.ts";
import type { LogLine } from "../../src/dialects/prompts/views/log-line.ts";
import type { RouterResult } from "../../src/router/index.ts";
import { promptsDialect } from "../../src/dialects/prompts/definition/index.ts";

const root = join(import.meta.dirname, "../..");
const text = readFileSync(join(root, "src/bin/package-types.ts"), "utf8");

test("each type of the format is exported under its name", () => {
  const names = [...text.matchAll(/^export interface (\w+)/gm)].map(([, name]) => name);
  expect(names).toEqual(["StepDefinition", "WorkflowDefinition", "WorkflowRun", "StepResult", "WorkflowEvent", "RouterResult"]);
});

/** As they stand in the format. `conversation_id` is never null there, since only chats start runs. */
interface FormatStep {
  step: string;
  clearContext?: boolean;
}
interface FormatRun {
  id: string;
  workflow_name: string;
  conversation_id: string;
  codebase_id: string | null;
  current_step_index: number;
  status: "running" | "completed" | "failed";
  user_message: string;
  metadata: Record<string, unknown>;
  started_at: Date;
  completed_at: Date | null;
}

test("rows, steps and results have the fields of the format", () => {
  expectTypeOf<published.StepDefinition>().toEqualTypeOf<FormatStep>();
  expectTypeOf<published.WorkflowDefinition>().toEqualTypeOf<{
    name: string;
    description: string;
    provider?: string;
    model?: string;
    steps: FormatStep[];
  }>();
  expectTypeOf<Omit<published.WorkflowRun, "conversation_id">>().toEqualTypeOf<Omit<FormatRun, "conversation_id">>();
  expectTypeOf<published.WorkflowRun["conversation_id"]>().toEqualTypeOf<FormatRun["conversation_id"] | null>();
  expectTypeOf<published.StepResult>().toEqualTypeOf<{
    stepName: string;
    success: boolean;
    sessionId?: string;
    artifacts?: string[];
    error?: string;
  }>();
  expectTypeOf<published.RouterResult>().toEqualTypeOf<{ workflow: string | null; userIntent: string; isConversational: boolean }>();
});

test("the declarations need nothing else", () => {
  expect(text).not.toMatch(/^import|from "/m);
});

test("the router's result and the lines of the log are theirs", () => {
  expectTypeOf<RouterResult>().toExtend<published.RouterResult>();
  type Line = Omit<LogLine, "type"> & { readonly type: published.WorkflowEvent["type"] };
  expectTypeOf<Line>().toExtend<published.WorkflowEvent>();
  expectTypeOf<published.WorkflowEvent["type"]>().toExtend<LogLine["type"]>();
});

test("keys of a definition are keys of the file", () => {
  const definition: Required<published.WorkflowDefinition> = {
    name: "n",
    description: "d",
    provider: "claude",
    model: "m",
    steps: [{ step: "plan", clearContext: true }],
  };
  const schema = promptsDialect.jsonSchema?.() as {
    properties: Record<string, { items?: { properties: Record<string, unknown> } }>;
  };
  expect(Object.keys(schema.properties)).toEqual(expect.arrayContaining(Object.keys(definition)));
  expect(Object.keys(schema.properties["steps"]?.items?.properties ?? {})).toEqual(expect.arrayContaining(["step", "clearContext"]));
});

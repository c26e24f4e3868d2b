import * as z from "zod";
import { isList, isObject, type Json, type JsonObject } from "../../base/index.ts";
import { debugInfo, testTransformation, traceTransformations } from "../../engine/index.ts";
import { heavyReply } from "../reply.ts";
import { joinLines, plainText } from "../reply-text.ts";
import { anyObject, defineTool, runId, workflowName, type Tool } from "../tool.ts";

const traceTool: Tool = defineTool({
  name: "workflow_trace_transformations",
  toolsets: ["debug"],
  description: "Show how computed fields were evaluated: trigger, input, output, time. Newest last.",
  returns: "`traces` with `field`, `timestamp`, `trigger`, `input`, `output`, `duration_ms`, `error`; the last 1,000 of this process",
  reads: true,
  shape: z.object({ workflow_id: runId, field: z.string().optional(), include_timing: z.boolean().optional().describe("Default true.") }),
  async run(call, { workflow_id, field, include_timing }) {
    const traces = await traceTransformations(call.engine, workflow_id, field, include_timing ?? true);
    return heavyReply(call, {
      head: `${traces.length} evaluations${field === undefined ? "" : ` of ${field}`} in this process, newest last:`,
      heavy: ["traces"],
      newestLast: true,
      data: { traces: traces as unknown as Json },
      render: ({ traces: shown }) =>
        linesOf(shown, ({ field: of, duration_ms: ms, trigger, output, error = null }) => {
          return `- ${plainText(of)} ${plainText(ms)} ms, ${plainText(trigger)}: ${JSON.stringify(output ?? error)}`;
        }),
    });
  },
});

const debugInfoTool: Tool = defineTool({
  name: "workflow_debug_info",
  toolsets: ["debug"],
  description: "Show a run's current step, step history, state size and transformation times.",
  returns: "`current_step`, `step_history`, `state_size`, `performance`",
  reads: true,
  shape: z.object({ workflow_id: runId }),
  async run(call, { workflow_id }) {
    const info = await debugInfo(call.engine, workflow_id);
    return heavyReply(call, {
      head: `At ${info.current_step}. State: ${info.state_size.raw_bytes} bytes raw, ${info.state_size.computed_bytes} bytes computed, ${info.state_size.total_transformations} transformations of ${info.performance.avg_transformation_time} ms on average. Steps, newest last:`,
      heavy: ["step_history"],
      newestLast: true,
      data: info as unknown as JsonObject,
      render: ({ step_history: shown }) =>
        linesOf(shown, ({ step_id: step, status, completed_at: at }) => `- ${plainText(step)} ${plainText(status)} ${plainText(at)}`),
    });
  },
});

function linesOf(shown: Json | undefined, line: (entry: JsonObject) => string): string {
  if (!isList(shown)) return JSON.stringify(shown ?? null);
  return shown.map((entry) => (isObject(entry) ? line(entry) : plainText(entry))).join("\n");
}

const testTransformationTool: Tool = defineTool({
  name: "workflow_test_transformation",
  toolsets: ["debug"],
  description: "Run a transformation on an input in the sandbox, without touching any run.",
  returns: "`success`, `output` or `error`, `execution_time_ms`",
  reads: true,
  shape: z.object({
    transform: z.string().min(1).describe("JavaScript, with input in scope."),
    input: z.unknown().optional().describe("Any JSON value."),
    context: anyObject.optional().describe("Further names in scope."),
  }),
  async run(call, { transform, input, context }) {
    const tested = await testTransformation(call.engine, transform, (input ?? null) as Json, (context ?? {}) as JsonObject);
    const outcome = tested.success ? "Output:" : `It failed: ${tested.error ?? ""}`;
    return heavyReply(call, {
      head: `${outcome} (${tested.execution_time_ms} ms)`.slice(0, 2000),
      heavy: ["output"],
      data: tested as unknown as JsonObject,
      render: ({ output }) => (tested.success ? JSON.stringify(output ?? null) : ""),
    });
  },
});

const explainPlanTool: Tool = defineTool({
  name: "workflow_explain_plan",
  toolsets: ["debug"],
  description: "Show what a workflow would do: its steps with conditions, dependencies and tools, without starting it.",
  returns: "`steps` with `conditions`, `estimated_sub_agents` and `dependencies`, `estimated_duration`, `required_tools`",
  reads: true,
  shape: z.object({ workflow: workflowName, inputs: anyObject.optional() }),
  async run(call, { workflow, inputs }) {
    const loaded = await call.engine.catalog.loadValid(workflow);
    const plan = await call.explainPlan(loaded.program, (inputs ?? {}) as JsonObject);
    return heavyReply(call, {
      head: `Plan of ${workflow} (${plainText(plan["estimated_duration"] ?? "")}):`,
      heavy: ["steps", "included", "on_failure", "commands", "required_tools"].filter((key) => plan[key] !== undefined),
      data: plan,
      render: ({ steps }) => stepLines(steps, 0),
    });
  },
});

function stepLines(steps: Json | undefined, depth: number): string {
  if (!isList(steps)) return "";
  const indent = " ".repeat(depth);
  const lines = steps.flatMap((step) => {
    if (!isObject(step)) return [`${indent}${plainText(step)}`];
    const branches = isList(step["branches"]) ? step["branches"].filter(isObject).filter((branch) => isList(branch["steps"])) : [];
    const inner = branches.flatMap(({ name, steps: below }) => [`${indent} ${plainText(name)}:`, stepLines(below, depth + 2)]);
    return [`${indent}- ${plainText(step["step_id"])} (${plainText(step["type"])})`, ...inner];
  });
  return joinLines(lines);
}

export const debugTools: readonly Tool[] = [traceTool, debugInfoTool, testTransformationTool, explainPlanTool];

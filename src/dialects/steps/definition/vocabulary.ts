/** The words of the steps dialect. Every list here is the one source for the shapes, the schema, the checks and the documentation. */
import { taskExpressions } from "../../../source/index.ts";

function words(text: string): string[] {
  return text.split(" ");
}

export const stepTypes = [
  "shell_command",
  "agent_shell_command",
  "agent_task",
  "mcp_call",
  "apply_hints",
  "user_message",
  "user_input",
  "state_update",
  "batch_state_update",
  "conditional",
  "while",
  "foreach",
  "parallel_foreach",
  "include_workflow",
  "sequential",
  "wait",
  "break",
  "continue",
  "exit",
] as const;
export type StepType = (typeof stepTypes)[number];

export const outputFormats = ["lines", "json", "text", "key_value"] as const;
export const operations = ["set", "append", "increment", "decrement", "multiply", "merge"] as const;
export const stepErrorPolicies = ["fail", "continue", "retry"] as const;
export const workflowErrorPolicies = ["checkpoint_and_fail", "continue", "retry_workflow"] as const;
export const itemErrorStrategies = ["retry_failed", "continue", "fail_all"] as const;
export const computedErrorPolicies = ["use_fallback", "propagate", "ignore"] as const;
export const lostPolicies = ["retry", "continue", "ask", "fail"] as const;

/** Named parts of a run that `on_resume` may load or leave out; spaces in a file are read as underscores. */
export const resumeParts: readonly string[] = words(
  "workflow_metadata computed_field_definitions current_raw_state pending_tasks historical_data completed_task_details",
);

export const defaults = {
  version: "1.0.0",
  outputFormat: "text",
  retryCount: 3,
  retryDelayMs: 1000,
  retryFactor: 2,
  retryCapMs: 30_000,
  maxIterations: 100,
  maxParallel: 10,
  inputAttempts: 3,
  itemRetries: 2,
  workflowRetries: 1,
  itemErrorsPath: "raw.sub_agent_errors",
  workflowErrorsPath: "raw.workflow_errors",
} as const;

/** Lists of steps inside a step; `loop` marks those in which `break` and `continue` make sense. */
export type StepSlots = readonly { readonly key: string; readonly loop?: boolean }[];

const slots: Partial<Record<StepType, StepSlots>> = {
  conditional: [{ key: "then" }, { key: "else" }],
  while: [{ key: "body", loop: true }],
  foreach: [
    { key: "steps", loop: true },
    { key: "body", loop: true },
  ],
  include_workflow: [{ key: "on_complete" }],
  sequential: [{ key: "steps" }],
};

export function slotsOf(type: StepType): StepSlots {
  return slots[type] ?? [];
}

/** Whether a step is carried out as one thing: its block shows a rendered id. */
export function isLeaf(type: StepType): boolean {
  return slots[type] === undefined && !["parallel_foreach", "break", "continue", "exit"].includes(type);
}

/** Keys of a step that hold expressions, and how each outcome is used; a dot leads into a nested map. */
export const stepExpressions: Partial<Record<StepType, Readonly<Record<string, "value" | "text" | "command" | "condition">>>> = {
  shell_command: { command: "command", cwd: "text", env: "value" },
  agent_shell_command: { command: "command", reason: "text" },
  agent_task: taskExpressions,
  mcp_call: { "mcp.method": "text", "mcp.params": "value" },
  apply_hints: { file: "text", hints: "value" },
  user_message: { message: "text" },
  user_input: { prompt: "text" },
  conditional: { condition: "condition" },
  while: { condition: "condition" },
  foreach: { items: "value" },
  parallel_foreach: { items: "value" },
  include_workflow: { inputs: "value" },
  wait: { duration_ms: "value", seconds: "value", until: "text" },
  exit: { message: "text" },
};

/** Keys of a step that hold writes to the state, with the name that is in scope there beside the usual ones. */
export const writeKeys: Readonly<Record<string, string>> = { state_update: "result", error_state_update: "error" };

/** Names in every expression that are neither state nor the language's own. */
export const everywhereNames: readonly string[] = words("inputs config now uuid workflow_id parent work raw state computed");

/** Names a loop variable may not take, because expressions already mean something else by them. */
export const takenNames: readonly string[] = [...everywhereNames, ...words("index iteration result error task_id context input output")];

/** Names that differ from task to task: a write path that holds one of them is not shared between strands. */
export const perTaskNames: readonly string[] = ["item", "index", "task_id", "batch_id", "context"];

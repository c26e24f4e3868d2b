/*
 * What the package exports: types alone, with the names and fields of the files, rows and answers that other programs share with Waymark.
 * Nothing is imported here, so that the declarations of this file can be published as they are.
 */

/** A step of a chain, as its file has it. */
export interface StepDefinition {
  /** The prompt is `<step>.md`. */
  step: string;
  /** Begin with a fresh context; default false. The first step always does. */
  clearContext?: boolean;
}

/** A chain of prompts, as its file has it. */
export interface WorkflowDefinition {
  name: string;
  description: string;
  /** The agent for all steps. */
  provider?: string;
  model?: string;
  steps: StepDefinition[];
}

/** A row of `remote_agent_workflow_runs`, as a database driver gives it. */
export interface WorkflowRun {
  id: string;
  workflow_name: string;
  /** null for a run that no chat started. */
  conversation_id: string | null;
  codebase_id: string | null;
  current_step_index: number;
  status: "running" | "completed" | "failed";
  user_message: string;
  metadata: Record<string, unknown>;
  started_at: Date;
  completed_at: Date | null;
}

/** What became of a step of a chain. */
export interface StepResult {
  stepName: string;
  success: boolean;
  /** The agent's conversation, for who continues it. */
  sessionId?: string;
  /** Files that the step had to leave. */
  artifacts?: string[];
  error?: string;
}

/** A line of `.archon/logs/<id>.jsonl`. Types and fields beside these are those of graphs. */
export interface WorkflowEvent {
  type: "workflow_start" | "workflow_complete" | "workflow_error" | "step_start" | "step_complete" | "step_error" | "assistant" | "tool";
  workflow_id: string;
  workflow_name?: string;
  step?: string;
  step_index?: number;
  content?: string;
  tool_name?: string;
  tool_input?: Record<string, unknown>;
  error?: string;
  /** ISO time. */
  ts: string;
}

/** How the router read the answer of a model. */
export interface RouterResult {
  workflow: string | null;
  userIntent: string;
  isConversational: boolean;
}

import { defined } from "../../../../base/index.ts";
import {
  childBlocks,
  type Block,
  type BlockId,
  type Budget,
  type Part,
  type Rescue,
  type ResumePolicy,
  type Tracking,
} from "../../../../program/index.ts";
import { declaredNames } from "../declarations.ts";
import { isCheckpoint, resumeWord } from "../step-nodes.ts";
import type { Workflow } from "../resolve.ts";
import { child, flagAt, listedTexts, membersOf, numberAt, textAt, type SourceNode } from "../../../../source/index.ts";
import { defaults } from "../vocabulary.ts";

/** State paths the kernel keeps up to date, where the workflow declares them; errors also where it asks for a collection. */
export function trackingOf(workflow: Workflow): Tracking {
  const { raw } = declaredNames(workflow);
  const collection = child(child(workflow.root, "error_handling"), "error_collection");
  const collects = collection === undefined ? raw.has("workflow_errors") : flagAt(collection, "enabled") !== false;
  const path = textAt(collection, "state_path") ?? defaults.workflowErrorsPath;
  return {
    ...(raw.has("steps_completed") && { completed: "raw.steps_completed" }),
    ...(raw.has("steps_failed") && { failed: "raw.steps_failed" }),
    ...(raw.has("retry_counts") && { retries: "raw.retry_counts" }),
    ...(raw.has("last_error") && { lastError: "raw.last_error" }),
    ...(collects && { errors: { path, stacks: flagAt(collection, "include_stack_traces") ?? false } }),
  };
}

export function resumeOf(root: SourceNode): ResumePolicy {
  const node = child(root, "on_resume");
  const words = (key: string): string[] =>
    listedTexts(node, key).map((each) => resumeWord(each.value).replace(/^(raw|state|computed)\./, ""));
  return {
    retryFailedSteps: flagAt(node, "retry_failed_steps") ?? true,
    skipCompletedSteps: flagAt(node, "skip_completed_steps") ?? true,
    resetErrorCounts: flagAt(node, "reset_error_counts") ?? false,
    load: words("load_from_checkpoint"),
    exclude: words("exclude"),
  };
}

/** The steps under `on_high_context_usage` say only two things: why a checkpoint is made, and what the person reads. */
export function highContextOf(root: SourceNode): Part["onHighContext"] {
  const steps = membersOf(child(child(root, "on_high_context_usage"), "steps"));
  if (steps.length === 0) return undefined;
  const checkpoint = steps.find(isCheckpoint);
  const message = steps.find((step) => textAt(step, "type") === "user_message");
  return {
    reason: textAt(child(child(checkpoint, "mcp"), "params"), "reason") ?? "The context of the driving agent is nearly full.",
    message: textAt(message, "message") ?? "Progress is saved. Start a new conversation and resume this run.",
  };
}

export function budgetOf(root: SourceNode): Budget | undefined {
  const node = child(root, "budget");
  const limit = (key: keyof Budget): number | undefined => numberAt(node, key);
  const budget = defined({ steps: limit("steps"), minutes: limit("minutes"), tokens: limit("tokens"), money: limit("money") });
  return Object.keys(budget).length === 0 ? undefined : budget;
}

/**
 * `error_handling.on_error: continue`: whatever would fail the workflow is passed over instead, so that the next step runs.
 * A nearer handler keeps its say, and inside a parallel step failures belong to the task: there the step itself is passed over.
 */
export function continueOnError(blocks: Map<BlockId, Block>, id: BlockId): void {
  const block = blocks.get(id);
  if (block === undefined || block.kind === "leave" || handles(block.rescue)) return;
  const failsItself = block.kind !== "seq" && block.kind !== "choose";
  if (failsItself || block.rescue !== undefined) blocks.set(id, { ...block, rescue: passOver(block.rescue) });
  if (block.rescue !== undefined || (block.kind === "work" && block.mode === "strands")) return;
  for (const inner of childBlocks(block)) continueOnError(blocks, inner);
}

function handles(rescue: Rescue | undefined): boolean {
  return rescue !== undefined && rescue.then !== "fail" && !(rescue.then === "body" && rescue.after === "fail");
}

function passOver(rescue: Rescue | undefined): Rescue {
  return rescue?.then === "body" ? { ...rescue, after: "continue" } : { ...rescue, then: "continue" };
}

import { defined, type Place } from "../../../base/index.ts";
import {
  programVersion,
  childBlocks,
  type Block,
  type BlockId,
  type InputSpec,
  type OnFailure,
  type Part,
  type Program,
  type SeqBlock,
  type Budget,
  type Rescue,
  type ResumePolicy,
  type Tracking,
} from "../../../program/index.ts";
import { lowerControl } from "./lower/lower-control.ts";
import { lowerLeaf, type PartBuilder, type SeqSpec } from "./lower/lower-leaf.ts";
import { declaresInputs, declarationsOf, declaredNames } from "./declarations.ts";
import { includesOf, type Resolved, type Workflow } from "./resolve.ts";
import { child, entriesOf, membersOf, numberAt, textAt, flagAt, listedTexts, type SourceNode } from "../../../source/index.ts";
import { stepId, isCheckpoint, resumeWord } from "./step-nodes.ts";
import { defaults, stepTypes } from "./vocabulary.ts";

/** A checked set to a program. The same set always gives the same program, key by key. */
export function lower(resolved: Resolved, main: Workflow): Program {
  const lowering: Lowering = { resolved, main, blocks: new Map(), places: new Map(), parts: new Map() };
  lowerPart(lowering, main);
  return {
    version: programVersion,
    name: main.name,
    dialect: "steps",
    main: main.name,
    parts: Object.fromEntries(
      [...resolved.workflows.keys()].flatMap((name) => lowering.parts.get(name) ?? []).map((part) => [part.name, part]),
    ),
    blocks: Object.fromEntries(lowering.blocks),
    places: Object.fromEntries(lowering.places),
  };
}

interface Lowering {
  readonly resolved: Resolved;
  readonly main: Workflow;
  readonly blocks: Map<BlockId, Block>;
  readonly places: Map<BlockId, Place>;
  readonly parts: Map<string, Part>;
}

/** Blocks of the main workflow have plain ids; those of an included one begin with its name and a slash. */
function lowerPart(lowering: Lowering, workflow: Workflow): void {
  if (lowering.parts.has(workflow.name)) return;
  const { root } = workflow;
  const isMain = workflow === lowering.main;
  const state = declarationsOf(workflow);
  const prefix = isMain ? "" : `${workflow.name}/`;
  const builder = builderFor(lowering, workflow, prefix);
  const handling = child(root, "error_handling");
  const failureSteps = child(handling, "on_failure");
  const failure =
    membersOf(failureSteps).length === 0
      ? undefined
      : builder.list(failureSteps, { id: `${prefix}$on_failure`, within: { parent: `${prefix}on_failure` } });
  const start = builder.list(child(root, "steps"), {
    id: `${prefix}$root`,
    ...(failure !== undefined && !isMain && { rescue: { then: "body", body: failure, after: "fail" } }),
  });
  if (textAt(handling, "on_error") === "continue")
    for (const id of (lowering.blocks.get(start) as SeqBlock).blocks) continueOnError(lowering.blocks, id);
  lowering.parts.set(workflow.name, {
    ...state,
    inputs: isMain || declaresInputs(workflow) ? state.inputs : givenInputs(lowering, workflow),
    root: start,
    entries: {},
    worklists: [],
    rules: [],
    tracking: trackingOf(workflow),
    onFailure: onFailureOf(handling, isMain ? failure : undefined),
    onResume: resumeOf(root),
    ...defined({ onHighContext: highContextOf(root), budget: budgetOf(root) }),
  });
}

/** The steps of a failed callee's `on_failure` run as a rescue of its root; only the main part's are the run's own. */
function onFailureOf(handling: SourceNode | undefined, body: BlockId | undefined): OnFailure {
  const policy = textAt(handling, "on_error") ?? "checkpoint_and_fail";
  const retry = policy === "retry_workflow";
  return {
    ...defined({ body }),
    then: retry ? "retry_run" : "fail",
    checkpoint: policy === "checkpoint_and_fail",
    maxRuns: retry ? (numberAt(handling, "max_retries") ?? defaults.workflowRetries) : 0,
  };
}

/** A workflow that declares no inputs takes whatever the workflows that include it give. */
function givenInputs(lowering: Lowering, callee: Workflow): Record<string, InputSpec> {
  const { workflows, calleeOf } = lowering.resolved;
  const calls = [...workflows.values()].flatMap(includesOf).filter((step) => calleeOf(step) === callee);
  const names = calls.flatMap((step) => entriesOf(child(step, "inputs")).map(([name]) => name));
  return Object.fromEntries(names.map((name) => [name, { type: "any", required: false }]));
}

function builderFor(lowering: Lowering, workflow: Workflow, prefix: string): PartBuilder {
  const builder: PartBuilder = {
    workflow,
    put(at, block) {
      lowering.blocks.set(block.id, block);
      lowering.places.set(block.id, at.file.placeOf(at.path, "value"));
      return block.id;
    },
    list: (nodes, seq) => lowerList(builder, nodes, seq, prefix),
    callee(step) {
      const callee = lowering.resolved.calleeOf(step);
      if (callee === undefined) throw new Error(`lowering met an include that was not resolved at ${step.path.join(".")}`);
      lowerPart(lowering, callee);
      return callee;
    },
  };
  return builder;
}

function lowerList(builder: PartBuilder, nodes: SourceNode | undefined, { within, at, ...common }: SeqSpec, prefix: string): BlockId {
  const blocks = membersOf(nodes).map((step, index) => {
    const { id: own, name } = stepId(step, index, within);
    const front = within === undefined ? prefix : "";
    const todo = { step, id: `${front}${own}`, ...defined({ name: name && `${front}${name}` }) };
    const type = stepTypes.find((each) => each === textAt(step, "type")) ?? "user_message";
    return lowerControl[type]?.(builder, todo) ?? lowerLeaf(builder, type, todo);
  });
  const [only] = blocks;
  // A branch or body of one step is that step: a sequence around it would only cost events.
  if (only !== undefined && blocks.length === 1 && within !== undefined && at === undefined && Object.keys(common).length === 1)
    return only;
  return builder.put(at ?? nodes ?? builder.workflow.root, { kind: "seq", ...common, blocks });
}

/** State paths the kernel keeps up to date, where the workflow declares them; errors also where it asks for a collection. */
function trackingOf(workflow: Workflow): Tracking {
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

function resumeOf(root: SourceNode): ResumePolicy {
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
function highContextOf(root: SourceNode): Part["onHighContext"] {
  const steps = membersOf(child(child(root, "on_high_context_usage"), "steps"));
  if (steps.length === 0) return undefined;
  const checkpoint = steps.find(isCheckpoint);
  const message = steps.find((step) => textAt(step, "type") === "user_message");
  return {
    reason: textAt(child(child(checkpoint, "mcp"), "params"), "reason") ?? "The context of the driving agent is nearly full.",
    message: textAt(message, "message") ?? "Progress is saved. Start a new conversation and resume this run.",
  };
}

function budgetOf(root: SourceNode): Budget | undefined {
  const node = child(root, "budget");
  const limit = (key: keyof Budget): number | undefined => numberAt(node, key);
  const budget = defined({ steps: limit("steps"), minutes: limit("minutes"), tokens: limit("tokens"), money: limit("money") });
  return Object.keys(budget).length === 0 ? undefined : budget;
}

/**
 * `error_handling.on_error: continue`: whatever would fail the workflow is passed over instead, so that the next step runs.
 * A nearer handler keeps its say, and inside a parallel step failures belong to the task: there the step itself is passed over.
 */
function continueOnError(blocks: Map<BlockId, Block>, id: BlockId): void {
  const block = blocks.get(id);
  if (block === undefined || block.kind === "leave" || handles(block.rescue)) return;
  const failsItself = block.kind !== "seq" && block.kind !== "choose";
  const { rescue } = block;
  const passed: Rescue = rescue?.then === "body" ? { ...rescue, after: "continue" } : { ...rescue, then: "continue" };
  if (failsItself || rescue !== undefined) blocks.set(id, { ...block, rescue: passed });
  if (rescue !== undefined || (block.kind === "work" && block.mode === "strands")) return;
  for (const inner of childBlocks(block)) continueOnError(blocks, inner);
}

function handles(rescue: Rescue | undefined): boolean {
  return rescue !== undefined && rescue.then !== "fail" && !(rescue.then === "body" && rescue.after === "fail");
}

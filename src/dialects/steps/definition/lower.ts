import { defined, type Place } from "../../../base/index.ts";
import {
  programVersion,
  type Block,
  type BlockId,
  type InputSpec,
  type OnFailure,
  type Part,
  type Program,
  type SeqBlock,
} from "../../../program/index.ts";
import {
  lowerConditional,
  lowerForeach,
  lowerInclude,
  lowerLeave,
  lowerParallel,
  lowerSequential,
  lowerWhile,
} from "./lower/lower-control.ts";
import { lowerLeaf } from "./lower/lower-leaf.ts";
import { budgetOf, continueOnError, highContextOf, resumeOf, trackingOf } from "./lower/lower-policies.ts";
import { declaresInputs, declarationsOf } from "./declarations.ts";
import type { PartBuilder, SeqSpec, StepToLower } from "./lower/lower-writes.ts";
import { stepsOf, type Resolved, type Workflow } from "./resolve.ts";
import { child, entriesOf, membersOf, numberAt, textAt, type SourceNode } from "../../../source/index.ts";
import { stepId } from "./step-nodes.ts";
import { defaults, stepTypes, type StepType } from "./vocabulary.ts";

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
      [...resolved.workflows.keys()].flatMap((name) => (lowering.parts.has(name) ? [[name, lowering.parts.get(name)!] as const] : [])),
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
  const inputs: Record<string, InputSpec> = {};
  for (const workflow of lowering.resolved.workflows.values()) {
    for (const step of stepsOf(workflow)) {
      if (textAt(step, "type") !== "include_workflow" || lowering.resolved.calleeOf(step) !== callee) continue;
      for (const [name] of entriesOf(child(step, "inputs"))) inputs[name] = { type: "any", required: false };
    }
  }
  return inputs;
}

function builderFor(lowering: Lowering, workflow: Workflow, prefix: string): PartBuilder {
  const builder: PartBuilder = {
    workflow,
    put(block, at) {
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
    return lowerStep(builder, { step, id: `${front}${own}`, ...defined({ name: name && `${front}${name}` }) });
  });
  const [only] = blocks;
  // A branch or body of one step is that step: a sequence around it would only cost events.
  if (only !== undefined && blocks.length === 1 && within !== undefined && at === undefined && Object.keys(common).length === 1)
    return only;
  return builder.put({ kind: "seq", ...common, blocks }, at ?? nodes ?? builder.workflow.root);
}

const control: Partial<Record<StepType, (builder: PartBuilder, todo: StepToLower) => BlockId>> = {
  conditional: lowerConditional,
  while: lowerWhile,
  foreach: lowerForeach,
  parallel_foreach: lowerParallel,
  include_workflow: lowerInclude,
  sequential: lowerSequential,
  break: lowerLeave,
  continue: lowerLeave,
  exit: lowerLeave,
};

function lowerStep(builder: PartBuilder, todo: StepToLower): BlockId {
  const type = stepTypes.find((each) => each === textAt(todo.step, "type")) ?? "user_message";
  return control[type]?.(builder, todo) ?? lowerLeaf(builder, type, todo);
}

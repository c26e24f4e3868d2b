import { defined, isObject } from "../../../../base/index.ts";
import { standardTaskPrompt, type BlockId, type Expr, type ItemFailure, type Rescue } from "../../../../program/index.ts";
import { child, entriesOf, flagAt, has, membersOf, numberAt, textAt, typeWords, type SourceNode } from "../../../../source/index.ts";
import { hasHole } from "../template.ts";
import { defaults, type StepType } from "../vocabulary.ts";
import { lowerRescue, commonOf, type PartBuilder, type StepToLower } from "./lower-leaf.ts";

type Lower = (builder: PartBuilder, todo: StepToLower) => BlockId;

/** `exit` ends the run, as failed when the step says so; `break` and `continue` leave the nearest loop. */
const leave: Lower = (builder, todo) => {
  const type = textAt(todo.step, "type");
  const failed = textAt(todo.step, "status") === "failed";
  const message = textAt(todo.step, "message");
  return builder.put(todo.step, {
    kind: "leave",
    ...commonOf(todo),
    how: type === "break" || type === "continue" ? type : failed ? "fail" : "finish",
    ...(failed && message !== undefined && { message: { as: "text", of: message } }),
  });
};

/** Steps that lead to others. */
export const lowerControl: Partial<Record<StepType, Lower>> = {
  conditional: (builder, todo) =>
    builder.put(todo.step, {
      kind: "choose",
      ...commonOf(todo),
      branches: [{ when: conditionOf(todo.step), then: inner(builder, todo, "then") }],
      ...(has(todo.step, "else") && { otherwise: inner(builder, todo, "else") }),
    }),
  while: (builder, todo) =>
    builder.put(todo.step, {
      kind: "repeat",
      ...commonOf(todo),
      while: conditionOf(todo.step),
      max: numberAt(todo.step, "max_iterations") ?? defaults.maxIterations,
      onLimit: textAt(todo.step, "on_limit") === "fail" ? "fail" : "warn",
      body: inner(builder, todo, "body"),
    }),
  foreach: (builder, todo) =>
    builder.put(todo.step, {
      kind: "work",
      ...commonOf(todo),
      fill: itemsOf(todo.step),
      ...defined({ itemName: textAt(todo.step, "variable_name") }),
      mode: "each",
      join: "all",
      body: inner(builder, todo, has(todo.step, "steps") ? "steps" : "body", "body"),
    }),
  /** Each parallel step has its own copy of the task's blocks, below its own id. */
  parallel_foreach: (builder, todo) => {
    const { step, id } = todo;
    const name = textAt(step, "sub_agent_task") ?? "";
    const task = builder.workflow.sections.tasks.get(name) ?? step;
    const description = textAt(task, "description");
    const label = description === undefined ? undefined : ({ kind: "task", text: description } as const);
    const inputs = entriesOf(child(task, "inputs")).map(([key, node]) => [key, taskInput(key, node)] as const);
    const prompt = textAt(step, "sub_agent_prompt_override") ?? standardTaskPrompt;
    // Lowered before the steps: the order of the blocks is stored.
    const rescue = lowerTaskRescue(builder, task, id);
    return builder.put(step, {
      kind: "work",
      ...commonOf(todo),
      fill: itemsOf(step),
      mode: "strands",
      parallel: numberAt(step, "max_parallel") ?? defaults.maxParallel,
      join: flagAt(step, "wait_for_all") === false ? "later" : "all",
      onItemFailure: itemFailureOf(child(step, "on_sub_agent_error")),
      task: { name, prompt, ...(inputs.length > 0 && { inputs: Object.fromEntries(inputs) }) },
      body: builder.list(child(task, "steps"), {
        id: `${id}.$task`,
        within: { parent: id, slot: "steps" },
        ...defined({ label, rescue }),
      }),
    });
  },
  include_workflow: (builder, todo) => {
    const { step, id } = todo;
    const own = textAt(step, "id");
    const callee = builder.callee(step);
    return builder.put(step, {
      kind: "call",
      ...commonOf(todo, withCalleeRetry(lowerRescue(step), child(callee.root, "error_handling"))),
      part: callee.name,
      inputs: Object.fromEntries(entriesOf(child(step, "inputs")).map(([name, node]) => [name, { as: "value", of: node.value }])),
      as: own === undefined || hasHole(own) ? id.slice(id.indexOf("/") + 1) : own,
      ...(membersOf(child(step, "on_complete")).length > 0 && { onComplete: inner(builder, todo, "on_complete") }),
    });
  },
  sequential: (builder, todo) =>
    builder.list(child(todo.step, "steps"), { ...commonOf(todo), within: { parent: todo.id, slot: "steps" }, at: todo.step }),
  break: leave,
  continue: leave,
  exit: leave,
};

/** The steps in a list of a step; `as`: what the block is called, the key unless given. */
function inner(builder: PartBuilder, { step, id }: StepToLower, slot: string, as: string = slot): BlockId {
  return builder.list(child(step, slot), { id: `${id}.$${as}`, within: { parent: id, slot } });
}

function conditionOf(step: SourceNode): Expr {
  const condition = child(step, "condition")?.value;
  return { as: "condition", of: typeof condition === "string" ? condition : JSON.stringify(condition ?? false) };
}

function itemsOf(step: SourceNode): Expr {
  return { as: "value", of: child(step, "items")?.value ?? [] };
}

/** A type word, or a map with one under `type`, takes the field of that name from the item; anything else is the value. */
function taskInput(name: string, node: SourceNode): Expr {
  const word =
    isObject(node.value) && Object.keys(node.value).every((key) => ["type", "default", "description"].includes(key))
      ? textAt(node, "type")
      : node.value;
  if (!typeWords.some((each) => each === word)) return { as: "value", of: node.value };
  const fallback = child(node, "default");
  // `item` is the item itself, unless the item has a field of that name.
  const whole = name === "item" ? " ?? item" : "";
  return { as: "value", of: `{{ item?.[${JSON.stringify(name)}]${whole} ?? ${JSON.stringify(fallback?.value ?? null)} }}` };
}

/**
 * `retry_failed` tries a task again and, when that is spent, lets the others end before the step fails; `continue` never
 * fails the step; `fail_all`, and no policy at all, stop the others and fail at once.
 */
function itemFailureOf(node: SourceNode | undefined): ItemFailure {
  const strategy = textAt(node, "strategy") ?? "fail_all";
  const retries = numberAt(node, "max_retries");
  const wanted = flagAt(node, "collect_errors") ?? has(node, "error_state_path");
  const collect = wanted ? { collect: textAt(node, "error_state_path") ?? defaults.itemErrorsPath } : {};
  if (strategy === "retry_failed") return { retries: retries ?? defaults.itemRetries, then: "fail_at_end", ...collect };
  if (strategy === "continue") return { retries: retries ?? 0, then: "continue", ...collect };
  return { retries: 0, then: "fail", ...collect };
}

/** `return_on_error` (default) hands the error to the parallel step after the cleanup; without it the task counts as done. */
function lowerTaskRescue(builder: PartBuilder, task: SourceNode, id: string): Rescue | undefined {
  const handling = child(task, "error_handling");
  const after = flagAt(handling, "return_on_error") === false ? "continue" : "fail";
  const cleanup = child(handling, "cleanup_on_error");
  if (membersOf(cleanup).length === 0) return after === "continue" ? { then: "continue" } : undefined;
  return { then: "body", body: builder.list(cleanup, { id: `${id}.$cleanup`, within: { parent: id, slot: "cleanup" } }), after };
}

/** A callee that asks for `retry_workflow` is called again with a fresh state, unless the step has a retry of its own. */
function withCalleeRetry(rescue: Rescue | undefined, handling: SourceNode | undefined): Rescue | undefined {
  if (textAt(handling, "on_error") !== "retry_workflow" || rescue?.retry !== undefined) return rescue;
  const times = numberAt(handling, "max_retries") ?? defaults.workflowRetries;
  return { ...(rescue ?? { then: "fail" }), retry: { times, delayMs: 0, factor: 1, capMs: 0 } };
}

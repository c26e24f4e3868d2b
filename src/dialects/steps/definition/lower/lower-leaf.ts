import { defined, textOf } from "../../../../base/index.ts";
import type { Ask, Block, BlockId, DoBlock, Expr, LostPolicy, Rescue, Write } from "../../../../program/index.ts";
import {
  checkedTask,
  child,
  has,
  isText,
  membersOf,
  numberAt,
  readTask,
  taskArgs,
  textAt,
  type SourceNode,
} from "../../../../source/index.ts";
import { textAsCode, wholeHole } from "../template.ts";
import { defaults, lostPolicies, operations, type StepType } from "../vocabulary.ts";
import type { Workflow } from "../resolve.ts";
import { writesOf, type StepId, type Within, type WriteNode } from "../step-nodes.ts";

/** What lowering a step needs of the workflow around it. */
export interface PartBuilder {
  readonly workflow: Workflow;
  /** Keeps a block and the place it came from; answers its id. */
  put(at: SourceNode, block: Block): BlockId;
  /** A list of steps as one `seq` block. Ids that lowering makes up hold a `$`, which no author can write. */
  list(nodes: SourceNode | undefined, seq: SeqSpec): BlockId;
  /** The part an `include_workflow` step runs; it is lowered once, however many include it. */
  callee(step: SourceNode): Workflow;
}

export interface SeqSpec extends Pick<Block, "id" | "label" | "rescue" | "timeoutMs"> {
  /** Absent for the steps at the top of a workflow. */
  readonly within?: Within;
  /** What the block comes from, when that is not the list itself. */
  readonly at?: SourceNode;
}

/** One step on its way into a block: its node, and the id it got. */
export interface StepToLower extends StepId {
  readonly step: SourceNode;
}

/** Attributes every kind of block may carry, as far as the step asks for them. */
export function commonOf(
  { step, id }: StepToLower,
  rescue: Rescue | undefined = lowerRescue(step),
): Pick<SeqSpec, "id" | "label" | "rescue" | "timeoutMs"> {
  const description = textAt(step, "description");
  return {
    id,
    ...(description !== undefined && { label: { kind: "step", text: description } }),
    ...defined({ rescue, timeoutMs: textAt(step, "type") === "agent_shell_command" ? undefined : numberAt(step, "timeout") }),
  };
}

/** Writes of a step that follow its result. */
function lowerWrites(step: SourceNode): Write[] {
  return writesOf(step)
    .filter((write) => write.under !== "error_state_update")
    .map(lowerWrite);
}

function lowerWrite({ node }: WriteNode): Write {
  const op = operations.find((each) => each === textAt(node, "operation")) ?? "set";
  const value = child(node, "value");
  const transform = textAt(node, "transform");
  const path: Expr = { as: "path", of: textAt(node, "path") ?? "" };
  if (transform !== undefined) return { path, op, transform: { as: "js", of: transform } };
  if (value !== undefined) return { path, op, value: { as: "value", of: value.value } };
  return op === "increment" || op === "decrement" ? { path, op, value: { as: "value", of: 1 } } : { path, op };
}

/**
 * What a step says about its own failure. `fail` with something to write is a rescue that writes and hands the failure on;
 * a fallback is the step's result, so that its `state_update` still happens.
 */
export function lowerRescue(step: SourceNode): Rescue | undefined {
  const policy = textAt(step, "on_error") ?? "fail";
  // There is no result after a failure: without a value the error itself is written, and a transform is simply the value.
  const found = writesOf(step)
    .filter((write) => write.under === "error_state_update")
    .map(lowerWrite)
    .map(({ path, op, value, transform }): Write => ({ path, op, value: transform ?? value ?? { as: "value", of: "{{ error }}" } }));
  const writes = found.length > 0 ? { writes: found } : {};
  const times = numberAt(step, "retry_count") ?? defaults.retryCount;
  const delayMs = numberAt(step, "retry_delay") ?? defaults.retryDelayMs;
  const retry = policy === "retry" ? { retry: { times, delayMs, factor: defaults.retryFactor, capMs: defaults.retryCapMs } } : {};
  if (policy !== "fail" && has(step, "fallback_value"))
    return { ...retry, then: "value", value: child(step, "fallback_value")?.value ?? null, ...writes };
  if (policy === "continue") return { then: "continue", ...writes };
  if (found.length > 0) return { ...retry, then: "body", ...writes, after: "fail" };
  return policy === "retry" ? { ...retry, then: "fail" } : undefined;
}

type Leaf = Pick<DoBlock, "who" | "what" | "args" | "orAgent" | "ask">;

/** A step that is carried out as one thing. */
export function lowerLeaf(builder: PartBuilder, type: StepType, todo: StepToLower): BlockId {
  const { step, name } = todo;
  const lost = lostPolicies.find((each): each is LostPolicy => each === textAt(step, "on_lost"));
  const block: DoBlock = {
    kind: "do",
    ...commonOf(todo),
    ...leafOf(type, step),
    writes: lowerWrites(step),
    ...(name !== undefined && { name: { as: "text", of: name } }),
    ...defined({ whenLost: lost }),
  };
  const doneWhen = textAt(step, "done_when");
  const put = (each: Block): BlockId => builder.put(step, each);
  return doneWhen === undefined ? put(block) : checkedTask(block, doneWhen, put);
}

function leafOf(type: StepType, step: SourceNode): Leaf {
  switch (type) {
    case "shell_command": {
      const args = { ...commandArgs(step), ...optional(step, "cwd", "text"), ...optional(step, "env", "value") };
      return { who: "engine", what: "shell", args };
    }
    case "agent_shell_command": {
      const args = { ...commandArgs(step), ...optional(step, "reason", "text"), ...optional(step, "timeout", "value") };
      return { who: "agent", what: "agent_shell_command", args };
    }
    case "agent_task":
      return { who: "agent", what: "task", args: taskArgs(readTask(step)) };
    case "mcp_call": {
      const mcp = child(step, "mcp");
      const params: Expr = { as: "value", of: child(mcp, "params")?.value ?? {} };
      return { who: "engine", what: "mcp", orAgent: true, args: { method: textExpr(mcp, "method"), params } };
    }
    case "apply_hints": {
      // The kernel puts the fields of the result into scope of the writes, so that `applied_count` can be read by name.
      const hints: Expr = { as: "value", of: child(step, "hints")?.value ?? null };
      return { who: "agent", what: "apply_hints", args: { file: textExpr(step, "file"), hints } };
    }
    case "user_message":
      return { who: "agent", what: "user_message", args: { message: textExpr(step, "message") } };
    case "user_input":
      return { who: "person", what: "user_input", args: { prompt: textExpr(step, "prompt") }, ask: askOf(step) };
    case "wait":
      return { who: "engine", what: "wait", args: { ms: waitOf(step) } };
    default:
      return textAt(step, "by") === "agent"
        ? { who: "agent", what: "state_update", args: updateArgs(step) }
        : { who: "engine", what: "set", args: {} };
  }
}

function textExpr(node: SourceNode | undefined, key: string, as: "text" | "command" = "text"): Expr {
  return { as, of: textAt(node, key) ?? "" };
}

function optional(step: SourceNode, key: string, as: "text" | "value"): Record<string, Expr> {
  const node = child(step, key);
  if (node === undefined) return {};
  return { [key]: as === "text" && isText(node) ? { as, of: node.value } : { as: "value", of: node.value } };
}

function commandArgs(step: SourceNode): Record<string, Expr> {
  const format: Expr = { as: "value", of: textAt(step, "output_format") ?? defaults.outputFormat };
  return { command: textExpr(step, "command", "command"), output_format: format };
}

/** What an agent is shown of an update it is handed: operations and values by position; paths come rendered with the action. */
function updateArgs(step: SourceNode): Record<string, Expr> {
  const args: Record<string, Expr> = {};
  lowerWrites(step).forEach(({ op, value }, index) => {
    args[`op${index}`] = { as: "value", of: op };
    args[`value${index}`] = value ?? { as: "value", of: null };
  });
  return args;
}

function askOf(step: SourceNode): Ask {
  const validation = child(step, "validation");
  const options = membersOf(child(step, "options") ?? child(step, "choices")).map((node) => {
    const label = textAt(node, "label");
    return { value: textAt(node, "value") ?? textOf(node.value), ...defined({ label }) };
  });
  return {
    answerBy: textAt(step, "answer_by") === "person" ? "person" : "relay",
    ...(options.length > 0 && { options }),
    ...defined({ pattern: textAt(validation, "pattern"), patternMessage: textAt(validation, "error_message") }),
    attempts: numberAt(step, "attempts") ?? defaults.inputAttempts,
  };
}

/** Milliseconds as a value. A point in time is counted from the recorded `now()`, so a replay waits as long. */
function waitOf(step: SourceNode): Expr {
  const duration = child(step, "duration_ms");
  if (duration !== undefined) return { as: "value", of: duration.value };
  const seconds = child(step, "seconds")?.value;
  if (typeof seconds === "number") return { as: "value", of: seconds * 1000 };
  if (typeof seconds === "string") return { as: "value", of: `{{ (${wholeHole(seconds) ?? "0"}) * 1000 }}` };
  const until = textAt(step, "until") ?? "";
  return { as: "value", of: `{{ Math.max(0, Date.parse(${textAsCode(until)}) - Date.parse(now())) }}` };
}

import { defined, isObject, type Json } from "../../../../base/index.ts";
import type { Ask, BlockId, DoBlock, Expr, LostPolicy } from "../../../../program/index.ts";
import { child, isText, membersOf, numberAt, textAt, type SourceNode } from "../../../../source/index.ts";
import { textAsCode, wholeHole } from "../template.ts";
import { defaults, lostPolicies, type StepType } from "../vocabulary.ts";
import { lowerRescue, lowerWrites, commonOf, type PartBuilder, type StepToLower } from "./lower-writes.ts";

type Leaf = Pick<DoBlock, "who" | "what" | "args"> & Pick<DoBlock, "orAgent" | "ask">;

/** A step that is carried out as one thing. */
export function lowerLeaf(builder: PartBuilder, type: StepType, todo: StepToLower): BlockId {
  const { step, name } = todo;
  const lost = lostPolicies.find((each): each is LostPolicy => each === textAt(step, "on_lost"));
  const block: DoBlock = {
    kind: "do",
    ...commonOf(todo, lowerRescue(step)),
    ...leafOf(type, step),
    writes: lowerWrites(step),
    ...(name !== undefined && { name: { as: "text", of: name } }),
    ...defined({ whenLost: lost }),
  };
  return builder.put(block, step);
}

function leafOf(type: StepType, step: SourceNode): Leaf {
  switch (type) {
    case "shell_command":
      return {
        who: "engine",
        what: "shell",
        args: { ...commandArgs(step), ...optional(step, "cwd", "text"), ...optional(step, "env", "value") },
      };
    case "agent_shell_command": {
      const args = { ...commandArgs(step), ...optional(step, "reason", "text"), ...optional(step, "timeout", "value") };
      return { who: "agent", what: "agent_shell_command", args };
    }
    case "mcp_call": {
      const mcp = child(step, "mcp");
      return {
        who: "engine",
        what: "mcp",
        orAgent: true,
        args: { method: textExpr(mcp, "method", "text"), params: { as: "value", of: child(mcp, "params")?.value ?? {} } },
      };
    }
    case "apply_hints":
      // The kernel puts the fields of the result into scope of the writes, so that `applied_count` can be read by name.
      return {
        who: "agent",
        what: "apply_hints",
        args: { file: textExpr(step, "file", "text"), hints: { as: "value", of: child(step, "hints")?.value ?? null } },
      };
    case "user_message":
      return { who: "agent", what: "user_message", args: { message: textExpr(step, "message", "text") } };
    case "user_input":
      return { who: "person", what: "user_input", args: { prompt: textExpr(step, "prompt", "text") }, ask: askOf(step) };
    case "wait":
      return { who: "engine", what: "wait", args: { ms: waitOf(step) } };
    default:
      return textAt(step, "by") === "agent"
        ? { who: "agent", what: "state_update", args: updateArgs(step) }
        : { who: "engine", what: "set", args: {} };
  }
}

function textExpr(node: SourceNode | undefined, key: string, as: "text" | "command"): Expr {
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
  const options = membersOf(child(step, "options") ?? child(step, "choices")).map(({ value }) => optionOf(value));
  return {
    answerBy: textAt(step, "answer_by") === "person" ? "person" : "relay",
    ...(options.length > 0 && { options }),
    ...defined({ pattern: textAt(validation, "pattern"), patternMessage: textAt(validation, "error_message") }),
    attempts: numberAt(step, "attempts") ?? defaults.inputAttempts,
  };
}

function optionOf(value: Json): { value: string; label?: string } {
  if (!isObject(value)) return { value: typeof value === "string" ? value : JSON.stringify(value) };
  return {
    value: typeof value["value"] === "string" ? value["value"] : "",
    ...(typeof value["label"] === "string" ? { label: value["label"] } : {}),
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

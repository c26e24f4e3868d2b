import { isObject, own, textOf, type Json } from "../../base/index.ts";
import type { Action } from "../../kernel/index.ts";
import type { Expr } from "../../program/index.ts";
import { coreShown } from "../../views/index.ts";
import { type ActionLeaf, type HandedOut, kernelLeaf, type LeafArgs, type Leaves, nothing, type Run } from "../runtime.ts";
import { parseOutput, performShell } from "./shell.ts";
import { taskLeaf } from "./task.ts";
import { performTool } from "./tool.ts";

/** An argument as its author wrote it. */
export function textOfExpr(expr: Expr | undefined): string {
  return expr === undefined ? "" : textOf(expr.of);
}

const command = (args: LeafArgs): readonly Run[] => {
  const { command: text, cwd, env, shell } = args;
  return [
    {
      kind: "command",
      text: textOfExpr(text),
      ...(cwd === undefined ? {} : { cwd: textOfExpr(cwd) }),
      ...variables(env),
      ...(shell === undefined ? {} : { shell: textOfExpr(shell) }),
      ...readAs(args, { command: ["command", plain], cwd: ["text", "value"], env: ["value"] }),
    },
  ];
};
const tool = (args: LeafArgs): readonly Run[] => [{ kind: "tool", text: textOfExpr(args["method"]) }];

/** A value without holes: it is what it says. */
const plain = "plain";

/** Of the named arguments those that are used in another way than a person takes them, as `command read as js`. */
export function readAs(args: LeafArgs, usual: Readonly<Record<string, readonly string[]>>): Pick<Run, "readAs"> {
  const found = Object.entries(usual).flatMap(([name, ways]) => {
    const expr = own(args, name);
    if (expr === undefined || ways.includes(expr.as) || (ways.includes(plain) && isPlain(expr))) return [];
    return [`${name} read as ${expr.as}`];
  });
  return found.length === 0 ? {} : { readAs: found };
}

function isPlain({ as, of }: Expr): boolean {
  return as === "value" && typeof of === "string" && !of.includes("{{");
}

/** Variables as their author wrote them: one of them may make another program run. */
function variables(env: Expr | undefined): Pick<Run, "env"> {
  const entries = Object.entries(isObject(env?.of) ? env.of : {});
  return entries.length === 0 ? {} : { env: Object.fromEntries(entries.map(([name, value]) => [name, textOf(value)])) };
}

const show: HandedOut<unknown>["show"] = ({ handle }, { action, tasks }) => coreShown(handle, action, tasks);
const shown: ActionLeaf<unknown> = { runs: nothing, show };
const returning = { ...shown, returns: true } as const;

/** Models write objects for an untyped argument as JSON text. Where a step wants an object or list, such text is taken for one. */
const takeObject: NonNullable<HandedOut<unknown>["take"]> = async (_at, _action, { status, result }) =>
  status !== "failed" && typeof result === "string" && /^\s*[[{]/.test(result)
    ? { outcome: { ok: true, value: objectIn(result) } }
    : undefined;

function objectIn(text: string): Json {
  try {
    const parsed = JSON.parse(text) as Json;
    return isObject(parsed) || Array.isArray(parsed) ? parsed : text;
  } catch {
    return text;
  }
}

const takeOutput: NonNullable<HandedOut<unknown>["take"]> = async (_at, { args, step }, { status, result }) => {
  const format = args["output_format"];
  return status !== "failed" && typeof result === "string" && typeof format === "string"
    ? { outcome: parseOutput(result, format, step) }
    : undefined;
};

/** Leaves that programs of every dialect may use. */
export const coreLeaves: Leaves<unknown> = {
  shell: { perform: performShell, runs: command },
  mcp: { perform: performTool, runs: tool, show, returns: true, take: takeObject },
  // The kernel waits and writes by itself, and asks the person.
  wait: kernelLeaf,
  set: kernelLeaf,
  ask: kernelLeaf,
  user_input: kernelLeaf,
  user_message: { ...shown, alone: ({ args }: Pick<Action, "args">) => textOf(args["message"] ?? "") },
  state_update: { ...shown, alone: () => "" },
  apply_hints: { ...returning, take: takeObject },
  // The agent runs it in its own client, which asks the person itself.
  agent_shell_command: { ...returning, take: takeOutput },
  task: taskLeaf,
  // The kernel hands it out for a `work` block whose strands sub-agents take.
  parallel_tasks: shown,
};

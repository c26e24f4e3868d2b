import { defined, type Json, type JsonObject } from "../base/index.ts";
import type { BlockId, DoBlock, Expr, SeqBlock } from "../program/index.ts";
import { value } from "./blocks.ts";

/** A prompt for an agent, as dialects write it. */
export interface TaskSpec {
  readonly prompt: Expr;
  /** Values that it is about. */
  readonly give?: Json;
  /** Files to read first. */
  readonly files?: readonly string[];
  /** JSON Schema of its result. */
  readonly returns?: JsonObject;
  /** Files that it must leave, relative to the folder of the run. */
  readonly artifacts?: readonly string[];
  /** Command that must succeed afterwards. */
  readonly doneWhen?: string;
  readonly context?: Expr;
  /** What a session that cannot be continued means; without it the step fails. */
  readonly onLostContext?: string;
  readonly permission?: JsonObject;
  readonly agent?: string;
  readonly model?: string;
  /** Name of the role that does it. */
  readonly role?: string;
  /** What the workflow says for all of its steps; weaker than what who drives says. */
  readonly usual?: JsonObject;
  readonly tools?: JsonObject;
  readonly idleMs?: number;
  /** For which failures its `retry` is used: all but those that come again for certain, or only those that pass by themselves. */
  readonly retryOn?: "all" | "transient";
}

/** Arguments of the leaf `task`. Templates in texts of them are filled in. */
export function taskArgs(spec: TaskSpec): Readonly<Record<string, Expr>> {
  const { prompt, context, give, files, returns, artifacts, permission, agent, model, role, usual, tools } = spec;
  const turn = { on_lost_context: spec.onLostContext, idle_ms: spec.idleMs, retry_on: spec.retryOn };
  const values = { give, files, returns, artifacts, permission, agent, model, role, usual, tools, ...turn };
  const given = Object.entries(defined(values)).map(([name, of]) => [name, value(of)] as const);
  return { prompt, ...defined({ context }), ...Object.fromEntries(given) };
}

type Put = (block: DoBlock | SeqBlock) => BlockId;

/** A task that is done when a command says so: both are tried again together. */
export function checkedTask(task: DoBlock, doneWhen: string, put: Put): BlockId {
  const { rescue, timeoutMs, ...plain } = task;
  const blocks = [put(plain), put(checkOf(task.id, doneWhen))];
  return put({ id: `${task.id}$checked`, kind: "seq", blocks, ...defined({ rescue, timeoutMs }) });
}

/** A task and the command that says whether it is done, for a block around them that deals with their failure. */
export function taskBlocks(spec: TaskSpec, head: Pick<DoBlock, "id" | "name" | "as">, put: Put): readonly BlockId[] {
  const task = put({ ...head, kind: "do", who: "agent", what: "task", args: taskArgs(spec), writes: [] });
  return spec.doneWhen === undefined ? [task] : [task, put(checkOf(head.id, spec.doneWhen))];
}

function checkOf(task: BlockId, command: string): DoBlock {
  return {
    id: `${task}$check`,
    kind: "do",
    who: "engine",
    what: "shell",
    args: { command: { as: "command", of: command }, output_format: value("text") },
    writes: [],
  };
}

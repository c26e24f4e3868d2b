import { defined, type Json, type JsonObject } from "../base/index.ts";
import type { BlockId, DoBlock, Expr, Rescue, SeqBlock } from "../program/index.ts";
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
  readonly context?: Expr;
  /** What a session that cannot be continued means; without it the step fails. */
  readonly onLostContext?: string;
  readonly permission?: JsonObject;
  readonly agent?: string;
  readonly model?: string;
  /** What the workflow says for all of its steps; weaker than what who drives says. */
  readonly usual?: JsonObject;
  readonly tools?: JsonObject;
  readonly idleMs?: number;
  /** For which failures its `retry` is used: all but those that come again for certain, or only those that pass by themselves. */
  readonly retryOn?: "all" | "transient";
}

/** Arguments of the leaf `task`. Templates in texts of them are filled in. */
export function taskArgs(spec: TaskSpec): Readonly<Record<string, Expr>> {
  const { prompt, context, give, files, returns, artifacts, permission, agent, model, usual, tools } = spec;
  const turn = { on_lost_context: spec.onLostContext, idle_ms: spec.idleMs, retry_on: spec.retryOn };
  const values = { give, files, returns, artifacts, permission, agent, model, usual, tools, ...turn };
  const given = Object.entries(defined(values)).map(([name, of]) => [name, value(of)] as const);
  return { prompt, ...defined({ context }), ...Object.fromEntries(given) };
}

/** A task that is done when a command says so: both are tried again together. */
export function checkedTask(
  task: DoBlock,
  {
    command,
    rescue,
    put,
  }: { readonly command: Expr; readonly rescue: Rescue | undefined; readonly put: (block: DoBlock | SeqBlock) => BlockId },
): BlockId {
  const { rescue: _own, timeoutMs, ...plain } = task;
  const check: DoBlock = {
    id: `${task.id}$check`,
    kind: "do",
    who: "engine",
    what: "shell",
    args: { command, output_format: value("text") },
    writes: [],
  };
  const blocks = [put(plain), put(check)];
  return put({ id: `${task.id}$checked`, kind: "seq", blocks, ...defined({ rescue, timeoutMs }) });
}

import { defined, type Json, type JsonObject } from "../../../base/index.ts";
import type { BlockId, DoBlock, Expr, Rescue, Write } from "../../../program/index.ts";
import { engineBlock, taskArgs, value, type BlockSheet } from "../../../source/index.ts";
import type { GraphNode, GraphText, NodeContext } from "./graph-definition.ts";
import { environment, filledText, nodePlace, roundPlace, type NodeKeys, type TextScope } from "./graph-expressions.ts";
import { artifactsFolder } from "./prompts-definition.ts";

/** What the parts of a graph are lowered with. */
export interface GraphSheet extends BlockSheet {
  readonly scope: TextScope;
  /** Keys of the nodes that a rejection may open again, and of those that one of the node opens. */
  readonly reopening: ReadonlySet<string>;
  readonly reopenedBy: (node: GraphNode) => readonly string[];
  /** What the workflow says for all of its nodes. */
  readonly usual: JsonObject | undefined;
  readonly uuid: string;
  /** Lowers the nodes of a group. */
  readonly lowerNodes: (id: BlockId, nodes: readonly GraphNode[], sheet: GraphSheet) => BlockId;
}

export interface NodeTask {
  readonly id: BlockId;
  readonly prompt: GraphText;
  /** As agents see it. */
  readonly name: string;
  /** The signal that is looked for in the answer. */
  readonly signal?: string;
  /** In the place of the node's own. */
  readonly session?: Expr;
}

/** A prompt, and what came of it kept under the node's key. */
export function agentNode(node: GraphNode, task: NodeTask, sheet: GraphSheet): readonly BlockId[] {
  const { put } = sheet;
  const said = put({ ...taskBlock(node, task, sheet), as: "said" });
  return [said, put(setBlock(`${task.id}$kept`, [{ path: placeOf(node.block), op: "set", value: value("{{ said }}") }]))];
}

/** A prompt of the node; its result is what is kept of a node. */
export function taskBlock(node: GraphNode, { id, prompt, name, signal, session }: NodeTask, { scope, usual, uuid }: GraphSheet): DoBlock {
  // A node that merely comes after another one, and a further round, can do with what was said there.
  const {
    onLostContext = node.context.kind === "last" || node.does.kind === "loop" ? "replay" : undefined,
    artifacts,
    permission,
    provider,
    model,
    tools,
    idleMs,
    retry,
    returns,
  } = node;
  const args = taskArgs({
    prompt: filledPrompt(prompt, scope),
    ...defined({
      onLostContext,
      artifacts: artifacts?.map((path) => `${artifactsFolder(uuid)}/${path}`),
      permission,
      agent: provider,
      model,
      usual,
      tools,
      idleMs,
      returns,
      retryOn: retry?.on ?? ("transient" as const),
    }),
  });
  const from = { session: session ?? sessionOf(node.context, scope.keys), ...(node.context.kind === "fork" ? { fork: value(true) } : {}) };
  const heard = heardBy(node.context).map((each) => scope.keys[each] ?? each);
  return {
    id,
    kind: "do",
    who: "agent",
    what: "prompts_node",
    args: { ...args, ...from, ...(signal === undefined ? {} : { signal: value(signal) }) },
    writes: [],
    name: value(name),
    ...(heard.length === 0 ? {} : { continues: heard }),
    rescue: rescueOf(retry ?? { times: usualRetries, delayMs: usualDelayMs, on: "transient" }),
  };
}

/** Transient failures of agents are tried again by themselves. */
const usualRetries = 2;
const usualDelayMs = 3000;

function rescueOf({ times, delayMs }: NonNullable<GraphNode["retry"]>): Rescue {
  return { retry: { times, delayMs, factor: 2, capMs: delayMs * 2 ** times }, then: "fail" };
}

const contextNames: ReadonlySet<string> = new Set(["CONTEXT", "EXTERNAL_CONTEXT", "ISSUE_CONTEXT"]);

/** What the run was given as context is added where the prompt does not name it. */
function filledPrompt(prompt: GraphText, scope: TextScope): Expr {
  const filled = filledText(prompt, scope);
  if (prompt.refs.some((ref) => "variable" in ref && contextNames.has(ref.variable))) return filled;
  // People read it behind the prompt before they allow it: by the name that prompts can give it.
  const added = "CONTEXT";
  const given = value(`{{ inputs.context === "" ? "" : "\\n\\n" + inputs.context }}`);
  return { ...filled, of: `${filled.of}$${added}`, with: { ...filled.with, [added]: given } };
}

/** Nodes in whose session it may begin, the nearest first. */
function heardBy(context: NodeContext): readonly string[] {
  if (context.kind === "fresh") return [];
  return context.kind === "fork" ? [context.of] : [...context.of, ...(context.round?.of ?? [])];
}

/** The session that is continued; null for a fresh one. */
function sessionOf(context: NodeContext, keys: NodeKeys): Expr {
  if (context.kind === "fresh") return value(null);
  const [of, round] = context.kind === "fork" ? [[context.of]] : [context.of, context.round];
  return value(`{{ ${firstSession(of, keys, round?.group)} }}`);
}

/** Code that reads the session of the first of the nodes which has one, else the one that the round before of a group ended with. */
export function firstSession(ids: readonly string[], keys: NodeKeys, group?: string): string {
  const places = ids.map((id) => `${nodePlace(keys[id] ?? id)}?.session`);
  return [...places, ...(group === undefined ? [] : [roundPlace(group)]), "null"].join(" ?? ");
}

/** A command of the node. What it printed is kept under the node's key. */
export function shellBlock(node: GraphNode, args: Readonly<Record<string, Expr>>, { scope }: GraphSheet): DoBlock {
  const { id, block, whenLost = "retry", retry, timeoutMs } = node;
  return {
    ...engineBlock(block, "prompts_shell", {
      ...args,
      env: value({ ...environment(scope) }),
      ...(retry === undefined ? {} : { retry_on: value(retry.on) }),
    }),
    whenLost,
    name: value(id),
    writes: [{ path: placeOf(block), op: "set" }],
    ...defined({ timeoutMs, rescue: retry && rescueOf(retry) }),
  };
}

export function placeOf(key: string): Expr {
  return { as: "path", of: nodePlace(key) };
}

export function setNode(key: string, of: Json): Write {
  return { path: placeOf(key), op: "set", value: value(of) };
}

/** Writes that the engine makes by itself. */
export function setBlock(id: BlockId, writes: readonly Write[]): DoBlock {
  return { id, kind: "do", who: "engine", what: "set", args: {}, writes };
}

import { defined, type Json } from "../../../../base/index.ts";
import type { CallInput, GraphNode, NodeContext, NodeWork } from "../graph-definition.ts";
import type { PromptsDefinition } from "../prompts-definition.ts";
import { sessionsBefore, type Waiting } from "./order.ts";

/** A graph that is put in somewhere, with what it includes itself already put in. */
export type Included = Pick<PromptsDefinition, "nodes" | "inputs" | "returns" | "provider" | "model" | "permission">;

/**
 * Nodes with those of other graphs behind each `include`: `<include>/<id>` for `<id>`. What waits for nothing there waits for the `include`,
 * and what waits for the `include` waits for the ends of what it put in. Conversations are continued as if all were written in one file.
 * `round`: the key of the group that they are nodes of, where its rounds continue each other.
 */
export function inlineIncludes(
  nodes: readonly GraphNode[],
  included: (workflow: string) => Included | undefined,
  round?: string,
): readonly GraphNode[] {
  const ends = new Map<string, readonly string[]>();
  const all = nodes.flatMap((node): readonly GraphNode[] => {
    const { id, does } = node;
    if (does.kind === "group") return [{ ...node, does: groupOf(does, included, node.block) }];
    const other = does.kind === "include" ? included(does.workflow) : undefined;
    if (does.kind !== "include" || other?.nodes === undefined) return [node];
    const inside = (each: string): string => `${id}/${each}`;
    ends.set(id, endsOf(other.nodes).map(inside));
    const inputs = { ...presetsOf(other), ...does.inputs };
    const output = outputOf(other.nodes, other.returns).map(inside);
    return [{ ...node, does: { ...does, inputs, output } }, ...other.nodes.map((each) => putIn(each, node, other))];
  });
  if (ends.size === 0) return all;
  const waiting = (node: GraphNode): GraphNode => ({ ...node, dependsOn: node.dependsOn.flatMap((each) => ends.get(each) ?? [each]) });
  return withSessions(
    all.map((node) => (node.within === undefined ? waiting(node) : node)),
    round,
  );
}

type Group = Extract<NodeWork, { readonly kind: "group" }>;

function groupOf(does: Group, included: Parameters<typeof inlineIncludes>[1], key: string): Group {
  if (does.said === undefined) return { ...does, nodes: inlineIncludes(does.nodes, included) };
  const nodes = inlineIncludes(does.nodes, included, key);
  return { ...does, nodes, said: sessionsBefore(layered(nodes), true).after };
}

function putIn(node: GraphNode, { id, block, alwaysRun }: GraphNode, { provider, model, permission }: Included): GraphNode {
  const inside = (each: string): string => `${id}/${each}`;
  const { context, dependsOn, within } = node;
  const own = {
    ...node,
    id: inside(node.id),
    block: `${block}/${node.block}`,
    within: within === undefined ? id : inside(within),
    dependsOn: dependsOn.length === 0 ? [id] : dependsOn.map(inside),
    rule: dependsOn.length === 0 ? ("all_success" as const) : node.rule,
    alwaysRun: alwaysRun || node.alwaysRun,
    context: context.kind === "fork" ? { ...context, of: inside(context.of) } : context,
    does: workInside(node.does, inside, block),
  };
  return within === undefined ? { ...own, usual: defined({ provider, model, permission }) } : own;
}

/** Other nodes that the work of a node names, and the blocks of nodes inside of it. */
function workInside(does: NodeWork, inside: (id: string) => string, block: string): NodeWork {
  if (does.kind === "include") return { ...does, output: does.output.map(inside) };
  if (does.kind === "group") return { ...does, nodes: does.nodes.map((each) => blockInside(each, block)) };
  if (does.kind !== "approval" || does.onReject === undefined) return does;
  return { ...does, onReject: { ...does.onReject, reopens: does.onReject.reopens.map(inside) } };
}

/** Inside of a group nodes keep their ids. */
function blockInside(node: GraphNode, block: string): GraphNode {
  const { context, does } = node;
  const own = does.kind === "group" ? { ...does, nodes: does.nodes.map((each) => blockInside(each, block)) } : does;
  const round = context.kind === "last" ? context.round : undefined;
  const begins = round === undefined ? context : { ...context, round: { ...round, group: `${block}/${round.group}` } };
  return { ...node, block: `${block}/${node.block}`, context: begins, does: own };
}

function presetsOf({ inputs = {} }: Included): Readonly<Record<string, CallInput>> {
  const preset = (value: Json): CallInput => (typeof value === "string" ? { text: { text: value, refs: [] } } : { value });
  return Object.fromEntries(
    Object.entries(inputs).flatMap(([name, spec]) => (spec.default === undefined ? [] : [[name, preset(spec.default)]])),
  );
}

/** Nodes that no other one waits for. */
function endsOf(nodes: readonly GraphNode[]): readonly string[] {
  const needed = new Set(nodes.flatMap(({ dependsOn }) => dependsOn));
  return nodes.map(({ id }) => id).filter((id) => !needed.has(id));
}

/** The nodes whose output is that of a graph: the first of them that was done counts. Without a node that is named, its last one comes first. */
export function outputOf(nodes: readonly GraphNode[], returns?: string): readonly string[] {
  // An `include` with an end that nothing waits for is an end itself.
  const written = returns === undefined ? new Set(endsOf(nodes).map((id) => id.split("/")[0])) : new Set([returns]);
  const last = nodes.filter(({ id }) => written.has(id)).toReversed();
  return last.flatMap(({ id, does }) => (does.kind === "include" && does.output.length > 0 ? does.output : [id]));
}

/** An `include` itself does not count as a layer: what it puts in is beside the nodes that it is beside of. */
function layered(nodes: readonly GraphNode[]): readonly Waiting[] {
  const includes = new Map(nodes.filter(({ does }) => does.kind === "include").map((node) => [node.id, node]));
  const before = (ids: readonly string[]): readonly string[] =>
    ids.flatMap((id) => (includes.has(id) ? before(includes.get(id)!.dependsOn) : [id]));
  return nodes.flatMap(({ id, dependsOn }) => (includes.has(id) ? [] : [{ id, dependsOn: before(dependsOn) }]));
}

function withSessions(nodes: readonly GraphNode[], group: string | undefined): readonly GraphNode[] {
  const { before, after } = sessionsBefore(layered(nodes), group !== undefined);
  const contextOf = (id: string): NodeContext => {
    const { of, round } = before.get(id) ?? { of: [], round: false };
    return { kind: "last", of, ...(round && group !== undefined ? { round: { group, of: after.of } } : {}) };
  };
  return nodes.map((node) => (node.context.kind === "last" ? { ...node, context: contextOf(node.id) } : node));
}

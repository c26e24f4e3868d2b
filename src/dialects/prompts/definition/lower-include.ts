import type { BlockId, Write } from "../../../program/index.ts";
import { value } from "../../../source/index.ts";
import type { GraphNode, NodeWork } from "./graph-definition.ts";
import { callInputs } from "./call-inputs.ts";
import { contextCode, includedPlace, type NodeKeys, type TextScope } from "./graph-expressions.ts";
import { setBlock, setNode, type GraphSheet } from "./node-blocks.ts";

/** It only keeps what the nodes that are put in by it are given: they are nodes of the same graph. */
export function lowerInclude(
  { block }: GraphNode,
  does: Extract<NodeWork, { readonly kind: "include" }>,
  sheet: GraphSheet,
): readonly BlockId[] {
  const place = includedPlace(block);
  const given = Object.entries(callInputs(does, sheet)).map(([name, of]): Write => ({
    path: { as: "path", of: `${place}[${JSON.stringify(name)}]` },
    op: "set",
    value: of,
  }));
  const context = value({ context: `{{ ${contextCode(sheet.scope)} }}` });
  const writes: Write[] = [{ path: { as: "path", of: place }, op: "set", value: context }, ...given];
  return [sheet.put(setBlock(block, [...writes, setNode(block, { status: "completed", output: "" })]))];
}

/** What the texts of each node can name, by the `include` that put it in. What is around an `include` cannot be named inside. */
export function scopesOf(nodes: readonly GraphNode[], around: TextScope): ReadonlyMap<string | undefined, TextScope> {
  const scopes = new Map<string | undefined, TextScope>([[undefined, { ...around, keys: { ...around.keys, ...keysOf(nodes) } }]]);
  for (const { id, block, does } of nodes)
    if (does.kind === "include") scopes.set(id, { ...around, keys: keysOf(nodes, id), included: block, inputs: Object.keys(does.inputs) });
  return scopes;
}

/** Of the nodes that are written in one file, or that one `include` puts in. An `include` is known by what its output is. */
export function keysOf(nodes: readonly GraphNode[], within?: string): NodeKeys {
  const blocks = blocksOf(nodes);
  const named = nodes.filter((node) => node.within === within);
  return Object.fromEntries(
    named.map(({ id, block, does }) => {
      const keys = does.kind === "include" ? does.output.flatMap((each) => blocks[each] ?? []) : [];
      return [within === undefined ? id : id.slice(within.length + 1), keys.length === 0 ? [block] : keys];
    }),
  );
}

/** By the ids of all nodes of a graph, or a group. */
export function blocksOf(nodes: readonly GraphNode[]): GraphSheet["beside"] {
  return Object.fromEntries(nodes.map(({ id, block }) => [id, block]));
}

/** The node that is written last. */
export function lastOf(nodes: readonly GraphNode[]): string {
  return nodes.findLast(({ within }) => within === undefined)?.id ?? "";
}

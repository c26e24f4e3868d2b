import type { GraphNode } from "./graph-definition.ts";
import { ancestorsOf } from "./graph/order.ts";

/** Keys of what a rejection of the node opens again: what it names, all that waits for that, and what is in groups of these. `nodes`: of its level. */
export function reopenedBy({ does }: GraphNode, nodes: readonly GraphNode[]): readonly string[] {
  const named = does.kind === "approval" ? (does.onReject?.reopens ?? []) : [];
  if (named.length === 0) return [];
  const before = ancestorsOf(nodes);
  return keysOf(nodes.filter(({ id }) => named.includes(id) || named.some((each) => before(id).has(each))));
}

function keysOf(nodes: readonly GraphNode[]): readonly string[] {
  return nodes.flatMap(({ block, does }) => [block, ...(does.kind === "group" ? keysOf(does.nodes) : [])]);
}

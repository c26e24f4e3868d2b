import { didYouMean, suggest, type SourceNode } from "../../../../source/index.ts";
import type { GraphFiles } from "../graph/graph-nodes.ts";

/** Nodes by their ids. */
export type NodesById = ReadonlyMap<string, SourceNode>;

/** A graph, or the nodes of a group, and what is around it. */
export interface Level {
  readonly here: NodesById;
  /** Nodes outside of the group that have run before it begins. */
  readonly above: NodesById;
  /** All nodes outside of it. */
  readonly outside: NodesById;
  /** Nodes that are in groups, with the groups. */
  readonly inGroups: ReadonlyMap<string, string>;
  readonly inGroup: boolean;
  /** Names of inputs; undefined when the file declares none. */
  readonly inputs: readonly string[] | undefined;
  readonly files: Pick<GraphFiles, "prompts">;
}

/** A complaint about a name that no node has. */
export function unknownNode(name: string, known: Iterable<string>): { code: string; message: string; fix: string } {
  const names = [...known];
  return {
    code: "PROMPTS_UNKNOWN_NODE",
    message: `There is no node \`${name}\`.`,
    fix: didYouMean(name, names) ?? suggest(name, names) ?? "Correct the name, or add the node.",
  };
}

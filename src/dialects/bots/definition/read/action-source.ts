import { child, flagAt, type SourceNode } from "../../../../source/index.ts";
import { plainName } from "../vocabulary.ts";

/** One place that says something about an action: a configuration, the folder it is in, or both. */
export interface ActionPart {
  readonly node?: SourceNode;
  /** Folder with instructions and trigger words, below the bot's folder. */
  readonly folder?: string;
}

/** An action as its files describe it, before it has a place in a sequence. */
export interface ActionSource {
  readonly name: string;
  /** Name of its folder without number; its own name when it has none. */
  readonly folder: string;
  /** What is common to all behaviours first; later parts win. */
  readonly parts: readonly ActionPart[];
  /** Where `order` and `next_action` are read from; later ones win. */
  readonly placing: readonly SourceNode[];
  /** File it comes from, below the bot's folder. */
  readonly file: string;
  /** Written in the form in which `next_action` may be missing or name nothing. */
  readonly later: boolean;
  /** Named in a behaviour's own list, which makes it part of the sequence unless it is independent. */
  readonly listed?: boolean;
  /** Place in that list, where it decides. */
  readonly position?: number;
}

/** The value of a key where it is said last. */
export function pick(nodes: readonly SourceNode[], key: string): SourceNode | undefined {
  return nodes.map((node) => child(node, key)).findLast((found) => found !== undefined);
}

export function nodesOf(action: Pick<ActionSource, "parts">): SourceNode[] {
  return action.parts.flatMap(({ node }) => (node === undefined ? [] : [node]));
}

/** Whether the action has a place in the sequence. A file that does not say so, or says it wrongly, is judged by its order. */
export function inSequence(action: ActionSource): boolean {
  const said = nodesOf(action)
    .map((node) => flagAt(node, "workflow"))
    .findLast((flag) => flag !== undefined);
  return said ?? (action.listed === true || typeof pick(action.placing, "order")?.value === "number");
}

/** Finds an action by its name, else by the name of its folder. */
export function findAction<A extends { readonly name: string; readonly folder: string }>(
  actions: readonly A[],
  name: string,
): A | undefined {
  const plain = plainName(name);
  return actions.find((action) => action.name === plain) ?? actions.find((action) => action.folder === plain);
}

const laterKeys: readonly string[] = ["auto_confirm", "skip_confirm", "action_class", "wait_until_complete"];

/** Whether a configuration has keys that came with the later form. */
export function hasLaterKeys(node: SourceNode): boolean {
  return laterKeys.some((key) => child(node, key) !== undefined);
}

import { defined, isObject, type JsonObject } from "../../../base/index.ts";
import { mainScope, readListName } from "../../../kernel/index.ts";
import type { EngineContext, RunHandle } from "../../../engine/index.ts";
import type { Item, ItemStatus } from "../../../program/index.ts";
import type { GraphNode } from "../definition/index.ts";
import { definitionOf } from "./definition-of.ts";
import { lostOf, type LostOfNode } from "./lost-items.ts";

/** A node of a graph, and what has become of it so far. */
export interface NodeRow extends JsonObject {
  /** As texts name it; one of a group behind the group: `rework/check`. */
  readonly id: string;
  /** The key that makes it what it is: `prompt`, `bash`, `loop_group` ... */
  readonly kind: string;
  /** The group that it is a node of. */
  readonly group?: string;
  readonly status: ItemStatus;
  /** Why it was skipped, failed, or is done again; what failed of one that is done for each item of a list. */
  readonly reason?: string;
}

/** What failed of the nodes of a run that are done for each item of a list, and are done. */
export async function lostItems(engine: EngineContext, handle: RunHandle): Promise<readonly LostOfNode[]> {
  const nodes = definitionOf(handle)?.nodes;
  const rows = nodes && (await nodeRows(engine, handle));
  const done = new Set((rows ?? []).flatMap(({ id, status }) => (status === "completed" ? [id] : [])));
  return allNodes(nodes ?? []).flatMap((node) => (done.has(node.block) ? (lostOf(handle, node) ?? []) : []));
}

/** Those of groups are behind them. */
function allNodes(nodes: readonly GraphNode[]): readonly GraphNode[] {
  return nodes.flatMap((node) => (node.does.kind === "group" ? [node, ...allNodes(node.does.nodes)] : [node]));
}

/**
 * The nodes of a run's own graph in the order of its file, those of a group behind it as its last round left them. Undefined where the
 * run is not one of a graph.
 */
export async function nodeRows(engine: EngineContext, handle: RunHandle): Promise<readonly NodeRow[] | undefined> {
  const nodes = definitionOf(handle)?.nodes;
  if (nodes === undefined) return undefined;
  const lists = await engine.store.itemLists(handle.id);
  return new NodeReader(engine, handle, lists).rows(nodes, "$nodes");
}

class NodeReader {
  readonly #engine: EngineContext;
  readonly #handle: RunHandle;
  readonly #lists: readonly string[];

  constructor(engine: EngineContext, handle: RunHandle, lists: readonly string[]) {
    this.#engine = engine;
    this.#handle = handle;
    this.#lists = lists;
  }

  /** `above`: the group that the nodes are of. */
  async rows(nodes: readonly GraphNode[], block: string, above?: NodeRow): Promise<readonly NodeRow[]> {
    const items = await this.#items(nodes, block, above);
    const rows: NodeRow[] = [];
    for (const node of nodes) {
      const row = this.#row(node, items.get(node.id), above);
      rows.push(row);
      if (node.does.kind === "group") rows.push(...(await this.rows(node.does.nodes, `${node.block}$nodes`, row)));
    }
    return rows;
  }

  /** Of the list that was filled last; none while the group has not begun, whatever an earlier try of it has left. */
  async #items(nodes: readonly GraphNode[], block: string, above: NodeRow | undefined): Promise<ReadonlyMap<string, Item>> {
    const { store } = this.#engine;
    if (above?.status === "pending" || above?.status === "skipped") return new Map();
    const own = this.#lists.filter((list) => readListName(list)?.block === block);
    const last = own.toSorted((a, b) => (readListName(a)?.number ?? 0) - (readListName(b)?.number ?? 0)).at(-1);
    const items = last === undefined ? [] : await store.selectItems(this.#handle.id, { list: last, query: {}, limit: nodes.length });
    return new Map(items.map((item) => [item.id, item]));
  }

  #row({ block, dependsOn, does, rule }: GraphNode, item: Item | undefined, above: NodeRow | undefined): NodeRow {
    const { status = "pending", reason } = (item === undefined ? undefined : this.#stateOf(item)) ?? notBegun(above);
    // Why one that is done was done again no longer matters.
    const why = status === "completed" ? this.#whatFailed(block) : (reason ?? (status === "pending" ? this.#whyOpen() : undefined));
    const needs = dependsOn.length === 0 ? {} : { depends_on: [...dependsOn], trigger_rule: rule };
    const attempts = (item?.attempts ?? 0) > 1 ? { attempts: item?.attempts } : {};
    const group = above === undefined ? {} : { group: above.id };
    return { id: block, kind: wordOf(does), ...group, status, ...defined({ reason: why }), ...needs, ...defined(attempts) };
  }

  /** A node that is ready waits until someone begins it. */
  #stateOf(item: Item): Pick<Item, "status" | "reason"> {
    const strand = Object.values(this.#handle.state.strands).find((each) => each.item?.list === item.list && each.item.id === item.id);
    const isWaiting = item.status === "in_progress" && strand?.fence === 0 && strand.waits?.on === "action";
    return isWaiting ? { ...item, status: "pending" } : item;
  }

  /** Of a node that is done for each item of a list: those that failed without failing the node. */
  #whatFailed(block: string): string | undefined {
    const kept = this.#handle.state.scopes[mainScope]?.raw["nodes"];
    const node = isObject(kept) ? kept[block] : undefined;
    return isObject(node) && typeof node["reason"] === "string" ? node["reason"] : undefined;
  }

  /** What has not begun when its run ends does not begin any more. */
  #whyOpen(): string | undefined {
    const { status, error } = this.#handle.state;
    return status === "running" ? undefined : `the run ended before it began: ${error?.message ?? status}`;
  }
}

function notBegun(above: NodeRow | undefined): Partial<Pick<Item, "status" | "reason">> {
  return above?.status === "skipped" ? { status: "skipped", reason: `\`${above.id}\` was skipped` } : {};
}

function wordOf(does: GraphNode["does"]): string {
  switch (does.kind) {
    case "prompt":
      return does.command === undefined ? "prompt" : "command";
    case "shell":
      return "bash";
    case "group":
      return "loop_group";
    case "call":
      return "workflow";
    default:
      return does.kind;
  }
}

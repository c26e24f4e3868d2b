import { defined } from "../../../base/index.ts";
import { readListName, type Event, type EventOf } from "../../../kernel/index.ts";
import type { GraphNode } from "../definition/index.ts";
import type { Dated, LoggedRecord, LoggedRun } from "./log-line.ts";

/** A node that is under way. */
interface Open {
  readonly node: GraphNode;
  /** When its try began; undefined while its rule is judged. */
  begun?: number;
  /** Rounds of its loop, and when the one under way began. */
  rounds: number;
  roundBegun?: number;
  /** The round under way is entered again after a failure. */
  inside: boolean;
  attempt: number;
  /** Why it was opened again. */
  reason?: string;
  error?: string;
  used: Used;
}

interface Used {
  readonly tokens?: number;
  readonly cost_usd?: number;
}

/** Whose turn an action was. */
export interface ActionNode {
  readonly node: GraphNode;
  /** The strand of the node. */
  readonly strand: string;
}

export interface NodeLines {
  readonly lines: readonly Dated[];
  readonly actions: ReadonlyMap<string, ActionNode>;
}

/** What the journal tells of the nodes of a graph. Each line depends only on what happened before it, so it never changes. */
export function nodeLines(run: LoggedRun, records: readonly LoggedRecord[]): NodeLines {
  const reader = new NodeReader(run);
  for (const record of records) reader.read(record);
  return reader;
}

class NodeReader implements NodeLines {
  readonly lines: Dated[] = [];
  readonly actions = new Map<string, ActionNode>();
  readonly #run: LoggedRun;
  /** Nodes by the block that goes through them, then by their ids. */
  readonly #nodes: ReadonlyMap<string, ReadonlyMap<string, GraphNode>>;
  /** By strand. */
  readonly #open = new Map<string, Open>();
  readonly #parents = new Map<string, string>();
  /** Statuses by list, then by node. */
  readonly #statuses = new Map<string, Map<string, string>>();
  /** Why nodes are open again, by list and id. */
  readonly #reasons = new Map<string, string>();
  #at = 0;

  constructor(run: LoggedRun) {
    this.#run = run;
    this.#nodes = nodesBelow("$nodes", run.definition.nodes ?? []);
  }

  read({ at, events }: LoggedRecord): void {
    this.#at = at;
    const closed = events.find((event) => event.type === "action_closed");
    for (const event of events) this.#event(event, closed?.action);
  }

  #event(event: Event, closed: string | undefined): void {
    switch (event.type) {
      case "started":
        return this.#add({ type: "workflow_start", workflow_name: this.#run.definition.name, content: this.#run.message });
      case "reopened":
        return this.#add({ type: "workflow_resume", workflow_name: this.#run.definition.name });
      case "ended":
        return this.#ended(event);
      case "strand_opened":
        return this.#opened(event);
      case "entered":
        return this.#entered(event);
      case "left":
        return this.#left(event);
      case "failed":
        return this.#failed(event);
      case "action_opened":
        return this.#acted(event);
      case "spent":
        return this.#spent(event, event.action ?? event.settles ?? closed);
      case "items_added":
        return this.#filled(event);
      case "item_moved":
        return this.#moved(event.move);
      case "items_swept":
        return this.#swept(event);
      default:
    }
  }

  #add(line: Omit<Dated, "at">): void {
    this.lines.push({ at: this.#at, ...line });
  }

  #ended({ status, error }: EventOf<"ended">): void {
    if (status === "completed") this.#add({ type: "workflow_complete" });
    else this.#add({ type: "workflow_error", error: error?.message ?? `The run was ${status}.` });
  }

  #opened({ strand, parent, item }: EventOf<"strand_opened">): void {
    if (parent !== undefined) this.#parents.set(strand, parent);
    const node = item && this.#nodes.get(readListName(item.list)?.block ?? "")?.get(item.id);
    if (node === undefined || item === undefined) return;
    const reason = this.#reasons.get(`${item.list}/${item.id}`);
    this.#reasons.delete(`${item.list}/${item.id}`);
    this.#open.set(strand, { node, rounds: 0, inside: false, attempt: 1, used: {}, ...defined({ reason }) });
  }

  /** A node begins with the first block behind its rule and condition. */
  #entered({ strand, frame }: EventOf<"entered">): void {
    const open = this.#open.get(strand);
    if (open === undefined || frame.kind === "rescue" || isJudging(open.node, frame.block)) return;
    if ((frame.tries ?? 0) > 0 && open.error !== undefined) return this.#again(open, (frame.tries ?? 0) + 1);
    this.#begin(open);
    if (frame.kind === "repeat" && isLoop(open.node) && frame.block === `${open.node.block}$rounds`) {
      open.rounds = frame.round;
      open.inside = frame.inside;
    }
    if (frame.block !== `${open.node.block}$round`) return;
    if (!open.inside) open.rounds += 1;
    open.inside = false;
    open.roundBegun = this.#at;
    this.#add({ type: "node_start", step: open.node.block, iteration: open.rounds });
  }

  #begin(open: Open): void {
    if (open.begun !== undefined) return;
    open.begun = this.#at;
    const { attempt, reason } = open;
    this.#add({ type: "node_start", step: open.node.block, ...(attempt > 1 ? { attempt } : {}), ...defined({ reason }) });
  }

  /** Blocks of the node that are tried again are another try of the node. */
  #again(open: Open, attempt: number): void {
    this.#add({ type: "node_error", ...this.#sumOf(open), ...defined({ error: open.error }) });
    Object.assign(open, { attempt, begun: undefined, error: undefined, used: {} });
    this.#begin(open);
  }

  #left({ strand, block, how }: EventOf<"left">): void {
    const open = this.#open.get(strand);
    if (open?.roundBegun === undefined || block !== `${open.node.block}$round`) return;
    const round = { step: open.node.block, iteration: open.rounds, duration_ms: this.#at - open.roundBegun };
    delete open.roundBegun;
    if (how === "done") this.#add({ type: "node_complete", ...round });
  }

  #failed({ strand, error }: EventOf<"failed">): void {
    const open = this.#open.get(strand);
    if (open !== undefined) open.error = error.message;
  }

  #acted({ action }: EventOf<"action_opened">): void {
    const strand = this.#nodeAround(action.strand);
    const open = strand === undefined ? undefined : this.#open.get(strand);
    if (strand !== undefined && open !== undefined) this.actions.set(action.id, { node: open.node, strand });
  }

  /** The strand of the node that a strand is of, or is below of. */
  #nodeAround(strand: string | undefined): string | undefined {
    if (strand === undefined || this.#open.has(strand)) return strand;
    return this.#nodeAround(this.#parents.get(strand));
  }

  /** What a turn used is known with its report, or later: then the node may be over. */
  #spent({ tokens, money }: EventOf<"spent">, action: string | undefined): void {
    const of = action === undefined ? undefined : this.actions.get(action);
    const used = defined({ tokens, cost_usd: money });
    if (of === undefined || Object.keys(used).length === 0) return;
    const open = this.#open.get(of.strand);
    if (open === undefined) return this.#add({ type: "node_usage", step: of.node.block, ...used });
    open.used = { ...open.used, ...addUsed(open.used, used) };
  }

  #filled({ list, items }: EventOf<"items_added">): void {
    if (this.#nodes.has(readListName(list)?.block ?? "")) this.#statuses.set(list, new Map(items.map(({ id, status }) => [id, status])));
  }

  /** What had not begun when its run or its group ended. */
  #swept({ list, from, to, reason }: EventOf<"items_swept">): void {
    const statuses = this.#statuses.get(list) ?? new Map<string, string>();
    for (const [id, status] of statuses) {
      if (status !== from) continue;
      statuses.set(id, to);
      const node = this.#nodes.get(readListName(list)?.block ?? "")?.get(id);
      if (node !== undefined && to === "skipped") this.#add({ type: "node_skipped", step: node.block, reason });
    }
  }

  #moved({ list, id, from, to, reason }: EventOf<"item_moved">["move"]): void {
    this.#statuses.get(list)?.set(id, to);
    if (!this.#statuses.has(list)) return;
    if (to === "pending" && typeof reason === "string") this.#reasons.set(`${list}/${id}`, reason);
    if (from !== "in_progress") return;
    const node = this.#nodes.get(readListName(list)?.block ?? "")?.get(id);
    const [strand, open] = [...this.#open].find(([, each]) => each.node === node) ?? [];
    if (strand === undefined || open === undefined) return;
    this.#open.delete(strand);
    this.#settle(open, to, typeof reason === "string" ? reason : undefined);
  }

  #settle(open: Open, to: string, reason: string | undefined): void {
    if (to === "skipped") return this.#add({ type: "node_skipped", ...this.#sumOf(open), ...defined({ reason }) });
    if (to !== "completed") this.#begin(open);
    if (to === "completed") this.#add({ type: "node_complete", ...this.#sumOf(open) });
    else this.#add({ type: "node_error", ...this.#sumOf(open), error: to === "failed" ? (reason ?? "") : `stopped: ${reason ?? to}` });
  }

  #sumOf({ node, begun, rounds, used }: Open): Omit<Dated, "at" | "type"> {
    const duration = begun === undefined ? {} : { duration_ms: this.#at - begun };
    return { step: node.block, ...duration, ...(rounds > 0 ? { iterations: rounds } : {}), ...used };
  }
}

function isLoop({ does }: GraphNode): boolean {
  return does.kind === "loop" || does.kind === "group";
}

function addUsed(one: Used, other: Used): Used {
  const sum = (of: keyof Used): number | undefined =>
    one[of] === undefined && other[of] === undefined ? undefined : (one[of] ?? 0) + (other[of] ?? 0);
  return defined({ tokens: sum("tokens"), cost_usd: sum("cost_usd") });
}

const judging: ReadonlySet<string> = new Set([
  "node",
  "when",
  "outside",
  "outside$kept",
  "outside$leave",
  "skip",
  "skip$kept",
  "skip$leave",
  "off",
  "off$kept",
  "off$leave",
  "unread",
]);

/** Whether a block only decides if the node runs. */
function isJudging({ block }: GraphNode, id: string): boolean {
  return id.startsWith(`${block}$`) && judging.has(id.slice(block.length + 1));
}

function nodesBelow(work: string, nodes: readonly GraphNode[]): ReadonlyMap<string, ReadonlyMap<string, GraphNode>> {
  const inner = nodes.flatMap(({ block, does }) => (does.kind === "group" ? [...nodesBelow(`${block}$nodes`, does.nodes)] : []));
  return new Map([[work, new Map(nodes.map((node) => [node.id, node]))], ...inner]);
}

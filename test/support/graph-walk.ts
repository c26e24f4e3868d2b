import fc from "fast-check";
import { GraphRun } from "./graph-run.ts";
import { openTestEngine, type TestEngine } from "./test-engine.ts";

const rules = ["all_success", "one_success", "none_failed_min_one_success", "all_done"] as const;

/** A node of a made graph. It depends on nodes before it. */
interface MadeNode {
  readonly id: string;
  readonly above: readonly string[];
  readonly rule: (typeof rules)[number];
  /** Its condition: that the output of a node above is, or is not, `x`. */
  readonly when?: { readonly id: string; readonly is: boolean };
  readonly alwaysRun: boolean;
  /** Those above it, however far, that a retry runs again: it waits for them too. */
  readonly again: readonly string[];
  /** An approval whose rejection opens this node above it again. */
  readonly reopens?: string;
  /** An `include` with the nodes of the other file. */
  readonly inner?: readonly MadeNode[];
  /** The `include` that puts it in. */
  readonly within?: string;
}

interface Outcome {
  readonly status: "pending" | "in_progress" | "completed" | "skipped" | "failed";
  readonly output?: string;
}

/** What ought to become of a graph: its rules over the statuses as they are. */
class Model {
  readonly nodes: readonly MadeNode[];
  readonly now = new Map<string, Outcome>();

  constructor(nodes: readonly MadeNode[]) {
    this.nodes = nodes;
    for (const { id } of nodes) this.now.set(id, { status: "pending" });
    this.judge();
  }

  /** Nodes are in an order in which each is behind those that it depends on. */
  judge(): void {
    const isOpen = (id: string): boolean => ["pending", "in_progress"].includes(this.now.get(id)?.status ?? "");
    for (const { id, above, again, rule, when, inner, within } of this.nodes) {
      const seen = above.map((each) => this.now.get(each)?.status);
      if (this.now.get(id)?.status !== "pending" || [...above, ...again].some(isOpen)) continue;
      const [won, lost] = [seen.includes("completed"), seen.includes("failed")];
      const all = seen.every((status) => status === "completed");
      const runs =
        { all_success: all, one_success: won, none_failed_min_one_success: won && !lost, all_done: true }[rule] || seen.length === 0;
      const named = when && this.now.get(when.id);
      const isOut = within !== undefined && this.now.get(within)?.status !== "completed";
      // What is put in begins by itself.
      const begun: Outcome = inner === undefined ? { status: "in_progress" } : { status: "completed", output: "" };
      if (!runs || isOut) this.now.set(id, { status: "skipped" });
      else if (named?.status === "failed") this.now.set(id, { status: "failed" });
      else this.now.set(id, when === undefined || ((named?.output ?? "") === "x") === when.is ? begun : { status: "skipped" });
    }
  }

  /** What comes after a node that is done again is done again too. */
  reopen(id: string): void {
    this.now.set(id, { status: "pending" });
    for (const each of this.nodes) if (each.above.includes(id)) this.reopen(each.id);
  }

  /** Nodes with `always_run` are done again by themselves: what is done behind them stays done. */
  retry(): void {
    for (const { id } of this.nodes) if (this.now.get(id)?.status === "failed") this.reopen(id);
    for (const { id, alwaysRun } of this.nodes) if (alwaysRun) this.now.set(id, { status: "pending" });
  }

  get status(): string {
    const all = [...this.now.values()].map(({ status }) => status);
    if (all.some((status) => status === "pending" || status === "in_progress")) return "running";
    return all.includes("failed") || !all.includes("completed") ? "failed" : "completed";
  }
}

/** Names of the nodes that are above a node. */
function allAbove(nodes: readonly MadeNode[], above: readonly string[]): readonly string[] {
  return [...new Set(above.flatMap((id) => [id, ...allAbove(nodes, nodes.find((node) => node.id === id)?.above ?? [])]))];
}

type Pick = (below: number) => number;

/** Nodes of one file; some of them include another one. */
function makeNodes(pick: Pick, count: number, includes: boolean): readonly MadeNode[] {
  const nodes: MadeNode[] = [];
  while (nodes.length < count) {
    const before = nodes.map(({ id }) => id);
    const above = before.filter(() => pick(3) === 0).slice(0, 3);
    const named = above[pick(Math.max(1, above.length))];
    const isInclude = nodes.some(({ id, inner }) => id === named && inner !== undefined);
    const when = named !== undefined && !isInclude && pick(3) === 0 ? { when: { id: named, is: pick(2) === 0 } } : {};
    const back = allAbove(nodes, above);
    const reopens = back.length > 0 && pick(3) === 0 ? { reopens: back[pick(back.length)]! } : {};
    const again = againAbove(nodes, above);
    // Rows of such nodes are common: a chain of them is opened node by node.
    const alwaysRun = pick(again.length === 0 ? 4 : 2) === 0;
    const does = includes && pick(4) === 0 ? { inner: makeNodes(pick, 1 + pick(3), false) } : reopens;
    nodes.push({ id: `n${nodes.length}`, above, rule: rules[pick(4)]!, alwaysRun, again, ...when, ...does });
  }
  return nodes;
}

function againAbove(nodes: readonly MadeNode[], above: readonly string[]): readonly string[] {
  const back = allAbove(nodes, above);
  return nodes.flatMap(({ id, alwaysRun }) => (alwaysRun && back.includes(id) ? [id] : []));
}

/** As if all nodes were written in one file. */
function putIn(nodes: readonly MadeNode[]): readonly MadeNode[] {
  const ends = new Map(
    nodes.flatMap(({ id, inner = [] }) => {
      const last = inner.filter((each) => !inner.some(({ above }) => above.includes(each.id)));
      return last.length === 0 ? [] : [[id, last.map((each) => `${id}/${each.id}`)] as const];
    }),
  );
  const flat = nodes.flatMap((node) => [
    { ...node, above: node.above.flatMap((each) => ends.get(each) ?? [each]) },
    ...(node.inner ?? []).map((each) => inside(each, node)),
  ]);
  return flat.map((node) => ({ ...node, again: againAbove(flat, node.above) }));
}

function inside(node: MadeNode, { id, alwaysRun }: MadeNode): MadeNode {
  const named = (each: string): string => `${id}/${each}`;
  const { above, when, reopens } = node;
  return {
    ...node,
    id: named(node.id),
    above: above.length === 0 ? [id] : above.map(named),
    rule: above.length === 0 ? "all_success" : node.rule,
    alwaysRun: alwaysRun || node.alwaysRun,
    within: id,
    ...(when === undefined ? {} : { when: { ...when, id: named(when.id) } }),
    ...(reopens === undefined ? {} : { reopens: named(reopens) }),
  };
}

function written(name: string, { id, above, rule, when, alwaysRun, reopens, inner }: MadeNode): object {
  const common = {
    id,
    ...(above.length === 0 ? {} : { depends_on: above, trigger_rule: rule }),
    ...(when === undefined ? {} : { when: `$${when.id}.output ${when.is ? "==" : "!="} 'x'` }),
    ...(alwaysRun ? { always_run: true } : {}),
  };
  if (inner !== undefined) return { ...common, include: `${name}-${id}` };
  if (reopens === undefined) return { ...common, prompt: "Do it." };
  return { ...common, approval: { message: "Good?", on_reject: { reopens: [reopens], max_attempts: 10 } } };
}

/** What walks came to, so that a test can see that they met what they are about. */
export interface GraphSum {
  walks: number;
  steps: number;
  kills: number;
  retries: number;
  rejections: number;
  skips: number;
  includes: number;
}

const mostSteps = 24;

class GraphWalk {
  readonly #pick: Pick;
  readonly #run: GraphRun;
  readonly #model: Model;
  readonly #sum: GraphSum;
  #rejections = 0;
  #log: readonly string[] = [];
  readonly #did: string[] = [];

  constructor(run: GraphRun, nodes: readonly MadeNode[], pick: Pick, sum: GraphSum) {
    [this.#run, this.#model, this.#pick, this.#sum] = [run, new Model(putIn(nodes)), pick, sum];
  }

  async toEnd(): Promise<void> {
    await this.#compare();
    for (let step = 0; step < mostSteps && (await this.#step()); step += 1) {
      this.#sum.steps += 1;
      this.#model.judge();
      await this.#compare();
    }
  }

  /** False when nothing is left to do. */
  async #step(): Promise<boolean> {
    const model = this.#model;
    if (this.#pick(6) === 0) {
      this.#sum.kills += 1;
      this.#did.push("kill");
      await this.#run.kill();
    }
    if (model.status === "failed" && this.#pick(4) > 0) {
      this.#sum.retries += 1;
      this.#did.push("retry");
      await this.#run.retry();
      model.retry();
      return true;
    }
    const open = model.nodes.filter(({ id }) => model.now.get(id)?.status === "in_progress");
    const node = open[this.#pick(Math.max(1, open.length))];
    if (node === undefined) return false;
    await (node.reopens === undefined ? this.#answerPrompt(node.id) : this.#answerQuestion(node.id, node.reopens));
    return true;
  }

  async #answerPrompt(id: string): Promise<void> {
    if (this.#pick(3) === 0) {
      this.#did.push(`${id} fails`);
      await this.#run.fail(id);
      this.#model.now.set(id, { status: "failed" });
      return;
    }
    const output = this.#pick(2) === 0 ? "x" : "y";
    this.#did.push(`${id} ${output}`);
    await this.#run.done(id, output);
    this.#model.now.set(id, { status: "completed", output });
  }

  async #answerQuestion(id: string, reopens: string): Promise<void> {
    if (this.#rejections < 9 && this.#pick(2) === 0) {
      this.#rejections += 1;
      this.#sum.rejections += 1;
      this.#did.push(`${id} rejected`);
      await this.#run.decide(id, "reject");
      return this.#model.reopen(reopens);
    }
    this.#did.push(`${id} approved`);
    await this.#run.decide(id, "approve");
    this.#model.now.set(id, { status: "completed", output: "" });
  }

  async #compare(): Promise<void> {
    const rows = await this.#run.rows();
    const outputs = await this.#run.outputs();
    const seen = rows.map(({ id, status }) => [id, status === "completed" ? { status, output: outputs[id] } : { status }]);
    const wanted = [...this.#model.now];
    if (JSON.stringify(seen) !== JSON.stringify(wanted))
      throw new Error(`after ${this.#did.join(", ")}\nis ${JSON.stringify(seen)}\nnot ${JSON.stringify(wanted)}`);
    const silent = rows.find(({ status, reason = "" }) => status === "skipped" && reason.trim() === "");
    if (silent !== undefined) throw new Error(`${silent.id} is skipped without a reason`);
    this.#sum.skips += rows.filter(({ status }) => status === "skipped").length;
    const status = await this.#run.status();
    if (status !== this.#model.status) throw new Error(`the run is ${status}, not ${this.#model.status}`);
    const log = await this.#run.log();
    const changed = this.#log.find((line, at) => log[at] !== line);
    if (changed !== undefined) throw new Error(`the line ${changed} of the log has changed`);
    this.#log = log;
  }
}

/** Walks through made graphs as a property: rejects with what is not as the model says. */
export async function walkGraphs(walks: number): Promise<GraphSum> {
  const sum: GraphSum = { walks: 0, steps: 0, kills: 0, retries: 0, rejections: 0, skips: 0, includes: 0 };
  const engine: TestEngine = await openTestEngine();
  try {
    await fc.assert(
      fc.asyncProperty(fc.gen(), async (gen) => {
        const pick: Pick = (below) => gen(fc.nat, { max: below - 1 });
        const nodes = makeNodes(pick, 1 + pick(8), true);
        sum.walks += 1;
        const name = `walk-${sum.walks}`;
        const file = (of: readonly MadeNode[]): readonly object[] => of.map((node) => written(name, node));
        for (const { id, inner = [] } of nodes.filter((node) => node.inner !== undefined)) {
          sum.includes += 1;
          const other = `name: ${name}-${id}\ndescription: A case.\nnodes: ${JSON.stringify(file(inner))}\n`;
          await engine.write(`.archon/workflows/${name}-${id}.yaml`, other);
        }
        const run = await GraphRun.start(engine, name, file(nodes));
        try {
          await new GraphWalk(run, nodes, pick, sum).toEnd();
        } catch (error) {
          throw new Error(`${JSON.stringify(nodes)}\n${(error as Error).message}`, { cause: error });
        } finally {
          if (run.engine !== engine) await run.engine.close();
        }
      }),
      // A walk that fails says all that happened: a shorter one would cost many walks.
      { numRuns: walks, endOnFailure: true },
    );
  } finally {
    await engine.close();
  }
  return sum;
}

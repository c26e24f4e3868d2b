import { logOf, nodeRows, type NodeRow } from "../../src/dialects/prompts/run/index.ts";
import { answer, next, recordUse, type Caller, report, retry, start, type ReportRequest } from "../../src/engine/index.ts";
import { defined, type Json } from "../../src/base/index.ts";
import { mainScope } from "../../src/kernel/index.ts";
import type { TestEngine } from "./test-engine.ts";

/** A run of a graph, whose prompts a test answers in any order. */
export class GraphRun {
  engine: TestEngine;
  readonly id: string;

  readonly #began: TestEngine;

  private constructor(engine: TestEngine, id: string) {
    this.engine = this.#began = engine;
    this.id = id;
  }

  /** `nodes` as the file says them, in YAML or as values. */
  static async start(engine: TestEngine, name: string, nodes: string | readonly object[]): Promise<GraphRun> {
    const list = typeof nodes === "string" ? `\n${nodes}` : ` ${JSON.stringify(nodes)}`;
    await engine.write(`.archon/workflows/${name}.yaml`, `name: ${name}\ndescription: A case.\nnodes:${list}\n`);
    await engine.allow(name);
    const { context, caller } = engine;
    return new GraphRun(engine, (await start(context, caller, { workflow: name, inputs: { user_message: "me" } })).run);
  }

  async done(node: string, result: Json = "ok"): Promise<void> {
    await this.#report(node, { result });
  }

  async fail(node: string, error = "broken"): Promise<void> {
    await this.#report(node, { status: "failed", error });
  }

  /** Takes the node, and answers its open action. */
  async hold(node: string): Promise<string> {
    const { standing } = await next(this.engine.context, this.engine.caller, { run: this.id, task: node, takeOver: true });
    if (standing.kind !== "action") throw new Error(`${node} is ${standing.kind}`);
    return standing.action.id;
  }

  async used(action: string, usage: NonNullable<ReportRequest["usage"]>): Promise<void> {
    await recordUse(this.engine.context, this.engine.caller, { run: this.id, action, usage });
  }

  async #report(node: string, outcome: Partial<ReportRequest>): Promise<void> {
    const { context, caller } = this.engine;
    await next(context, caller, { run: this.id, task: node, takeOver: true });
    await report(context, caller, { run: this.id, task: node, ...outcome });
  }

  /** Waits for what the engine does by itself. */
  async settle(): Promise<void> {
    await next(this.engine.context, this.engine.caller, { run: this.id, waitMs: 10_000, takeOver: true });
  }

  async retry(): Promise<void> {
    await retry(this.engine.context, this.#person, { run: this.id });
  }

  async decide(node: string, word: string): Promise<void> {
    const { context } = this.engine;
    const { state } = await context.runs.open(this.id);
    const asked = Object.values(state.decisions).find(({ id, status }) => status === "pending" && id.startsWith(node));
    if (asked === undefined) throw new Error(`${node} asks nothing`);
    await answer(context, this.#person, { run: this.id, decision: asked.id, answer: word, revision: asked.revision, relayed: false });
  }

  /** Another process continues: what this one knew is gone, and only what is stored is left. */
  async kill(): Promise<void> {
    const next = await this.engine.again();
    if (this.#began !== this.engine) await this.engine.close();
    this.engine = next;
  }

  get #person(): Caller {
    return { ...this.engine.caller, holder: { kind: "person", name: "ada", session: "t" }, surface: "cli-terminal" };
  }

  /** What completed nodes have as their output. */
  async outputs(): Promise<Readonly<Record<string, string>>> {
    const { state } = await this.engine.context.runs.open(this.id);
    const nodes = (state.scopes[mainScope]?.raw["nodes"] ?? {}) as Readonly<Record<string, { readonly output?: string }>>;
    return Object.fromEntries(Object.entries(nodes).map(([id, { output = "" }]) => [id, output]));
  }

  async log(): Promise<readonly string[]> {
    return (await logOf(this.engine.context, this.id))?.lines ?? [];
  }

  /** Nodes as the engine has them: lists show what is ready, and nobody has begun, as waiting. */
  async rows(): Promise<readonly NodeRow[]> {
    const { context } = this.engine;
    const shown = (await nodeRows(context, await context.runs.open(this.id))) ?? [];
    const query = { status: "in_progress" } as const;
    const lists = (await context.store.itemLists(this.id)).map((list) => context.store.selectItems(this.id, { list, query, limit: 1000 }));
    const ready = new Set((await Promise.all(lists)).flat().map(({ id }) => id));
    return shown.map((row) => (row.status === "pending" && ready.has(row.id) ? { ...row, status: "in_progress" } : row));
  }

  /** Statuses by node, with the reason of a skip behind it. */
  async statuses(): Promise<Readonly<Record<string, string>>> {
    const rows = await this.rows();
    return Object.fromEntries(rows.map(({ id, status, reason }) => [id, status === "skipped" ? `skipped: ${String(reason)}` : status]));
  }

  async status(): Promise<string> {
    return (await this.engine.context.runs.open(this.id)).state.status;
  }

  async error(): Promise<{ readonly code?: string; readonly message?: string }> {
    const { code, message } = (await this.engine.context.runs.open(this.id)).state.error ?? {};
    return defined({ code, message });
  }
}

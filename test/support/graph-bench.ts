import { defined, isObject, type Json, type JsonObject } from "../../src/base/index.ts";
import { answer, readState, retry, start, type Caller } from "../../src/engine/index.ts";
import type { Turn } from "../../src/ports/index.ts";
import type { DriveEnd, DriveRequest } from "../../src/runner/index.ts";
import type { DrivenTime } from "./driven-time.ts";
import { openDriven, type AgentDoorClient, type DrivenRun } from "./driven-run.ts";
import { openTestEngine, type RunsCommands, type TestEngine } from "./test-engine.ts";

/** What an agent says to a prompt: its final text, or how its turn ended. */
export type Says = (prompt: string, turn: Turn, door: AgentDoorClient) => string | TurnEnd | Promise<string | TurnEnd>;
type TurnEnd = Awaited<ReturnType<Parameters<typeof openDriven>[1]>>;

interface NodeKept {
  readonly status: string;
  readonly output?: string;
  readonly fields?: Readonly<Record<string, string>>;
  readonly reason?: string;
  readonly error?: string;
}

/** One real engine for a file of tests, on which graphs are driven with an agent that says what the test says. */
export class GraphBench {
  readonly engine: TestEngine;
  readonly driven: DrivenRun;
  #says: Says;
  #made = 0;

  private constructor(engine: TestEngine, says: Says) {
    this.engine = engine;
    this.#says = says;
    this.driven = undefined as never;
  }

  static async open(
    files: Readonly<Record<string, string>> = {},
    time?: DrivenTime,
    watched?: Parameters<typeof openTestEngine>[3],
  ): Promise<GraphBench> {
    const engine = await openTestEngine(files, {}, time, watched);
    const bench = new GraphBench(engine, () => "done");
    const behave: Parameters<typeof openDriven>[1] = async (turn, door) => {
      const said = await bench.#says(turn.prompt, turn, door);
      return typeof said === "string" ? { text: said } : said;
    };
    const driven = await openDriven(engine, behave, ["scripted", "other"]);
    return Object.assign(bench, { driven });
  }

  async close(): Promise<void> {
    await this.driven.close();
    await this.engine.close();
  }

  /** Writes a graph and allows it; `nodes` is what follows `nodes:`. */
  async define(nodes: string, more = "", name = `graph-${(this.#made += 1)}`): Promise<string> {
    const body = nodes.replaceAll(/^/gm, "  ");
    await this.engine.write(`.archon/workflows/${name}.yaml`, `name: ${name}\ndescription: A case.\n${more}\nnodes:\n${body}\n`);
    await this.engine.allow(name);
    return name;
  }

  /** Codes and messages of everything that is told when the file is read. */
  async problems(nodes: string, more = ""): Promise<string[]> {
    const name = `broken-${(this.#made += 1)}`;
    await this.engine.write(
      `.archon/workflows/${name}.yaml`,
      `name: ${name}\ndescription: A case.\n${more}\nnodes:\n${nodes.replaceAll(/^/gm, "  ")}\n`,
    );
    const { diagnostics } = await this.engine.context.catalog.load(name);
    return diagnostics.map(({ code, severity, message }) => `${severity} ${code}: ${message}`);
  }

  async begin(
    nodes: string,
    options: { readonly message?: string; readonly inputs?: JsonObject; readonly more?: string; readonly folder?: string } = {},
  ): Promise<GraphRun> {
    return this.start(await this.define(nodes, options.more), options);
  }

  /** Begins one that is defined. */
  async start(
    workflow: string,
    options: { readonly message?: string; readonly inputs?: JsonObject; readonly folder?: string } = {},
  ): Promise<GraphRun> {
    const inputs = { ...(options.message === undefined ? {} : { user_message: options.message }), ...options.inputs };
    const { run } = await start(this.engine.context, this.engine.caller, {
      workflow,
      inputs,
      held: false,
      waitMs: 0,
      ...defined({ folder: options.folder }),
    });
    return new GraphRun(this, run);
  }

  /** Drives it to where it stops. */
  async run(nodes: string, says: Says = () => "done", options: Parameters<GraphBench["begin"]>[1] = {}): Promise<GraphRun> {
    return (await this.begin(nodes, options)).drive(says);
  }

  async drive(run: string, says: Says, more: Partial<DriveRequest> = {}): Promise<DriveEnd> {
    this.#says = says;
    return this.driven.drive({ run, waits: false, ...more });
  }
}

const person: Caller = { holder: { kind: "person", name: "p", session: "p" }, surface: "cli-terminal", leaseOwner: "p" };

export class GraphRun {
  readonly bench: GraphBench;
  readonly id: string;
  end: DriveEnd | undefined;

  constructor(bench: GraphBench, id: string) {
    this.bench = bench;
    this.id = id;
  }

  async drive(says: Says = () => "done", more: Partial<DriveRequest> = {}): Promise<this> {
    this.end = await this.bench.drive(this.id, says, more);
    return this;
  }

  get why(): string {
    return this.end !== undefined && "why" in this.end ? this.end.why : "";
  }

  /** The open questions, as driving ended with them. */
  get questions(): readonly { readonly id: string; readonly question: string; readonly revision: number }[] {
    return this.end?.kind === "waits" ? this.end.questions : [];
  }

  /** The first open question, unless another one is named. */
  async answer(word: Json, reason?: string, revision?: number, decision = this.questions[0]?.id ?? ""): Promise<void> {
    await answer(this.bench.engine.context, person, {
      run: this.id,
      decision,
      answer: word,
      relayed: false,
      ...defined({ reason, revision }),
    });
  }

  async retry(): Promise<void> {
    const { context } = this.bench.engine;
    await retry(context, person, { run: this.id });
    await context.holding.release(person.leaseOwner);
  }

  async read(path: string): Promise<Json> {
    return (await readState(this.bench.engine.context, this.id, [path])).state[path] ?? null;
  }

  async nodes(): Promise<Readonly<Record<string, NodeKept>>> {
    const nodes = await this.read("raw.nodes");
    return (isObject(nodes) ? nodes : {}) as unknown as Readonly<Record<string, NodeKept>>;
  }

  async output(id: string): Promise<string | undefined> {
    return (await this.nodes())[id]?.output;
  }
}

export type { RunsCommands };

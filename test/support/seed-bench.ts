import {
  journal,
  next,
  progress,
  readState,
  start,
  tasksTaken,
  type Caller,
  type Position,
  type ReportRequest,
  type StartRequest,
} from "../../src/engine/index.ts";
import type { Event } from "../../src/kernel/index.ts";
import type { Json, JsonObject } from "../../src/base/index.ts";
import { questionStep, type AtomicStep } from "../../src/views/index.ts";
import { openTestEngine, type TestEngine } from "./test-engine.ts";

/** One real engine for a test file, on which every test runs workflows of its own. */
export class SeedBench {
  readonly engine: TestEngine;
  #made = 0;

  private constructor(engine: TestEngine) {
    this.engine = engine;
  }

  static async open(files: Readonly<Record<string, string>> = {}): Promise<SeedBench> {
    return new SeedBench(await openTestEngine(files));
  }

  close(): Promise<void> {
    return this.engine.close();
  }

  /** Writes a workflow under a fresh name, lets it run and answers that name. */
  async define(body: string, name = `case:${(this.#made += 1)}`): Promise<string> {
    await this.engine.write(
      `.waymark/workflows/${name.replaceAll(":", "__")}.yaml`,
      `name: "${name}"\ndescription: A case.\nversion: "1.0.0"\n${body}\n`,
    );
    await this.engine.allow(name);
    return name;
  }

  async run(body: string, options: Omit<StartRequest, "workflow"> = {}): Promise<SeedRun> {
    return this.start(await this.define(body), options);
  }

  async start(workflow: string, options: Omit<StartRequest, "workflow"> = {}): Promise<SeedRun> {
    const { context, caller } = this.engine;
    return new SeedRun(this.engine, caller, await start(context, caller, { workflow, ...options }));
  }

  /** Codes and messages of everything a definition is told at load. */
  async problems(body: string): Promise<string[]> {
    const name = await this.define(body);
    return (await this.engine.context.catalog.load(name)).diagnostics.map(
      ({ code, severity, message }) => `${severity} ${code}: ${message}`,
    );
  }
}

/** A run, or one task of it, as seen by whoever drives it. */
export class SeedRun {
  readonly engine: TestEngine;
  readonly caller: Caller;
  readonly task: string | undefined;
  position: Position;

  constructor(engine: TestEngine, caller: Caller, position: Position, task?: string) {
    this.engine = engine;
    this.caller = caller;
    this.position = position;
    this.task = task;
  }

  get id(): string {
    return this.position.run;
  }

  get status(): string {
    return this.position.state.status;
  }

  /** What the driver of this strand is given now, under the author's id; null when it has nothing to do. */
  get step(): AtomicStep | null {
    const { standing } = this.position;
    if (standing.kind === "action") return { ...standing.shown.step, id: standing.action.step };
    return standing.kind === "question" ? { ...questionStep(standing.decision), id: standing.decision.step } : null;
  }

  /** Type and id of the open step, or where the strand stands instead. */
  get at(): string {
    return this.step === null ? this.position.standing.kind : `${this.step.type} ${this.step.id}`;
  }

  get message(): string {
    return textOf(this.step?.definition["message"]);
  }

  get error(): { readonly code: string; readonly message: string } | undefined {
    return this.position.state.error;
  }

  async next(more: { readonly takeOver?: boolean; readonly waitMs?: number } = {}): Promise<this> {
    this.position = await next(this.engine.context, this.caller, { run: this.id, ...this.#which(), ...more });
    return this;
  }

  /** Continues after tasks that nobody waits for, as their reply says. */
  async continueBesideTasks(): Promise<this> {
    const { standing } = this.position;
    if (standing.kind === "action")
      await tasksTaken(this.engine.context, this.caller, { run: this.id, ...this.#which(), action: standing.action.id });
    return this.next();
  }

  /** Reports the open step and moves on. */
  async done(result?: Json, more: Partial<ReportRequest> = {}): Promise<this> {
    const done = await progress(this.engine.context, this.caller, {
      run: this.id,
      ...this.#which(),
      ...(result === undefined ? {} : { result }),
      ...more,
    });
    this.position = done.position;
    return this;
  }

  fail(error: string): Promise<this> {
    return this.done(undefined, { status: "failed", error });
  }

  /** Reports until nothing is open any more, with the same result for every step; answers the ids of the steps. */
  async toEnd(result?: Json): Promise<string[]> {
    const seen: string[] = [];
    while (this.step !== null) {
      seen.push(this.step.id);
      await this.done(result);
    }
    return seen;
  }

  async state(): Promise<JsonObject> {
    return (await readState(this.engine.context, this.id)).state;
  }

  async read(path: string): Promise<Json> {
    return (await readState(this.engine.context, this.id, [path])).state[path] ?? null;
  }

  /** A task of the open parallel step, driven by the same agent or another one. */
  async open(task: string, caller: Caller = this.caller): Promise<SeedRun> {
    return new SeedRun(this.engine, caller, await next(this.engine.context, caller, { run: this.id, task }), task);
  }

  async events(): Promise<Event[]> {
    return (await journal(this.engine.context, this.id, 0, 10_000)).flatMap((entry) => entry.events);
  }

  async warnings(): Promise<string[]> {
    return (await this.events()).flatMap((event) => (event.type === "warned" ? [`${event.code}: ${event.message}`] : []));
  }

  #which(): { readonly task?: string } {
    return this.task === undefined ? {} : { task: this.task };
  }
}

/** A text as it is, anything else as JSON. */
export function textOf(value: unknown): string {
  return typeof value === "string" ? value : (JSON.stringify(value) ?? "");
}

/** A sub-agent in a conversation of its own. */
export function subAgent(caller: Caller, name: string): Caller {
  return { ...caller, holder: { kind: "agent", name, session: `${caller.holder.session}-${name}` } };
}

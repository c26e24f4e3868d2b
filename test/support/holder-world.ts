import type { Caller } from "../../src/engine/index.ts";
import { DrivenTime } from "./driven-time.ts";
import { openTestEngine, type TestEngine } from "./test-engine.ts";

/** Two agents and a runner with a process each on this host, an agent on another host, and a person at a terminal. */
export const everybody = ["ann", "bob", "runner", "person", "foreign"] as const;
export type Who = (typeof everybody)[number];

export const ttlMs = 30_000;
const [agentIdleMs, idleAfterMs] = [60_000, 120_000];

/** How long one that does not call counts as alive while its process runs. */
export function idleOf(who: Who): number {
  return who === "runner" ? Infinity : who === "person" ? idleAfterMs : agentIdleMs;
}

/** One thing that happens. `part` chooses a part of the run, `which` an id that was handed out in it, the newest first. */
export type Move =
  | { readonly do: "next" | "resume"; readonly who: Who; readonly part: number }
  | { readonly do: "report"; readonly who: Who; readonly part: number; readonly which: number; readonly twice: boolean }
  | { readonly do: "call" | "leave" | "die" | "abort"; readonly who: Who }
  | { readonly do: "wait"; readonly ms: number };

export type MoveOf<K extends Move["do"]> = Extract<Move, { readonly do: K }>;

const stepsOf = (count: number): string =>
  Array.from({ length: count }, (_, at) => {
    const keeps = "state_update: { path: raw.seen, operation: append }";
    return `      - { id: s${at + 1}, type: mcp_call, mcp: { method: m, params: {} }, ${keeps} }`;
  }).join("\n");
/** Workflows whose runs keep every result that was recorded, in order, as `seen`: six steps, and two tasks of three. */
const files = {
  ".waymark/workflows/line.yaml": `name: line\ndefault_state: { raw: { seen: [] } }\nsteps:\n${stepsOf(6)}\n`,
  ".waymark/workflows/tasks.yaml": `
name: tasks
default_state: { raw: { seen: [] } }
steps: [{ id: all, type: parallel_foreach, items: [{ id: A }, { id: B }], sub_agent_task: each }]
sub_agent_tasks:
  each:
    steps:
${stepsOf(3)}
`,
};

interface Living {
  readonly engine: TestEngine;
  readonly caller: Caller;
}

let born = 0;

/** One store, and around it processes with an engine each that can die. Time moves only when a test says so. */
export class HolderWorld {
  readonly time: DrivenTime;
  /** A process that takes nothing. */
  readonly observer: TestEngine;
  readonly #living = new Map<Who, Living>();
  readonly #opened: TestEngine[] = [];
  readonly #dead = new Set<string>();

  private constructor(time: DrivenTime, observer: TestEngine) {
    this.time = time;
    this.observer = observer;
  }

  static async open(): Promise<HolderWorld> {
    const time = new DrivenTime();
    const settings = { leaseTtlMs: ttlMs, leaseBeatMs: ttlMs / 3, agentIdleMs, idleAfterMs };
    return new HolderWorld(time, await openTestEngine(files, settings, time));
  }

  /** Who calls, from a process of its own; from a new one, as another holder, if the last one died. */
  async caller(who: Who): Promise<{ readonly caller: Caller; readonly context: TestEngine["context"] }> {
    const { caller, engine } = this.#living.get(who) ?? (await this.#bear(who));
    return { caller, context: engine.context };
  }

  /** The process is gone: it beats no more, and on this host that is known. */
  kill(who: Who): void {
    const living = this.#living.get(who);
    // A person has no process that stays.
    if (living === undefined || who === "person") return;
    this.#living.delete(who);
    living.engine.context.holding.close();
    if (who !== "foreign") this.#dead.add(living.caller.leaseOwner);
  }

  async close(): Promise<void> {
    for (const engine of this.#opened.splice(0)) await engine.close();
    await this.observer.close();
  }

  async #bear(who: Who): Promise<Living> {
    const engine = await this.observer.again();
    this.#opened.push(engine);
    // Whether a process of this host runs is for the test to say.
    const host = { ...engine.context.host, isGone: (owner: string) => this.#dead.has(owner) };
    Object.assign(engine.context, { host });
    born += 1;
    const living = { engine, caller: callerOf(who, `${host.processId}-${born}`) };
    this.#living.set(who, living);
    return living;
  }
}

function callerOf(who: Who, session: string): Caller {
  if (who === "person")
    return {
      holder: { kind: "person", name: "ada", session: "cli" },
      surface: "cli-terminal",
      leaseOwner: "cli:ada",
      leaseTtlMs: idleAfterMs,
    };
  if (who === "runner")
    return { holder: { kind: "worker", name: "waymark drive", session }, surface: "runner", leaseOwner: session, stays: true };
  return { holder: { kind: "agent", name: who === "foreign" ? "ann" : who, session }, surface: "mcp-stdio", leaseOwner: session };
}

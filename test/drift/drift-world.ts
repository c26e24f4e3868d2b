import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { isWaymarkError } from "../../src/base/index.ts";
import { Random } from "../soak/random.ts";
import { openTestEngine, type TestEngine } from "../support/test-engine.ts";
import { converted, fileText, growTree } from "./drift-tree.ts";
import { workflowFor, type DriftWorkflow } from "./drift-workflows.ts";
import { nothingOpen, type Open, type Surface } from "./surface.ts";

export const leases = { leaseTtlMs: 80, leaseBeatMs: 20 };
const settings = { ...leases, callWaitMs: 300 };

/** Somebody else is quicker or still alive: who asks again is served. */
const passing = new Set(["STRAND_HELD", "STRAND_ENDED"]);

export interface WorldOptions {
  readonly kind: string;
  readonly seed: number;
  readonly mostFiles: number;
  /** An agent in a process of its own. */
  readonly agent: (engine: TestEngine) => Promise<Surface>;
}

/** A tree, a run and the agents at work on it; keeps what is known of them from outside the engine. */
export class DriftWorld {
  readonly random: Random;
  readonly workflow: DriftWorkflow;
  /** Only looks: agents come and go in engines of their own. */
  readonly observer: TestEngine;
  readonly agents: Surface[] = [];
  /** Agents that nobody counts on any more, but that may still speak. */
  readonly zombies: { readonly agent: Surface; readonly had: Open }[] = [];
  readonly initial: ReadonlySet<string>;
  /** Every path that ever was a file of the kind the workflow is about. */
  readonly ever: Set<string>;
  readonly complaints: string[] = [];
  readonly refusals = new Map<string, number>();
  run = "";
  offCourse = 0;
  misdeeds = 0;
  reports = 0;
  #appeared = 0;
  readonly #options: WorldOptions;

  private constructor(options: WorldOptions, observer: TestEngine, files: readonly string[]) {
    this.#options = options;
    this.random = new Random("drift", options.kind, options.seed);
    this.workflow = workflowFor(options.seed);
    this.observer = observer;
    this.initial = new Set(files);
    this.ever = new Set(files);
  }

  static async open(options: WorldOptions): Promise<DriftWorld> {
    const { name, yaml } = workflowFor(options.seed);
    const files = growTree(new Random("tree", options.kind, options.seed), options.mostFiles);
    const others = { "README.md": "# not a file of the run\n", [`.waymark/workflows/${name}.workflow.yaml`]: yaml };
    const world = new DriftWorld(options, await openTestEngine({ ...files, ...others }, settings), Object.keys(files));
    world.run = await (await world.newcomer()).start(name);
    return world;
  }

  get agent(): Surface {
    return this.random.pick(this.agents);
  }

  /** Another process with another session; it knows the run's id at most. */
  async newcomer(): Promise<Surface> {
    const agent = await this.#options.agent(await this.observer.again(settings));
    this.agents.push(agent);
    return agent;
  }

  dismiss(agent: Surface): void {
    this.agents.splice(this.agents.indexOf(agent), 1);
  }

  /** What the agent has in hand. Waits for leases of the dead to run out; who waits for the living too long takes over. */
  async next(agent: Surface): Promise<Open> {
    for (let tries = 1; ; tries += 1) {
      try {
        const open = await agent.next(this.run, tries > 12);
        if (open.kind !== "waiting" || (this.agents.length > 1 && tries > 1) || tries > 40) return open;
      } catch (error) {
        if (!isWaymarkError(error) || !passing.has(error.code) || tries > 40) throw error;
        this.#count(error.code);
        if (this.agents.length > 1) return { ...nothingOpen, kind: "waiting" };
      }
      await sleep(leases.leaseBeatMs);
    }
  }

  complain(what: string): void {
    this.complaints.push(what);
  }

  /** The call must be refused with one of these codes, or with any. */
  async refused(what: string, work: Promise<unknown>, codes?: readonly string[]): Promise<void> {
    const code = await this.tolerated(what, work);
    if (code === undefined) this.complain(`${what} was not refused`);
    else if (codes?.includes(code) === false) this.complain(`${what} was refused with ${code}`);
  }

  /** The same for what is no report: the run does not count it among them. */
  async refusedBatch(what: string, work: Promise<unknown>): Promise<void> {
    const before = this.offCourse;
    await this.refused(what, work);
    this.offCourse = before;
  }

  /** The call may be refused, but only with a code of the engine; answers the code. */
  async tolerated(what: string, work: Promise<unknown>): Promise<string | undefined> {
    try {
      await work;
      return undefined;
    } catch (error) {
      if (!isWaymarkError(error)) {
        this.complain(`${what} failed: ${error instanceof Error ? (error.stack ?? error.message) : String(error)}`);
        return "UNKNOWN";
      }
      const kind = error.details["kind"];
      this.#count(typeof kind === "string" ? `${error.code}/${kind}` : error.code);
      if (error.code === "ENGINE_OFF_COURSE") this.offCourse += 1;
      if ((error.fix ?? "") === "" || error.message.length > 600)
        this.complain(`${what}: the answer has no fix or is long: ${error.message}`);
      return error.code;
    }
  }

  #count(refusal: string): void {
    this.refusals.set(refusal, (this.refusals.get(refusal) ?? 0) + 1);
  }

  place(path: string): string {
    return join(this.observer.folder, path);
  }

  write(path: string, text: string): void {
    mkdirSync(dirname(this.place(path)), { recursive: true });
    writeFileSync(this.place(path), text);
    if (/\.(?:js|al)$/.test(path)) this.ever.add(path);
  }

  /** Files come, change and go while the run is open. */
  disturb(): string {
    const held = [...this.ever].filter((path) => existsSync(this.place(path)));
    const victim = this.random.pick(held);
    switch (this.random.below(3)) {
      case 0:
        this.#appeared += 1;
        this.write(`new/a${this.#appeared}.js`, fileText(this.random, "js"));
        return "appeared";
      case 1:
        rmSync(this.place(victim));
        return `vanished ${victim}`;
      default:
        writeFileSync(
          this.place(victim),
          `${readFileSync(this.place(victim), "utf8")}\n${this.random.pick(["// more", "old('more');"])}\n`,
        );
        return `changed ${victim}`;
    }
  }

  /** Does in the file what an honest agent would do with the call in its hands. */
  convert({ file, place }: Open): boolean {
    if (!existsSync(this.place(file))) return false;
    const text = converted(readFileSync(this.place(file), "utf8"), place);
    if (text === undefined) return false;
    writeFileSync(this.place(file), text);
    return true;
  }

  async close(): Promise<void> {
    for (const agent of [...this.agents, ...this.zombies.map((each) => each.agent)]) await agent.die().catch(() => undefined);
    await this.observer.close();
  }
}

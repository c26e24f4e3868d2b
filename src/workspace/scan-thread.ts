import { Worker } from "node:worker_threads";
import { own } from "../base/index.ts";
import type { Finding } from "../ports/index.ts";
import type { ScanJob, ScanTask } from "./scan-job.ts";
import { cellBytes, cells, idle, type FromThread, type ToThread } from "./scan-protocol.ts";

/** What a thread may use; a file that needs more costs the thread its life, and only that file fails. */
const resourceLimits = { maxOldGenerationSizeMb: 256, maxYoungGenerationSizeMb: 20, stackSizeMb: 4 };
/** More time for larger files: their lexing counts to the first pattern that asks for it. */
const msPerKilobyte = 1;
/** How many times its limit a thread may make no progress when the computer gives it no time to run. */
const patience = 20;

interface Given {
  readonly job: ScanJob;
  readonly task: ScanTask;
}
interface Position extends Given {
  readonly file: number;
  readonly pattern: number;
  readonly kilobytes: number;
}
export interface ThreadEvents {
  scanned(given: Given, results: string): void;
  /** It ended by itself: at a file, or before it could do anything. */
  died(thread: ScanThread, cause: unknown): void;
}

function findingsOf({ job, task }: Given): { readonly findings?: readonly (readonly Finding[])[] } {
  const findings = task.paths.map((path) => own(job.facts.findings, path) ?? []);
  return findings.some((each) => each.length > 0) ? { findings } : {};
}

/** One scanning thread and the tasks it was given. */
export class ScanThread {
  readonly #worker: Worker;
  readonly #progress = new Int32Array(new SharedArrayBuffer(cellBytes));
  readonly #tasks = new Map<number, Given>();
  readonly #jobs = new Set<number>();
  readonly #patternMs: number;
  #seen = { step: -1, at: 0, cpu: 0 };
  #ended = false;

  constructor(program: URL, patternMs: number, events: ThreadEvents) {
    this.#patternMs = patternMs;
    Atomics.store(this.#progress, cells.task, idle);
    this.#worker = new Worker(program, {
      name: "waymark scan",
      workerData: this.#progress.buffer,
      env: {},
      execArgv: [],
      argv: [],
      stdin: false,
      stdout: true,
      stderr: true,
      resourceLimits,
    });
    this.#worker.on("message", (message: FromThread) => this.#ended || this.#receive(message, events));
    this.#worker.on("error", (cause) => this.#end(() => events.died(this, cause)));
    this.#worker.on("exit", (code) => this.#end(() => events.died(this, new Error(`its thread ended with ${code}`))));
    this.#worker.unref();
  }

  get load(): number {
    return this.#tasks.size;
  }

  give(given: Given): void {
    const { job, task } = given;
    const { id, root, rules, hash, patternMs } = job.facts;
    if (!this.#jobs.has(id)) this.#send({ kind: "open", job: id, root, rules, hash, patternMs });
    this.#jobs.add(id);
    if (this.#tasks.size === 0) this.#worker.ref();
    this.#tasks.set(task.id, given);
    const edits = job.facts.edits.size === 0 ? [] : task.paths.flatMap((path) => job.facts.edits.get(path) ?? []);
    this.#send({ kind: "scan", job: id, task: task.id, paths: task.paths, leave: task.leave, edits, ...findingsOf(given) });
  }

  forget(job: number): void {
    if (!this.#ended && this.#jobs.delete(job)) this.#send({ kind: "close", job });
  }

  /** Everything it was given and has not answered. */
  open(): readonly Given[] {
    return [...this.#tasks.values()];
  }

  /** What it is doing at this moment; undefined between tasks. */
  position(): Position | undefined {
    const given = this.#tasks.get(Atomics.load(this.#progress, cells.task));
    if (given === undefined) return undefined;
    const [, , file = 0, pattern = 0, kilobytes = 0] = Array.from(this.#progress, (_, cell) => Atomics.load(this.#progress, cell));
    return { ...given, file, pattern, kilobytes };
  }

  /**
   * Where it has made no progress for longer than its limit, if so. Time counts only as far as this process got to compute in it: a busy
   * computer must not make a harmless pattern look like one that never ends.
   */
  stuckAt(now: number, cpu: number): Position | undefined {
    const step = Atomics.load(this.#progress, cells.step);
    if (step !== this.#seen.step) this.#seen = { step, at: now, cpu };
    const position = this.position();
    if (position === undefined) return undefined;
    const limit = this.#patternMs + position.kilobytes * msPerKilobyte;
    const stood = now - this.#seen.at;
    const stuck = stood > limit && (cpu - this.#seen.cpu > limit * 0.9 || stood > limit * patience);
    return stuck && Atomics.load(this.#progress, cells.step) === step ? position : undefined;
  }

  async terminate(): Promise<void> {
    this.#ended = true;
    await this.#worker.terminate();
  }

  #receive({ task, results }: FromThread, events: ThreadEvents): void {
    const given = this.#tasks.get(task);
    this.#tasks.delete(task);
    if (this.#tasks.size === 0) this.#worker.unref();
    if (given !== undefined) events.scanned(given, results);
  }

  #end(report: () => void): void {
    if (this.#ended) return;
    this.#ended = true;
    report();
  }

  #send(message: ToThread): void {
    this.#worker.postMessage(message);
  }
}

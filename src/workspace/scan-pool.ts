import { cpuUsage } from "node:process";
import { remembering } from "../base/index.ts";
import type { FileScan, ScanRequest, ScanRules } from "../ports/index.ts";
import { closed, messageOf, workerFailed } from "./codes.ts";
import { checkRequest } from "./scan-files.ts";
import { ScanJob, type ScanTask } from "./scan-job.ts";
import { ScanThread, type ThreadEvents } from "./scan-thread.ts";

interface PoolOptions {
  readonly threads: number;
  readonly program: URL;
  /** How long a pattern may run on one file. */
  readonly patternMs: number;
}

/** A thread has its next task at hand when it finishes one. */
const tasksPerThread = 2;

/**
 * Scanning threads, started when they are needed and kept for the next scan; idle ones do not keep the process alive. Several scans
 * share them, a task of each in turn. A thread that makes no progress is ended and replaced.
 */
export class ScanPool {
  readonly #options: PoolOptions;
  readonly #threads = new Set<ScanThread>();
  readonly #jobs = new Set<ScanJob>();
  readonly #events: ThreadEvents = {
    scanned: ({ job, task }, results) => {
      job.accept(task, results);
      this.#pump();
    },
    died: (thread, cause) => this.#died(thread, cause),
  };
  /** A job is scanned in many calls with the same rules: a pattern that was given up in one is given up in the next. */
  readonly #cutOffsOf = remembering((_rules: ScanRules) => new Map<string, number>(), 32, JSON.stringify);
  #lastJob = 0;
  #watch: NodeJS.Timeout | undefined;
  #closed = false;

  constructor(options: PoolOptions) {
    this.#options = options;
  }

  async *scan(request: ScanRequest): AsyncGenerator<FileScan, void, undefined> {
    const { root, paths, rules, hash, signal, edits: planned = [], findings = {} } = checkRequest(request);
    signal?.throwIfAborted();
    if (this.#closed) throw closed();
    const { threads, patternMs } = this.#options;
    const cutOffs = this.#cutOffsOf(rules);
    const edits = new Map(planned.map((edit) => [edit.path, edit]));
    const job = new ScanJob({ id: ++this.#lastJob, root, rules, hash, paths, edits, findings, threads, patternMs, cutOffs });
    const stop = (): void => job.fail(signal?.reason);
    signal?.addEventListener("abort", stop);
    this.#jobs.add(job);
    try {
      this.#pump();
      for (let scans = await job.nextResults(); scans !== undefined; scans = await job.nextResults()) {
        this.#pump();
        for (const scan of scans) {
          yield scan;
          job.throwIfFailed();
        }
      }
    } finally {
      signal?.removeEventListener("abort", stop);
      this.#jobs.delete(job);
      job.fail(closed());
      for (const thread of this.#threads) thread.forget(job.facts.id);
    }
  }

  async close(): Promise<void> {
    this.#closed = true;
    clearInterval(this.#watch);
    for (const job of this.#jobs) job.fail(closed());
    const threads = [...this.#threads];
    this.#threads.clear();
    await Promise.all(threads.map((thread) => thread.terminate()));
  }

  /** Gives out tasks as long as there are any and a thread has room. */
  #pump(): void {
    while (!this.#closed) {
      const thread = this.#freeThread();
      if (thread === undefined) break;
      const given = this.#nextTask();
      if (given === undefined) break;
      // A new thread begins with a task, so none is started in vain.
      const taker = thread === "new" ? this.#start() : thread;
      taker.give(given);
    }
    this.#keepWatch();
  }

  #freeThread(): ScanThread | "new" | undefined {
    let best: ScanThread | undefined;
    for (const thread of this.#threads) if (best === undefined || thread.load < best.load) best = thread;
    if (best?.load === 0) return best;
    if (this.#threads.size < this.#options.threads) return "new";
    return best !== undefined && best.load < tasksPerThread ? best : undefined;
  }

  /** From each job in turn: the one that was served goes to the end of the row. */
  #nextTask(): { job: ScanJob; task: ScanTask } | undefined {
    for (const job of this.#jobs) {
      const task = job.failed ? undefined : job.nextTask();
      if (task === undefined) continue;
      this.#jobs.delete(job);
      this.#jobs.add(job);
      return { job, task };
    }
    return undefined;
  }

  #start(): ScanThread {
    const thread = new ScanThread(this.#options.program, this.#options.patternMs, this.#events);
    this.#threads.add(thread);
    return thread;
  }

  #keepWatch(): void {
    const busy = !this.#closed && [...this.#threads].some((thread) => thread.load > 0);
    if (busy && this.#watch === undefined) this.#watch = setInterval(() => this.#look(), Math.max(10, this.#options.patternMs / 8));
    if (busy || this.#watch === undefined) return;
    clearInterval(this.#watch);
    this.#watch = undefined;
  }

  #look(): void {
    const { user, system } = cpuUsage();
    const cpu = (user + system) / 1000;
    for (const thread of this.#threads) {
      const position = thread.stuckAt(performance.now(), cpu);
      if (position === undefined) continue;
      this.#threads.delete(thread);
      void thread.terminate();
      for (const { job, task } of thread.open()) {
        const pattern = job.facts.rules.patterns[position.pattern]?.id;
        if (task !== position.task) job.repeat(task);
        else if (pattern === undefined) job.failFile(task, position.file, "reading and decoding it did not come to an end");
        else job.cutOff(task, position, pattern);
      }
    }
    this.#pump();
  }

  #died(thread: ScanThread, cause: unknown): void {
    this.#threads.delete(thread);
    const position = thread.position();
    for (const { job, task } of thread.open()) {
      if (position === undefined) job.fail(workerFailed(cause));
      else if (task === position.task) job.failFile(task, position.file, messageOf(cause));
      else job.repeat(task);
    }
    this.#pump();
  }
}

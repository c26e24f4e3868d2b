import type { Stats } from "node:fs";
import { Worker } from "node:worker_threads";

/** Gives a file the name of another, if that is still as it was; false when it is not. Rejects with what the system throws. */
export type Move = (from: string, to: string, then: Stats) => Promise<boolean>;

/** Facts of a file, at least one of which changes with its content. */
export const marks = ["ino", "dev", "size", "mtimeMs", "ctimeMs"] as const;

// Nothing may come between the look and the renaming: what another program saves there would be lost.
const program = `
const { lstatSync, renameSync } = require("node:fs");
const { parentPort } = require("node:worker_threads");
parentPort.on("message", ({ id, from, to, then }) => {
  try {
    const now = lstatSync(to);
    const same = Object.entries(then).every(([mark, value]) => now[mark] === value);
    if (same) renameSync(from, to);
    parentPort.postMessage({ id, same });
  } catch (error) {
    parentPort.postMessage({ id, problem: { message: error.message, code: error.code } });
  }
});`;

interface Answer {
  readonly id: number;
  readonly same?: boolean;
  readonly problem?: { readonly message: string; readonly code?: string };
}

interface Waiting {
  readonly done: (same: boolean) => void;
  readonly failed: (cause: unknown) => void;
}

/** How long the thread waits for more before it ends: the chunks of a batch follow each other faster. */
const idleMs = 5_000;

/**
 * Renames in a thread of its own. While a file is synced somewhere, renaming waits for the journal of the file system; here nothing
 * else waits with it. The thread starts with the first file, keeps the process alive only while it has work, and ends when it is idle.
 */
export class RenameThread {
  readonly #waiting = new Map<number, Waiting>();
  #worker: Worker | undefined;
  #idle: NodeJS.Timeout | undefined;
  #last = 0;

  readonly move: Move = (from, to, facts) =>
    new Promise((done, failed) => {
      const id = ++this.#last;
      clearTimeout(this.#idle);
      this.#worker ??= this.#start();
      this.#worker.ref();
      this.#waiting.set(id, { done, failed });
      this.#worker.postMessage({ id, from, to, then: Object.fromEntries(marks.map((mark) => [mark, facts[mark]])) });
    });

  async close(): Promise<void> {
    clearTimeout(this.#idle);
    const worker = this.#worker;
    this.#worker = undefined;
    await worker?.terminate();
  }

  #start(): Worker {
    const worker = new Worker(program, { eval: true, name: "waymark rename", env: {}, execArgv: [], argv: [] });
    worker.on("message", (answer: Answer) => this.#settle(worker, answer));
    worker.on("error", (cause) => this.#ended(worker, cause));
    worker.on("exit", () => this.#ended(worker, new Error("The thread that renames files ended.")));
    return worker;
  }

  #settle(worker: Worker, { id, same, problem }: Answer): void {
    const waiting = this.#waiting.get(id);
    this.#waiting.delete(id);
    if (problem === undefined) waiting?.done(same === true);
    else waiting?.failed(Object.assign(new Error(problem.message), problem));
    if (this.#waiting.size > 0) return;
    worker.unref();
    this.#idle = setTimeout(() => void this.close(), idleMs).unref();
  }

  /** The next file starts another one. */
  #ended(worker: Worker, cause: unknown): void {
    if (this.#worker !== worker && this.#worker !== undefined) return;
    this.#worker = undefined;
    for (const { failed } of this.#waiting.values()) failed(cause);
    this.#waiting.clear();
  }
}

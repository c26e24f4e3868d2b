import type { Stats } from "node:fs";
import { Worker } from "node:worker_threads";

/** Gives a file the name of another, if that is still as it was; false when it is not. Rejects with what the system throws. */
export type Move = (from: string, to: string, then: Stats) => Promise<boolean>;

/** What a file has that nobody can change its content without changing. */
export const marks = ["ino", "dev", "size", "mtimeMs", "ctimeMs"] as const;

// Nothing stands between the look and the renaming, as nothing may: what somebody saves there would be lost.
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

/**
 * Renames in a thread of its own. While a file is synced somewhere, renaming waits for the journal of the file system; here nobody
 * else waits with it. For one job: close it at the end.
 */
export class RenameThread {
  readonly #worker: Worker;
  readonly #waiting = new Map<number, Waiting>();
  #last = 0;
  #ended: Error | undefined;

  constructor() {
    this.#worker = new Worker(program, { eval: true, name: "waymark rename", env: {}, execArgv: [], argv: [] });
    this.#worker.on("message", (answer: Answer) => this.#settle(answer));
    this.#worker.on("error", (cause) => this.#end(cause));
    this.#worker.on("exit", () => this.#end(new Error("The thread that renames files ended.")));
  }

  readonly move: Move = (from, to, facts) =>
    new Promise((done, failed) => {
      if (this.#ended !== undefined) return failed(this.#ended);
      const id = ++this.#last;
      this.#waiting.set(id, { done, failed });
      this.#worker.postMessage({ id, from, to, then: Object.fromEntries(marks.map((mark) => [mark, facts[mark]])) });
    });

  async close(): Promise<void> {
    await this.#worker.terminate();
  }

  #settle({ id, same, problem }: Answer): void {
    const waiting = this.#waiting.get(id);
    this.#waiting.delete(id);
    if (problem === undefined) waiting?.done(same === true);
    else waiting?.failed(Object.assign(new Error(problem.message), problem));
  }

  #end(cause: Error): void {
    this.#ended ??= cause;
    for (const { failed } of this.#waiting.values()) failed(this.#ended);
    this.#waiting.clear();
  }
}

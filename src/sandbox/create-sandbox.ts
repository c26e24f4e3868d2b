import { readFile } from "node:fs/promises";
import { createRequire } from "node:module";
import { pathToFileURL } from "node:url";
import { Worker } from "node:worker_threads";
import { beginningOf, type Json } from "../base/index.ts";
import type { Sandbox, SandboxLimits, SandboxRequest, SandboxResult } from "../ports/index.ts";
import { badBinding, closed, memoryMessage, timeoutMessage, unavailable } from "./codes.ts";
import { Exchange, layout } from "./exchange.ts";
import { guestSource } from "./guest.ts";
import { workerSource } from "./interpreter-worker.ts";
import { KeptValues } from "./kept-values.ts";
import type { CallReply, CompiledEngine, WorkerMessage, WorkerSetup } from "./protocol.ts";

export interface SandboxOptions {
  /** For requests that bring none: 1000 ms, and 256 MB beside the values kept for the space. */
  readonly limits?: Partial<SandboxLimits>;
}

/**
 * Expressions in an interpreter of their own inside a worker thread. Nothing is started before the first call. Calls are
 * made one after another; one that does not end costs the worker its life, and only that call fails.
 */
export function createSandbox(options: SandboxOptions = {}): WakefulSandbox {
  return new WorkerSandbox(options);
}

/** The evaluator says when a call is likely to come: it sees the sandbox as its runner. */
export interface WakefulSandbox extends Sandbox {
  /** The worker, if there is one already, had better be awake by then. Costs some microseconds. */
  expect(): void;
}

/** How long after its deadline a call may still answer by itself before its worker is terminated. */
const graceMs = 250;
/** How long a worker looks for the next call: after an answer that was looked for, and after it was woken for a call to come. */
const lingerMs = { answered: 0.05, woken: 0.2 };
/** Interpreters kept warm, one per space. */
const spaces = 16;
const identifier = /^[\p{ID_Start}$_][\p{ID_Continue}$\u200c\u200d]*$/u;

interface Call {
  readonly request: SandboxRequest;
  readonly limits: SandboxLimits;
  readonly resolve: (result: SandboxResult) => void;
  readonly reject: (error: unknown) => void;
}
interface Link {
  readonly worker: Worker;
  readonly kept: KeptValues;
  readonly exchange: Exchange;
}

class WorkerSandbox implements WakefulSandbox {
  readonly #limits: SandboxLimits;
  readonly #waiting: Call[] = [];
  #link: Link | undefined;
  #current: Call | undefined;
  #timer: NodeJS.Timeout | undefined;
  #watched = 0;
  #sentAt = 0;
  #closed = false;
  #calls = 0;
  #valuesSent = 0;
  #bytesSent = 0;
  #starts = 0;

  constructor({ limits }: SandboxOptions) {
    this.#limits = { timeMs: 1000, memoryBytes: 256 << 20, ...limits };
  }

  evaluate(request: SandboxRequest): Promise<SandboxResult> {
    if (this.#closed) return Promise.reject(closed());
    return new Promise((resolve, reject) => {
      this.#waiting.push({ request, limits: { ...this.#limits, ...request.limits }, resolve, reject });
      if (this.#current === undefined) this.#next();
    });
  }

  expect(): void {
    if (this.#current === undefined) this.#link?.exchange.prepare();
  }

  stats(): ReturnType<Sandbox["stats"]> {
    const { valuesSent, lengthSent } = this.#link?.kept ?? { valuesSent: 0, lengthSent: 0 };
    return {
      calls: this.#calls,
      valuesSent: this.#valuesSent + valuesSent,
      bytesSent: this.#bytesSent + lengthSent,
      restarts: Math.max(0, this.#starts - 1),
    };
  }

  async close(): Promise<void> {
    this.#closed = true;
    for (const call of [this.#current, ...this.#waiting.splice(0)]) call?.reject(closed());
    this.#current = undefined;
    await this.#drop();
  }

  #next(): void {
    const call = this.#waiting.shift();
    this.#current = call;
    if (call === undefined) return;
    if (this.#link) return this.#send(this.#link, call);
    this.#start().then(
      (link) => this.#current === call && this.#send(link, call),
      (error: unknown) => this.#current === call && this.#finish(() => call.reject(unavailable(error))),
    );
  }

  async #start(): Promise<Link> {
    const exchange = new Exchange();
    const setup: WorkerSetup = {
      ...(await loadEngine()),
      guest: guestSource,
      memoryBytes: this.#limits.memoryBytes,
      spaces,
      shared: exchange.shared,
      layout,
      lingerMs,
    };
    const worker = new Worker(workerSource(), {
      eval: true,
      name: "waymark sandbox",
      workerData: setup,
      env: {},
      execArgv: [],
      stdout: true,
      stderr: true,
      resourceLimits: { maxOldGenerationSizeMb: 512, maxYoungGenerationSizeMb: 32, stackSizeMb: 4 },
    });
    this.#starts++;
    const link: Link = { worker, exchange, kept: new KeptValues(this.#limits.memoryBytes / 2) };
    await new Promise<void>((resolve, reject) => {
      worker.on("message", (message: WorkerMessage) =>
        message === "ready" ? resolve() : this.#link === link && this.#answered(link, message === "answered" ? exchange.read() : message),
      );
      worker.on("error", (error) => (reject(error), this.#broke(link, error)));
      worker.on("exit", () => (reject(new Error("its thread ended while it started")), this.#broke(link, undefined)));
    });
    // From here on the timer of a call keeps the process alive, and nothing does when no call is open.
    worker.unref();
    if (this.#closed) {
      await worker.terminate();
      throw closed();
    }
    this.#link = link;
    return link;
  }

  #send(link: Link, call: Call): void {
    const { request, limits } = call;
    try {
      const wrong = Object.keys(request.bindings).find((name) => !identifier.test(name));
      if (wrong !== undefined) throw badBinding(wrong);
      const before = link.kept.lengthSent;
      const sent = link.kept.send(request.space, request.bindings);
      this.#calls++;
      // Reading large values is the sandbox's own work, not the code's: it gets time of its own.
      const allowance = Math.floor((link.kept.lengthSent - before) / 10_000);
      const time = limits.timeMs + allowance;
      const base = [request.space, request.code, sent.names, sent.values, sent.rooted, time, limits.memoryBytes] as const;
      link.exchange.ask(sent.changes ? [...base, sent.changes] : base, (message) => link.worker.postMessage(message));
      const reply = link.exchange.pollAnswer(this.#waiting.length > 0);
      if (reply === undefined) this.#watch(limits.timeMs + graceMs + allowance * 5);
      else this.#answered(link, reply);
    } catch (error) {
      this.#finish(() => call.reject(error));
    }
  }

  #answered(link: Link, reply: CallReply): void {
    const call = this.#current;
    if (call === undefined) return;
    if (reply[2]) link.kept.lose(call.request.space);
    this.#finish(() => call.resolve(resultOf(call, reply)));
  }

  /** One timer is wound up again for call after call; it keeps the process alive only while a call is open. */
  #watch(ms: number): void {
    this.#sentAt = performance.now();
    if (this.#timer && this.#watched === ms) {
      this.#timer.refresh().ref();
      return;
    }
    clearTimeout(this.#timer);
    this.#timer = setTimeout(this.#late, ms);
    this.#watched = ms;
  }

  /**
   * The answer may already be in this thread's queue, if the thread itself was busy: looks there once more before it kills.
   */
  readonly #late = (): void => {
    this.#watched = 0;
    const link = this.#link;
    const call = this.#current;
    setImmediate(() => {
      if (call === undefined || this.#link !== link || this.#current !== call) return;
      void this.#drop();
      this.#finish(() => call.resolve(failed("SANDBOX_TIMEOUT", timeoutMessage(call.limits.timeMs), performance.now() - this.#sentAt)));
    });
  };

  /** The worker died by itself: the call it was busy with is to blame, the ones that wait go to a new worker. */
  #broke(link: Link, error: unknown): void {
    if (this.#link !== link) return;
    void this.#drop();
    const call = this.#current;
    const reason = error instanceof Error ? ` ${error.message}.` : "";
    if (call)
      this.#finish(() =>
        call.resolve(failed("SANDBOX_MEMORY", memoryMessage(call.limits.memoryBytes) + reason, performance.now() - this.#sentAt)),
      );
  }

  #finish(settle: () => void): void {
    this.#timer?.unref();
    this.#current = undefined;
    settle();
    if (this.#current === undefined) this.#next();
  }

  async #drop(): Promise<void> {
    const link = this.#link;
    this.#link = undefined;
    this.#valuesSent += link?.kept.valuesSent ?? 0;
    this.#bytesSent += link?.kept.lengthSent ?? 0;
    clearTimeout(this.#timer);
    this.#watched = 0;
    await link?.worker.terminate();
  }
}

/** Node has it, the compiler's library for Node does not. */
declare const WebAssembly: { compile(bytes: Uint8Array): Promise<CompiledEngine> };

type Engine = Pick<WorkerSetup, "wasm" | "engine">;
let compiled: Promise<Engine> | undefined;

/** Compiles the engine once per process. It is found beside this package, in source and bundled form alike. */
async function loadEngine(): Promise<Engine> {
  const { resolve } = createRequire(import.meta.url);
  const engine = pathToFileURL(resolve("quickjs-wasi")).href;
  compiled ??= readFile(resolve("quickjs-wasi/quickjs.wasm")).then(async (bytes) => ({ wasm: await WebAssembly.compile(bytes), engine }));
  compiled.catch(() => (compiled = undefined));
  return compiled;
}

type Failure = Extract<SandboxResult, { ok: false }>;

function failed(code: Failure["code"], message: string, ms: number): Failure {
  return { ok: false, code, message, ms };
}

function resultOf({ limits }: Call, [outcome, ms]: CallReply): SandboxResult {
  const rest = outcome.slice(1);
  if (outcome.startsWith("V")) return { ok: true, value: JSON.parse(rest) as Json, ms };
  const failures: Readonly<Record<string, readonly [Failure["code"], message: string]>> = {
    S: ["SANDBOX_SYNTAX", rest],
    R: ["SANDBOX_RESULT", rest],
    M: ["SANDBOX_MEMORY", memoryMessage(limits.memoryBytes)],
    L: ["SANDBOX_TIMEOUT", timeoutMessage(limits.timeMs)],
    X: ["SANDBOX_THROWN", `The interpreter failed: ${rest}`],
  };
  return failed(...(failures[outcome.slice(0, 1)] ?? (["SANDBOX_THROWN", beginningOf(rest, 2000)] as const)), ms);
}

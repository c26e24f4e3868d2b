import type { ChildProcess } from "node:child_process";
import { randomUUID } from "node:crypto";
import { createReadStream, rmSync, statSync } from "node:fs";
import { join } from "node:path";
import { makeStoreFolder } from "../disk/index.ts";
import type { CapturedOutput, CommandKey, CommandOutcome, CommandRequest, Commands } from "../ports/index.ts";
import { OutputCapture, OutputEnds } from "./capture-output.ts";
import { outputNotKept, reasonOf } from "./codes.ts";
import type { GroupRecords, Settling } from "./group-records.ts";
import type { Log } from "./log.ts";
import { ProcessGroup } from "./process-group.ts";
import { spawnGated, type Gated } from "./spawn-gated.ts";
import { childEnvironment, type Environment } from "./user-folders.ts";
import { writeFileAtomic } from "./write-file-atomic.ts";

export interface CommandOptions {
  /** More commands than this wait for a free place. */
  readonly parallel: number;
  /** Large output and long scripts are in `tmp/` there. */
  readonly storeFolder: string;
  readonly groups: GroupRecords;
  readonly env: Environment;
  readonly log: Log;
}

/** Kept of its beginning, and of its end. */
const stderrBytes = 64 * 1024;
const longestTimer = 2 ** 31 - 1;
/** How long output may still come after the shell itself has ended. */
const drainMs = 1000;
/** Linux takes at most 128 KB in one argument; a longer command goes through a file. */
const longestArgument = 100_000;

/**
 * Runs shell commands, each in a process group of its own, with nothing on stdin. A command is over when its shell is: what it
 * left running in its group is ended too, so that no step leaves a process behind. Its group is recorded before it begins, so that
 * another process finds it when this one is killed. The caller takes over `stdout.file` or removes it. `run` rejects only with
 * `HOST_OUTPUT_NOT_KEPT`.
 */
export class ShellCommands implements Commands {
  readonly shell: string = process.platform === "win32" ? "cmd.exe" : "/bin/sh";
  readonly #options: CommandOptions;
  readonly #stop = new AbortController();
  readonly #running = new Set<Promise<unknown>>();
  readonly #waiting: (() => void)[] = [];
  #free: number;

  constructor(options: CommandOptions) {
    this.#options = options;
    this.#free = options.parallel;
  }

  async run(request: CommandRequest): Promise<CommandOutcome> {
    const work = this.#run(request);
    this.#running.add(work);
    try {
      return await work;
    } finally {
      this.#running.delete(work);
    }
  }

  async *read({ text, file }: CapturedOutput): AsyncGenerator<string, void, undefined> {
    if (file === undefined) {
      yield text;
      return;
    }
    try {
      for await (const piece of createReadStream(file, "utf8")) yield piece as string;
    } finally {
      rmSync(file, { force: true });
    }
  }

  settle(key: CommandKey, how: Settling, signal: AbortSignal): Promise<boolean> {
    return this.#options.groups.settle(encodeKey(key), how, signal);
  }

  async begun(run: string): Promise<readonly CommandKey[]> {
    return this.#options.groups
      .keys()
      .map(decodeKey)
      .filter((key) => key.run === run);
  }

  async settleDead(signal: AbortSignal): Promise<readonly CommandKey[]> {
    return (await this.#options.groups.settleDead(signal)).map(decodeKey);
  }

  /** Ends all commands, also those that wait, and resolves when none is left. Later ones are answered as cancelled. */
  async killAll(): Promise<void> {
    this.#stop.abort();
    await Promise.allSettled(this.#running);
  }

  async #run(request: CommandRequest): Promise<CommandOutcome> {
    const cancel = watchSignals([request.signal, this.#stop.signal]);
    try {
      if (!(await this.#takePlace(cancel.signal))) return notRun("cancelled");
      try {
        return await this.#perform(request, cancel);
      } finally {
        this.#givePlace();
      }
    } finally {
      cancel.release();
    }
  }

  /** False when it was cancelled before a place was free. */
  async #takePlace(cancel: AbortSignal): Promise<boolean> {
    if (cancel.aborted) return false;
    if (this.#free > 0) {
      this.#free--;
      return true;
    }
    return await new Promise((done) => {
      const go = (): void => done(true);
      this.#waiting.push(go);
      cancel.addEventListener("abort", () => {
        const index = this.#waiting.indexOf(go);
        if (index < 0) return;
        this.#waiting.splice(index, 1);
        done(false);
      });
    });
  }

  #givePlace(): void {
    const next = this.#waiting.shift();
    if (next) next();
    else this.#free++;
  }

  async #perform(request: CommandRequest, cancel: Cancel): Promise<CommandOutcome> {
    if (cancel.signal.aborted) return notRun("cancelled");
    const began = performance.now();
    const started = await this.#start(request);
    if (started === undefined) return notRun("cancelled");
    if ("problem" in started) return notRun("not_started", started.problem);
    const { child, group, forget } = started;
    let ended: CommandOutcome["ended"] = "exit";
    let failure: { readonly cause: unknown } | undefined;
    const stop = (why: "timeout" | "cancelled"): void => {
      if (ended === "exit") ended = why;
      void group.end();
    };
    const out = new OutputCapture(child.stdout!, {
      keepBytes: request.keepBytes,
      folder: join(this.#options.storeFolder, "tmp"),
      onProgress: request.onProgress,
      onFailure: (cause) => {
        failure = { cause };
        void group.end();
      },
    });
    const errors = new OutputEnds(child.stderr!, stderrBytes);
    const closed = new Promise<true>((done) => child.once("close", () => done(true)));
    const timer = setTimeout(() => stop("timeout"), Math.min(request.timeoutMs, longestTimer));
    if (cancel.signal.aborted) stop("cancelled");
    else cancel.signal.addEventListener("abort", () => stop("cancelled"));

    const exit = await group.exited;
    clearTimeout(timer);
    cancel.release();
    await drainAndEndGroup(child, { group, closed, out, untilMs: began + request.timeoutMs });
    if (await group.end()) forget();
    const stdout = await out.finish();
    const ms = Math.round(performance.now() - began);
    this.#options.log("debug", "A command ended.", { ended, code: exit.code, signal: exit.signal, ms, bytes: stdout.bytes });
    if (failure !== undefined) {
      out.discard();
      throw outputNotKept(join(this.#options.storeFolder, "tmp"), failure.cause);
    }
    return { exitCode: exit.code, signal: exit.signal, ended, stdout, stderr: errors.text(), ms };
  }

  /** undefined when another process has its effect. */
  async #start(request: CommandRequest): Promise<Started | { readonly problem: string } | undefined> {
    try {
      if (!statSync(request.cwd, { throwIfNoEntry: false })?.isDirectory())
        return { problem: `The folder \`${request.cwd}\` does not exist.` };
      const [program, args] = await this.#shell(request);
      const gated = spawnGated(program, args, {
        cwd: request.cwd,
        env: childEnvironment(this.#options.env, request.env),
        stdio: ["ignore", "pipe", "pipe"],
        windowsVerbatimArguments: process.platform === "win32",
      });
      return await this.#letGo(request, gated, await ProcessGroup.of(gated.child));
    } catch (cause) {
      return { problem: `The shell could not be started: ${reasonOf(cause)}.` };
    }
  }

  /**
   * The record comes before the last look at the claim: a process that takes the effect up looks for records after it has taken the claim
   * away, so it finds the record, or this one does not begin.
   */
  async #letGo(request: CommandRequest, { child, open, refuse }: Gated, group: ProcessGroup): Promise<Started | undefined> {
    const { groups, log } = this.#options;
    try {
      const { claim, timeoutMs } = request;
      const forget = claim === undefined ? groups.tryRecord(group.pid) : groups.record(group.pid, { key: encodeKey(claim), timeoutMs });
      // A claim that cannot be looked at does not count: the effect is interrupted then, not failed.
      if (claim !== undefined && !(await claim.isHeld().catch(() => false))) {
        log("warn", "A command is not started, because its effect is not held by this process any more.", { run: claim.run });
        refuse();
        if (await group.end()) forget();
        return undefined;
      }
      open();
      return { child, group, forget };
    } catch (cause) {
      refuse();
      await group.end();
      throw cause;
    }
  }

  async #shell({ command, shell: wished }: CommandRequest): Promise<[string, string[]]> {
    const shell = wished ?? this.shell;
    if (process.platform === "win32" && wished === undefined)
      return [process.env["ComSpec"] ?? "cmd.exe", ["/d", "/s", "/c", `"${command}"`]];
    if (Buffer.byteLength(command) <= longestArgument) return [shell, ["-c", command]];
    makeStoreFolder(this.#options.storeFolder);
    const script = join(this.#options.storeFolder, "tmp", `output-${randomUUID()}.sh`);
    await writeFileAtomic(script, `rm -f -- "$0"\n${command}\n`, 0o600);
    return [shell, [script]];
  }
}

interface Started {
  readonly child: ChildProcess;
  readonly group: ProcessGroup;
  /** Removes the record of the group. */
  readonly forget: () => void;
}

function encodeKey({ run, effect }: CommandKey): string {
  return `${run}/${effect}`;
}

function decodeKey(key: string): CommandKey {
  const cut = key.indexOf("/");
  return { run: key.slice(0, cut), effect: key.slice(cut + 1) };
}

interface Draining {
  readonly group: ProcessGroup;
  readonly closed: Promise<true>;
  readonly out: OutputCapture;
  readonly untilMs: number;
}

/**
 * After the shell ended: takes in what is still in the pipes, ends what is left of the group, and closes the pipes. A process
 * that left the group may hold a pipe forever; it gets until it is quiet, at most until the command's own time is over.
 */
async function drainAndEndGroup(child: ChildProcess, { group, closed, out, untilMs }: Draining): Promise<void> {
  let isClosed = await within(drainMs, closed);
  await group.end();
  while (!isClosed && out.quietMs() < drainMs && (performance.now() < untilMs || out.quietMs() === 0)) {
    isClosed = await within(50, closed);
  }
  if (isClosed) return;
  child.stdout?.destroy();
  child.stderr?.destroy();
}

/** Whether it happened within the time. Leaves no timer behind: one would keep this process when all is done. */
async function within(ms: number, happened: Promise<true>): Promise<boolean> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<boolean>((done) => {
    timer = setTimeout(() => done(false), ms);
  });
  try {
    return await Promise.race([happened, late]);
  } finally {
    clearTimeout(timer);
  }
}

function notRun(ended: "cancelled" | "not_started", problem?: string): CommandOutcome {
  const facts = { exitCode: null, signal: null, ended, stdout: { text: "", bytes: 0 }, stderr: "", ms: 0 };
  return problem === undefined ? facts : { ...facts, problem };
}

/** Several signals as one, listened to only until released: a signal that lives long must not collect listeners. */
interface Cancel {
  readonly signal: AbortSignal;
  release(): void;
}

function watchSignals(signals: readonly (AbortSignal | undefined)[]): Cancel {
  const present = signals.filter((signal) => signal !== undefined);
  const both = new AbortController();
  const abort = (): void => both.abort();
  if (present.some((signal) => signal.aborted)) abort();
  for (const signal of present) signal.addEventListener("abort", abort);
  return { signal: both.signal, release: () => present.forEach((signal) => signal.removeEventListener("abort", abort)) };
}

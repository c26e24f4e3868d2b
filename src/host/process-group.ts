import { spawn, spawnSync, type ChildProcess } from "node:child_process";
import { readdirSync } from "node:fs";
import { setTimeout as delay } from "node:timers/promises";
import { isRunning } from "../disk/index.ts";
import { statFields } from "./process-identity.ts";

/** How long a group has between the polite signal and the deadly one. */
const graceMs = 2000;

/**
 * A child that was spawned `detached`, with everything it starts that stays in its process group. A process that makes a
 * session of its own (`setsid`) leaves the group and is out of reach. When this process exits in any way that runs its exit
 * handlers, all groups are killed; when it is killed with SIGKILL they survive it, and `GroupRecords` ends them later.
 */
export class ProcessGroup {
  readonly exited: Promise<{ readonly code: number | null; readonly signal: string | null }>;
  readonly pid: number;
  readonly #child: ChildProcess;
  #ending: Promise<boolean> | undefined;

  private constructor(child: ChildProcess, pid: number) {
    this.#child = child;
    this.pid = pid;
    child.on("error", () => undefined);
    this.exited = new Promise((done) => child.once("exit", (code, signal) => done({ code, signal })));
    living.add(this);
    killAtExit();
  }

  /** The group of a child that was just spawned; rejects with the system's error when the child did not start. */
  static async of(child: ChildProcess): Promise<ProcessGroup> {
    const { pid } = child;
    if (pid !== undefined) return new ProcessGroup(child, pid);
    throw await new Promise<unknown>((done) => child.once("error", done));
  }

  /** Ends the whole group as `endGroup` does. Safe to call again. */
  end(): Promise<boolean> {
    this.#ending ??= endGroup(this.pid, () => this.#runs()).finally(() => living.delete(this));
    return this.#ending;
  }

  /** At once and without waiting, for the last moment of this process. */
  killNow(): void {
    if (process.platform === "win32") spawnSync("taskkill", ["/pid", String(this.pid), "/T", "/F"], { stdio: "ignore", windowsHide: true });
    else signalGroup(this.pid, "SIGKILL");
  }

  /** Windows gives the number of a child to others as soon as it has ended, so the child itself is asked there. */
  #runs(): boolean {
    return process.platform === "win32" ? this.#child.exitCode === null && this.#child.signalCode === null : groupRuns(this.pid);
  }
}

/**
 * Asks a whole group to end, kills it after the grace time, and answers whether nothing of it runs. Bounded: a process that waits for
 * a broken disk dies only when the disk answers.
 */
export async function endGroup(pid: number, runs: () => boolean, withinMs: number = graceMs): Promise<boolean> {
  if (!runs()) return true;
  signalGroup(pid, "SIGTERM");
  if (await isGone(runs, withinMs)) return true;
  signalGroup(pid, "SIGKILL");
  return await isGone(runs, 1000);
}

/** Looks until nothing runs, the time is over or the signal aborts. */
export async function isGone(runs: () => boolean, withinMs: number, signal?: AbortSignal): Promise<boolean> {
  const until = performance.now() + withinMs;
  for (let pause = 10; runs(); pause = Math.min(pause * 2, 80)) {
    const left = until - performance.now();
    if (left <= 0 || signal?.aborted) return false;
    await delay(Math.min(pause, left), undefined, signal === undefined ? {} : { signal }).catch(() => undefined);
  }
  return true;
}

/**
 * Whether anything of a group runs. What is dead and only waits to be collected by its parent does not: in a container whose first
 * process never collects, that is forever. Windows knows no groups: there its leader is asked.
 */
export function groupRuns(pid: number): boolean {
  if (process.platform === "win32") return isRunning(pid);
  try {
    process.kill(-pid, 0);
  } catch (cause) {
    // Linux: a program that changed its user is there, too, though it takes no signals from here.
    if (process.platform !== "linux" || (cause as NodeJS.ErrnoException).code !== "EPERM") return false;
  }
  return process.platform !== "linux" || !hasOnlyZombies(pid);
}

function hasOnlyZombies(group: number): boolean {
  const runs = (pid: string): boolean => {
    const [state, , pgrp] = statFields(pid);
    return pgrp === String(group) && state !== "Z" && state !== "X";
  };
  // Most often the leader tells.
  return !runs(String(group)) && !readdirSync("/proc").some((name) => /^\d+$/.test(name) && runs(name));
}

/** Windows has no signals: the tree is asked to close, then forced. */
function signalGroup(pid: number, name: "SIGTERM" | "SIGKILL"): void {
  if (process.platform === "win32") {
    const force = name === "SIGKILL" ? ["/F"] : [];
    spawn("taskkill", ["/pid", String(pid), "/T", ...force], { stdio: "ignore", windowsHide: true }).once("error", () => undefined);
    return;
  }
  try {
    process.kill(-pid, name);
  } catch {
    // Nothing is left to receive it.
  }
}

/** Options every child is spawned with so that `ProcessGroup` can reach all of it. A detached child on Windows would open a console. */
export const groupOptions: { readonly detached: boolean; readonly windowsHide: boolean } = {
  detached: process.platform !== "win32",
  windowsHide: true,
};

const living = new Set<ProcessGroup>();
let watching = false;

function killAtExit(): void {
  if (watching) return;
  watching = true;
  process.once("exit", () => living.forEach((group) => group.killNow()));
}

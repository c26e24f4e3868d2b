import { spawn, spawnSync, type ChildProcess } from "node:child_process";
import { readFileSync, readdirSync } from "node:fs";
import { setTimeout as delay } from "node:timers/promises";

/** How long a group has between the polite signal and the deadly one. */
export const graceMs = 2000;

/**
 * A child that was spawned `detached`, with everything it starts that stays in its process group. A process that makes a
 * session of its own (`setsid`) leaves the group and is out of reach. When this process exits in any way that runs its exit
 * handlers, all groups are killed; when it is killed with SIGKILL they survive it.
 */
export class ProcessGroup {
  readonly exited: Promise<{ readonly code: number | null; readonly signal: string | null }>;
  readonly #child: ChildProcess;
  readonly #pid: number;
  #ending: Promise<void> | undefined;

  private constructor(child: ChildProcess, pid: number) {
    this.#child = child;
    this.#pid = pid;
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

  /** Asks the whole group to end, kills it after the grace time, and resolves when nothing of it runs. Safe to call again. */
  end(): Promise<void> {
    this.#ending ??= this.#end();
    return this.#ending;
  }

  /** At once and without waiting, for the last moment of this process. */
  killNow(): void {
    if (process.platform === "win32")
      spawnSync("taskkill", ["/pid", String(this.#pid), "/T", "/F"], { stdio: "ignore", windowsHide: true });
    else this.#signal("SIGKILL");
  }

  async #end(): Promise<void> {
    try {
      if (this.#signal("SIGTERM") && !(await this.#gone(graceMs))) {
        this.#signal("SIGKILL");
        // Bounded: a process that waits for a broken disk dies only when the disk answers.
        await this.#gone(1000);
      }
    } finally {
      living.delete(this);
    }
  }

  async #gone(withinMs: number): Promise<boolean> {
    const until = performance.now() + withinMs;
    for (let pause = 10; this.#signal(0) && !hasOnlyZombies(this.#pid); pause = Math.min(pause * 2, 80)) {
      if (performance.now() >= until) return false;
      await delay(pause);
    }
    return true;
  }

  /** Answers whether anything is left to receive it. */
  #signal(name: NodeJS.Signals | 0): boolean {
    if (process.platform === "win32") return this.#signalOnWindows(name);
    try {
      return process.kill(-this.#pid, name);
    } catch {
      return false;
    }
  }

  /** Windows has no signals: the tree is asked to close, then forced. */
  #signalOnWindows(name: NodeJS.Signals | 0): boolean {
    const running = this.#child.exitCode === null && this.#child.signalCode === null;
    if (running && name !== 0) {
      const force = name === "SIGKILL" ? ["/F"] : [];
      spawn("taskkill", ["/pid", String(this.#pid), "/T", ...force], { stdio: "ignore", windowsHide: true }).once("error", () => undefined);
    }
    return running;
  }
}

/**
 * Whether all that is left of a group is dead and only waits to be collected by its parent. In a container whose first process
 * never collects, that is forever. Known on Linux only; elsewhere the answer is no.
 */
function hasOnlyZombies(group: number): boolean {
  if (process.platform !== "linux") return false;
  for (const name of readdirSync("/proc")) {
    if (!/^\d+$/.test(name)) continue;
    const [state, , pgrp] = statFields(name);
    if (pgrp === String(group) && state !== "Z" && state !== "X") return false;
  }
  return true;
}

/** State, parent and group of a process; nothing when it has gone meanwhile. */
function statFields(pid: string): string[] {
  try {
    const text = readFileSync(`/proc/${pid}/stat`, "latin1");
    return text.slice(text.lastIndexOf(")") + 2).split(" ", 3);
  } catch {
    return [];
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

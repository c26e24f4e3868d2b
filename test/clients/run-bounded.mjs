// @ts-check
import { spawn } from "node:child_process";
import { readdirSync, readlinkSync } from "node:fs";
import { sep } from "node:path";

/**
 * @typedef {{ code: number | null, timedOut: boolean, stdout: string, stderr: string, seconds: number }} Ended
 * @typedef {{ cwd?: string, env?: NodeJS.ProcessEnv, seconds: number }} Bounds
 */

/** Process groups that this script started and that have not ended. @type {Set<number>} */
const groups = new Set();
const mostOutput = 8_000_000;

/** Nothing outlives this script, unless it is killed itself. */
export function killGroupsOnExit() {
  process.once("exit", killAll);
  for (const signal of /** @type {const} */ (["SIGINT", "SIGTERM", "SIGHUP"])) process.on(signal, () => process.exit(1));
}

function killAll() {
  for (const group of groups) killGroup(group, "SIGKILL");
}

/**
 * Runs a command in a process group of its own, without input, for at most so many seconds. What is left of the group when the command
 * has ended is killed.
 *
 * @param {string} command
 * @param {readonly string[]} args
 * @param {Bounds} bounds
 * @returns {Promise<Ended>}
 */
export function runBounded(command, args, bounds) {
  const begun = performance.now();
  const { child, output, stop } = startGroup(command, args, bounds);
  return new Promise((resolve) => {
    let timedOut = false;
    const timer = setTimeout(() => {
      timedOut = true;
      stop();
    }, bounds.seconds * 1000);
    const done = (/** @type {number | null} */ code) => {
      clearTimeout(timer);
      if (child.pid !== undefined) endGroup(child.pid);
      resolve({ code, timedOut, ...output, seconds: (performance.now() - begun) / 1000 });
    };
    child.once("error", (error) => {
      output.stderr += error.message;
      done(null);
    });
    // A grandchild may hold the pipes open for ever, so the end of the command counts, after a moment for its last words.
    child.once("exit", (code) => {
      const late = setTimeout(() => done(code), 1500);
      child.once("close", () => {
        clearTimeout(late);
        done(code);
      });
    });
  });
}

/**
 * Starts a command that runs until it is stopped: politely first, then for good.
 *
 * @param {string} command
 * @param {readonly string[]} args
 * @param {Omit<Bounds, "seconds">} bounds
 */
export function startGroup(command, args, { cwd, env }) {
  const child = spawn(command, args, { cwd, env, detached: true, stdio: ["ignore", "pipe", "pipe"] });
  const output = { stdout: "", stderr: "" };
  child.stdout.setEncoding("utf8").on("data", (text) => (output.stdout = (output.stdout + text).slice(-mostOutput)));
  child.stderr.setEncoding("utf8").on("data", (text) => (output.stderr = (output.stderr + text).slice(-mostOutput)));
  const { pid } = child;
  if (pid !== undefined) groups.add(pid);
  const stop = () => {
    if (pid === undefined) return;
    killGroup(pid, "SIGTERM");
    setTimeout(() => killGroup(pid, "SIGKILL"), 3000).unref();
  };
  return { child, output, stop };
}

/** @param {number} group */
export function endGroup(group) {
  killGroup(group, "SIGKILL");
  groups.delete(group);
}

/** @param {number} group @param {NodeJS.Signals} signal */
function killGroup(group, signal) {
  try {
    process.kill(-group, signal);
  } catch {
    // It has ended already.
  }
}

/**
 * Processes that still work inside a folder, after they had some seconds to end. Only Linux can tell; elsewhere there are none.
 *
 * @param {string} folder
 * @param {number} seconds
 * @returns {Promise<number[]>}
 */
export async function leftIn(folder, seconds) {
  const until = performance.now() + seconds * 1000;
  for (;;) {
    const found = workingIn(folder);
    if (found.length === 0 || performance.now() > until) return found;
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
}

/** Processes that work inside a folder now. @param {string} folder */
export function workingIn(folder) {
  if (process.platform !== "linux") return [];
  const pids = readdirSync("/proc").filter((name) => /^\d+$/.test(name) && Number(name) !== process.pid);
  return pids.map(Number).filter((pid) => {
    try {
      return `${readlinkSync(`/proc/${pid}/cwd`)}${sep}`.startsWith(`${folder}${sep}`);
    } catch {
      return false;
    }
  });
}

/** @param {readonly number[]} pids */
export function killEach(pids) {
  for (const pid of pids) {
    try {
      process.kill(pid, "SIGKILL");
    } catch {
      // It has ended already.
    }
  }
}

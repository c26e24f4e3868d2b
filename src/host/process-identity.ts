import { spawnSync } from "node:child_process";
import { readFileSync, readlinkSync } from "node:fs";
import { hostname } from "node:os";
import { isRunning } from "../disk/index.ts";

/** One process among all that ever run: numbers are given again, also to processes of other containers and after a restart. */
export interface ProcessIdentity {
  readonly host: string;
  /** Processes of another PID namespace have numbers of their own. Empty where there are none. */
  readonly namespace: string;
  /** Changes with every start of the computer. Empty where times of start are dates. */
  readonly boot: string;
  readonly pid: number;
  /** Linux: when it started, in ticks since the computer did. Elsewhere a time in milliseconds at which it ran already. */
  readonly started: string;
}

/** The identity of a process of this computer that runs now. */
export function identify(pid: number): ProcessIdentity {
  return { ...thisComputer(), pid, started: startTimeOf(pid) ?? String(Date.now()) };
}

/** Whether process numbers mean the same there and here. */
export function isOfThisComputer({ host, namespace, boot }: ProcessIdentity): boolean {
  const here = thisComputer();
  return host === here.host && namespace === here.namespace && boot === here.boot;
}

/** Whether the computer was started again since: nothing of before runs any more. */
export function isOfEarlierBoot({ host, namespace, boot }: ProcessIdentity): boolean {
  const here = thisComputer();
  return host === here.host && namespace === here.namespace && boot !== here.boot;
}

/** Whether exactly this process runs; one that is dead but not collected by its parent does not. */
export function isAlive(identity: ProcessIdentity): boolean {
  const state = stateOf(identity.pid);
  return isOfThisComputer(identity) && state !== "gone" && state !== "Z" && state !== "X" && !isReplaced(identity);
}

/** Whether another process has the number now. False when nobody has it. */
export function isReplaced({ pid, started }: ProcessIdentity): boolean {
  if (!isRunning(pid)) return false;
  if (process.platform === "linux") return startTimeOf(pid) !== started;
  const at = startDateOf(pid);
  // The system tells whole seconds.
  return at === undefined || at > Number(started) + 1000;
}

/** Linux: when a process started, in ticks since the computer did; undefined when it is gone, and on other systems. */
export function startTimeOf(pid: number): string | undefined {
  return statFields(pid)[19];
}

/** State, parent, group and so on of a process, from the third field of its `stat`; nothing when it is gone, and on systems without. */
export function statFields(pid: number | string): readonly string[] {
  try {
    const text = readFileSync(`/proc/${pid}/stat`, "latin1");
    return text.slice(text.lastIndexOf(")") + 2).split(" ");
  } catch {
    return [];
  }
}

function stateOf(pid: number): string {
  return statFields(pid)[0] ?? (process.platform === "linux" || !isRunning(pid) ? "gone" : "running");
}

let computer: Pick<ProcessIdentity, "host" | "namespace" | "boot"> | undefined;

/** Where numbers of processes mean what they mean here. */
export function thisComputer(): Pick<ProcessIdentity, "host" | "namespace" | "boot"> {
  return (computer ??= {
    host: hostname(),
    namespace: textOr(() => readlinkSync("/proc/self/ns/pid")),
    boot: textOr(() => readFileSync("/proc/sys/kernel/random/boot_id", "utf8").trim()),
  });
}

function textOr(read: () => string): string {
  try {
    return read();
  } catch {
    return "";
  }
}

/** When a process started, in milliseconds, as macOS and Windows tell it; it takes a while, so it is asked only about what was left behind. */
function startDateOf(pid: number): number | undefined {
  const script = `(Get-Process -Id ${pid}).StartTime.ToUniversalTime().ToString('o')`;
  const [program, args] =
    process.platform === "win32" ? ["powershell", ["-NoProfile", "-Command", script]] : ["ps", ["-o", "lstart=", "-p", String(pid)]];
  const { stdout } = spawnSync(program, args, { encoding: "utf8", windowsHide: true, env: { ...process.env, LC_ALL: "C" } });
  const at = Date.parse((stdout ?? "").trim());
  return Number.isNaN(at) ? undefined : at;
}

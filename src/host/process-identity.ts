import { createHash } from "node:crypto";
import { readFileSync, readlinkSync } from "node:fs";
import { hostname } from "node:os";

/** What tells a process from every other one: where its number means something, its number, and when it began there. */
interface Identity {
  /** Host, PID namespace and boot as a short hash; empty where nobody can know them. */
  readonly place: string;
  readonly pid: number;
  /** In ticks since the boot; empty where the system does not say. */
  readonly started: string;
}

const form = /^p(\d+)-[a-z0-9]+\.([a-z0-9]*)\.([a-z0-9]*)(?![a-z0-9.])/;

/** A name for this process among all that use a store, which says who it is: `p<pid>-<random>.<place>.<start>`. */
export function createProcessId(random: string): string {
  return `p${process.pid}-${random}.${placeHere()}.${startOf(process.pid)?.started ?? ""}`;
}

/**
 * Whether the process that an id or the name of a lease owner begins with is certainly dead. False for processes elsewhere and for every
 * other name: nobody here can know.
 */
export function isProcessGone(owner: string): boolean {
  const named = identityIn(owner);
  if (named === undefined || named.place === "" || named.place !== placeHere()) return false;
  if (!isNumberUsed(named.pid)) return true;
  const now = named.started === "" ? undefined : startOf(named.pid);
  return now !== undefined && (now.ended || now.started !== named.started);
}

function identityIn(owner: string): Identity | undefined {
  const [, pid = "", place = "", started = ""] = form.exec(owner) ?? [];
  return pid === "" ? undefined : { pid: Number(pid), place, started };
}

let known: string | undefined;

function placeHere(): string {
  return (known ??= placeOf(process.platform));
}

/** On Linux the number of a process means something in its namespace only, so nothing is known where /proc does not tell that. */
function placeOf(platform: NodeJS.Platform): string {
  if (platform !== "linux") return hashOf([hostname()]);
  try {
    const boot = readFileSync("/proc/sys/kernel/random/boot_id", "utf8").trim();
    return hashOf([machine(), hostname(), readlinkSync("/proc/self/ns/pid"), boot]);
  } catch {
    return "";
  }
}

/** Not every system has one; host name and boot remain. */
function machine(): string {
  try {
    return readFileSync("/etc/machine-id", "utf8").trim();
  } catch {
    return "";
  }
}

function hashOf(parts: readonly string[]): string {
  return createHash("sha256").update(parts.join("\0")).digest("hex").slice(0, 10);
}

/** Asks the system and not /proc, which may hide the processes of other users. */
function isNumberUsed(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code !== "ESRCH";
  }
}

/** When the process with this number began, and whether it has ended and is only not reaped yet. */
function startOf(pid: number): { readonly started: string; readonly ended: boolean } | undefined {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, "latin1");
    // The name of the program, in brackets, may hold spaces and brackets itself.
    const [state = "", ...fields] = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
    return { started: fields[18] ?? "", ended: state === "Z" || state === "X" };
  } catch {
    return undefined;
  }
}

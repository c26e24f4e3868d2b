import { createHash, randomBytes } from "node:crypto";
import { lstatSync, readdirSync, rmSync } from "node:fs";
import { hostname } from "node:os";
import { join } from "node:path";
import { isRunning } from "../disk/index.ts";

/** `.waymark-<computer>-<process>-<random>.tmp`: says whose it is, so that what a crash left is not taken for what is being written. */
const form = /^\.waymark-([0-9a-f]{8})-(\d+)-[0-9a-f]{12}\.tmp$/;
const computer = createHash("sha256").update(hostname()).digest("hex").slice(0, 8);
/** A write takes milliseconds; what is older than this was left behind, by any process. */
const staleMs = 3_600_000;

/** Names that writes of this process use at this moment. */
const inUse = new Set<string>();

export function takeTemporaryName(): string {
  const name = `.waymark-${computer}-${process.pid}-${randomBytes(6).toString("hex")}.tmp`;
  inUse.add(name);
  return name;
}

export function releaseTemporaryName(name: string): void {
  inUse.delete(name);
}

export function isTemporaryName(name: string): boolean {
  return name.startsWith(".waymark-") && form.test(name);
}

/** Removes what a write that was cut short left in a folder. Files that are being written stay. */
export function removeStale(folder: string): void {
  for (const name of namesIn(folder)) {
    if (!isTemporaryName(name) || !isStale(folder, name)) continue;
    try {
      rmSync(join(folder, name), { force: true });
    } catch {
      // It may be removed another time; nothing depends on it.
    }
  }
}

function namesIn(folder: string): string[] {
  try {
    return readdirSync(folder);
  } catch {
    return [];
  }
}

function isStale(folder: string, name: string): boolean {
  const [, where, pid = ""] = form.exec(name) ?? [];
  if (where === computer && Number(pid) === process.pid) return !inUse.has(name);
  if (where === computer && !isRunning(Number(pid))) return true;
  const facts = lstatSync(join(folder, name), { throwIfNoEntry: false });
  return facts !== undefined && Date.now() - facts.mtimeMs > staleMs;
}

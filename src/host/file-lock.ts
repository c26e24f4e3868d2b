import { randomUUID } from "node:crypto";
import { mkdir, readFile, rm, stat, writeFile } from "node:fs/promises";
import { hostname } from "node:os";
import { dirname } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { isRunning } from "../disk/index.ts";

/** How long a lock may stay unchanged before it counts as left behind; its holder is done in milliseconds. */
const staleAfterMs = 10_000;
const giveUpAfterMs = 30_000;

/**
 * Does work while no other process does, by means of a file beside what is worked on. The lock of a process that died is taken away:
 * at once when it ran on this computer, else when it did not change for ten seconds. Answers false when the lock could not be had.
 */
export async function withFileLock(lock: string, work: () => Promise<void>): Promise<boolean> {
  const mark = JSON.stringify({ pid: process.pid, host: hostname(), id: randomUUID() });
  if (!(await acquire(lock, mark))) return false;
  try {
    await work();
    return true;
  } finally {
    // Another process that thought this one dead may hold it now.
    if ((await textIfThere(lock)) === mark) await rm(lock, { force: true });
  }
}

async function acquire(lock: string, mark: string): Promise<boolean> {
  await mkdir(dirname(lock), { recursive: true });
  const begun = performance.now();
  let seen = { text: undefined as string | undefined, since: begun };
  for (let tries = 0; performance.now() - begun < giveUpAfterMs; tries++) {
    if (await create(lock, mark)) return true;
    const held = await textIfThere(lock);
    if (held !== seen.text) seen = { text: held, since: performance.now() };
    if (held !== undefined && (isDead(held) || performance.now() - seen.since > staleAfterMs)) await breakLock(lock, held);
    else await delay(Math.min(50, 2 + tries) * (0.5 + Math.random()));
  }
  return false;
}

async function create(path: string, text: string): Promise<boolean> {
  try {
    await writeFile(path, text, { flag: "wx", mode: 0o600 });
    return true;
  } catch (cause) {
    const { code } = cause as NodeJS.ErrnoException;
    // Windows says so of a file that is just being removed.
    if (code === "EEXIST" || (process.platform === "win32" && (code === "EPERM" || code === "EBUSY" || code === "EACCES"))) return false;
    throw cause;
  }
}

/**
 * Removes a lock that was left behind. Of several that want to, one may, and it looks again before it does: else one could remove the
 * lock that another has just taken.
 */
async function breakLock(lock: string, held: string): Promise<void> {
  const breaker = `${lock}.break`;
  if (!(await create(breaker, String(process.pid)))) {
    const other = Number(await textIfThere(breaker));
    if ((other > 0 && !isRunning(other)) || (await ageOf(breaker)) > staleAfterMs) await rm(breaker, { force: true });
    await delay(5);
    return;
  }
  try {
    if ((await textIfThere(lock)) === held) await rm(lock, { force: true });
  } finally {
    await rm(breaker, { force: true });
  }
}

/** Milliseconds since it was last written; 0 when it is gone. */
async function ageOf(path: string): Promise<number> {
  const facts = await stat(path).catch(() => undefined);
  return facts === undefined ? 0 : Date.now() - facts.mtimeMs;
}

function textIfThere(path: string): Promise<string | undefined> {
  return readFile(path, "utf8").catch(() => undefined);
}

function isDead(mark: string): boolean {
  try {
    const { pid, host } = JSON.parse(mark) as { pid?: unknown; host?: unknown };
    return host === hostname() && typeof pid === "number" && !isRunning(pid);
  } catch {
    // Not written yet, or not in full: only time can tell.
    return false;
  }
}

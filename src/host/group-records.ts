import { createHash, randomUUID } from "node:crypto";
import { mkdirSync, readFileSync, readdirSync, rmSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { makeStoreFolder } from "../disk/index.ts";
import { reasonOf } from "./codes.ts";
import type { Log } from "./log.ts";
import { endGroup, groupRuns, isGone } from "./process-group.ts";
import { identify, isAlive, isOfEarlierBoot, isOfThisComputer, isReplaced, type ProcessIdentity } from "./process-identity.ts";

/** `end`: at once. `await`: it may come to its own end within what is left of its time; then it is ended, too. */
export type Settling = "end" | "await";

interface GroupRecord {
  /** What it was started for. Without one nobody takes it up, and it ends with its owner. */
  readonly key?: string;
  readonly leader: ProcessIdentity;
  /** The Waymark that started it. */
  readonly owner: ProcessIdentity;
  /** When its time is over, in milliseconds. */
  readonly until?: number;
}

interface Kept {
  readonly file: string;
  readonly record: GroupRecord | undefined;
}

/** For what nobody takes up: it lost its pipes when its Waymark died, and the next holder waits for its end. In milliseconds. */
const leftGraceMs = 400;
const weekMs = 7 * 24 * 60 * 60 * 1000;

/**
 * Which process groups the Waymarks of a store have started, one small file each: a process that is killed cannot end its groups, so
 * another one finds them here. Nothing is made durable, because what a crash of the computer loses has ended with it. Process
 * numbers of other computers and containers mean nothing here: their records are left alone.
 */
export class GroupRecords {
  readonly #store: string;
  readonly #folder: string;
  readonly #log: Log;
  #owner: ProcessIdentity | undefined;

  constructor(storeFolder: string, log: Log) {
    this.#store = storeFolder;
    this.#folder = join(storeFolder, "groups");
    this.#log = log;
  }

  /** Records the group that a process leads, before it does anything. Answers what removes the record. Throws what the system throws. */
  record(pid: number, claim?: { readonly key: string; readonly timeoutMs: number }): () => void {
    this.#owner ??= identify(process.pid);
    const facts: GroupRecord = {
      leader: identify(pid),
      owner: this.#owner,
      ...(claim === undefined ? {} : { key: claim.key, until: Date.now() + claim.timeoutMs }),
    };
    const file = join(this.#folder, `${prefixOf(claim?.key)}${randomUUID()}.json`);
    const write = (): void => writeFileSync(file, JSON.stringify(facts), { flag: "wx", mode: 0o600 });
    try {
      write();
    } catch (cause) {
      if ((cause as NodeJS.ErrnoException).code !== "ENOENT") throw cause;
      makeStoreFolder(this.#store);
      mkdirSync(this.#folder, { recursive: true });
      write();
    }
    return () => remove(file);
  }

  /** The same for what nobody would start a second time: it may run also where nothing can be written. */
  tryRecord(pid: number): () => void {
    try {
      return this.record(pid);
    } catch (cause) {
      this.#log("warn", "Processes run unrecorded: they would survive if Waymark were killed.", { group: pid, reason: reasonOf(cause) });
      return () => undefined;
    }
  }

  /** Answers true when nothing runs that was started for the key before now, false when the signal stopped it earlier. */
  async settle(key: string, how: Settling, signal?: AbortSignal): Promise<boolean> {
    const settled = this.#read(prefixOf(key)).map(
      async ({ file, record }) =>
        record === undefined || !isOfThisComputer(record.leader) || (await this.#settle(file, record, how, signal)),
    );
    return (await Promise.all(settled)).every(Boolean);
  }

  /** The keys for which something of this computer may run. */
  keys(): readonly string[] {
    const kept = this.#read("").flatMap(({ record }) => (record !== undefined && isOfThisComputer(record.leader) ? [record.key] : []));
    return [...new Set(kept.flatMap((key) => key ?? []))];
  }

  /**
   * Goes through what Waymarks that died have left: ends what was started for nobody else, and answers the keys of what runs. Records
   * that cannot be judged here are removed after a week.
   */
  async settleDead(signal: AbortSignal): Promise<readonly string[]> {
    const keys = new Set<string>();
    const ending: Promise<boolean>[] = [];
    for (const { file, record } of this.#read("")) {
      if (record === undefined || !isOfThisComputer(record.leader)) {
        const { mtimeMs } = statSync(file, { throwIfNoEntry: false }) ?? { mtimeMs: Date.now() };
        const over = record !== undefined && isOfEarlierBoot(record.leader);
        if (over || Date.now() - mtimeMs > weekMs) remove(file);
      } else if (!isAlive(record.owner)) {
        if (record.key !== undefined && isLeft(record)) keys.add(record.key);
        else ending.push(this.#settle(file, record, "end", signal));
      }
    }
    await Promise.all(ending);
    return [...keys];
  }

  async #settle(file: string, record: GroupRecord, how: Settling, signal: AbortSignal | undefined): Promise<boolean> {
    const { key, leader, until = 0 } = record;
    const runs = (): boolean => groupRuns(leader.pid);
    if (isLeft(record)) {
      if (how === "await" && !(await isGone(runs, until - Date.now(), signal)) && signal?.aborted) return false;
      for (let tries = 0; !(await endGroup(leader.pid, runs, key === undefined ? leftGraceMs : undefined)); tries++) {
        if (signal?.aborted) return false;
        if (tries === 0) this.#log("warn", "Processes that another Waymark started do not end.", { key, group: leader.pid });
      }
    }
    remove(file);
    return true;
  }

  #read(prefix: string): readonly Kept[] {
    return namesIn(this.#folder)
      .filter((name) => name.startsWith(prefix))
      .map((name) => ({ file: join(this.#folder, name), record: readRecord(join(this.#folder, name)) }));
  }
}

/** Whether anything of the group runs. The system gives no process the number of a group that still has members. */
function isLeft({ leader }: GroupRecord): boolean {
  return groupRuns(leader.pid) && !isReplaced(leader);
}

/** Names of files that hold records of the key. */
function prefixOf(key: string | undefined): string {
  return key === undefined ? "alone-" : `${createHash("sha256").update(key).digest("hex").slice(0, 32)}-`;
}

/** One that cannot be removed does no harm: nothing runs that it names. */
function remove(file: string): void {
  try {
    rmSync(file, { force: true });
  } catch {
    // Windows refuses while another process reads it.
  }
}

function namesIn(folder: string): readonly string[] {
  try {
    return readdirSync(folder);
  } catch {
    return [];
  }
}

/** undefined when it was removed meanwhile, or is not complete: its process waits then, and never begins if its Waymark is dead. */
function readRecord(file: string): GroupRecord | undefined {
  try {
    return JSON.parse(readFileSync(file, "utf8")) as GroupRecord;
  } catch {
    return undefined;
  }
}

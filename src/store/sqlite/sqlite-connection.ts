import type * as driver from "@photostructure/sqlite";
import { statSync } from "node:fs";
import { createRequire } from "node:module";
import { setTimeout as sleep } from "node:timers/promises";
import { isBusy, sqliteFailure } from "./sqlite-failure.ts";
import { badText, storeClosed, storeLocked, storeMoved, storeTooNew } from "../store-errors.ts";

export type Param = string | number | null;

/** What work inside `write` returns when it must be tried again a little later, with nothing changed. */
export const later: unique symbol = Symbol("later");

interface ConnectionOptions {
  readonly file: string;
  readonly readonly?: boolean;
  /** How long to wait for other processes before giving up. */
  readonly patienceMs: number;
}

// The driver waits inside the call and blocks this process; the rest of the patience is spent without blocking it.
const blockingWaitMs = 40;
const longestPauseMs = 60;
const lookMs = 100;

type Statement = ReturnType<InstanceType<typeof driver.DatabaseSync>["prepare"]>;

/** Loaded with the first connection: most commands need none. */
const loadDriver = (): typeof driver => createRequire(import.meta.url)("@photostructure/sqlite") as typeof driver;

/** The only file that knows the driver. Statements are prepared once and kept; work inside `read` and `write` is synchronous. */
export class SqliteConnection {
  readonly file: string;
  readonly #readonly: boolean;
  readonly #db: InstanceType<typeof driver.DatabaseSync>;
  readonly #statements = new Map<string, Statement>();
  readonly #patienceMs: number;
  /** Of the file; a database in memory has none. */
  readonly #inode: number | undefined;
  #newest: number | undefined;
  #lookedAt = -Infinity;

  constructor({ file, readonly = false, patienceMs }: ConnectionOptions) {
    this.file = file;
    this.#readonly = readonly;
    this.#patienceMs = patienceMs;
    try {
      const timeout = Math.min(blockingWaitMs, patienceMs);
      this.#db = new (loadDriver().DatabaseSync)(file, {
        readOnly: readonly,
        timeout,
        enableForeignKeyConstraints: true,
        defensive: true,
      });
      this.#inode = file === ":memory:" ? undefined : statSync(file).ino;
    } catch (error) {
      throw sqliteFailure(error, file);
    }
  }

  get<Row>(sql: string, ...params: readonly Param[]): Row | undefined {
    return this.#prepare(sql, params).get(...params) as Row | undefined;
  }

  all<Row>(sql: string, ...params: readonly Param[]): Row[] {
    return this.#prepare(sql, params).all(...params) as Row[];
  }

  /** How many rows it changed; rows changed by triggers and cascades do not count. */
  run(sql: string, ...params: readonly Param[]): number {
    return this.#prepare(sql, params).run(...params).changes;
  }

  /** Adds one row and answers its number, or undefined when the statement ignored it. */
  insert(sql: string, ...params: readonly Param[]): number | undefined {
    const { changes, lastInsertRowid } = this.#prepare(sql, params).run(...params);
    return changes === 0 ? undefined : Number(lastInsertRowid);
  }

  /** Several statements without parameters; not kept. */
  exec(sql: string): void {
    this.#db.exec(sql);
  }

  /** The schema of a file that is known to be a store. */
  writtenSchema(): number {
    return Number(this.get<{ value: string }>("select value from meta where name = 'schema'")?.value ?? 0);
  }

  /** From now on a write is refused when the file has another schema, which another process gave it. */
  requireSchema(newest: number): void {
    this.#newest = newest;
  }

  /** Work that reads with one statement, or with several that need not see the same state. */
  async read<T>(work: () => T): Promise<T> {
    return this.#patiently(() => this.#attempt(work), "The store");
  }

  /** Work that reads with several statements and sees one state. */
  async snapshot<T>(work: () => T): Promise<T> {
    return this.#patiently(() => this.#attempt(() => this.#transaction("begin", work)), "The store");
  }

  /**
   * Work in one immediate transaction: everything it wrote is durable when the promise resolves, or nothing was written.
   * It may be performed several times, until other processes let it through. `what` names what is waited for.
   */
  async write<T>(work: () => T | typeof later, what = "The store"): Promise<T> {
    return this.#patiently(() => this.#attempt(() => this.#transaction("begin immediate", () => this.#guarded(work))), what);
  }

  /**
   * The same, except that a failure of the whole computer may undo it; that of a process does not. Every later `write` makes it durable. For
   * leases: their owners end with the computer.
   */
  async writeLightly<T>(work: () => T | typeof later): Promise<T> {
    const write = (): T | typeof later => {
      this.exec("pragma synchronous = normal");
      try {
        return this.#transaction("begin immediate", () => this.#guarded(work));
      } finally {
        this.exec("pragma synchronous = full");
      }
    };
    return this.#patiently(() => this.#attempt(write), "The store");
  }

  /**
   * The driver cannot let go of statements, so files stay open until they are collected as garbage; the log is therefore
   * merged into the database here, as SQLite would do itself when the last connection closes.
   */
  close(): void {
    if (!this.#db.isOpen) return;
    if (!this.#readonly) this.#mergeLog();
    this.#statements.clear();
    this.#db.close();
  }

  #mergeLog(): void {
    try {
      this.#db.exec("pragma wal_checkpoint(truncate)");
    } catch {
      // Nothing is lost: the next process that opens the file reads the log.
    }
  }

  #guarded<T>(work: () => T): T {
    this.#refuseMoved();
    const found = this.#newest === undefined ? undefined : this.writtenSchema();
    if (this.#newest !== undefined && found !== this.#newest)
      throw storeTooNew(this.file, { found: found ?? 0, known: this.#newest, hasBackup: true });
    return work();
  }

  /** Looks at most every `lookMs`, since looking costs a tenth of a small commit. */
  #refuseMoved(): void {
    const now = performance.now();
    if (now - this.#lookedAt < lookMs) return;
    const moved = this.#inode !== undefined && statSync(this.file, { throwIfNoEntry: false })?.ino !== this.#inode;
    if (moved) throw storeMoved(this.file);
    this.#lookedAt = now;
  }

  #transaction<T>(begin: string, work: () => T): T {
    this.run(begin);
    try {
      const result = work();
      this.run(result === later ? "rollback" : "commit");
      return result;
    } catch (error) {
      // A full disk may have ended the transaction already.
      if (this.#db.isTransaction) this.run("rollback");
      throw error;
    }
  }

  #attempt<T>(work: () => T): T | typeof later {
    if (!this.#db.isOpen) throw storeClosed(this.file);
    try {
      return work();
    } catch (error) {
      if (isBusy(error)) return later;
      throw sqliteFailure(error, this.file);
    }
  }

  /** The first attempt, which nearly always succeeds, is made without giving way to other work. */
  #patiently<T>(attempt: () => T | typeof later, what: string): T | Promise<T> {
    const result = attempt();
    return result === later ? this.#wait(attempt, what) : result;
  }

  async #wait<T>(attempt: () => T | typeof later, what: string): Promise<T> {
    const started = performance.now();
    for (let pause = 4; ; pause = Math.min(pause * 1.5, longestPauseMs)) {
      const waited = performance.now() - started;
      if (waited >= this.#patienceMs) throw storeLocked(this.file, waited, what);
      await sleep(1 + Math.random() * pause);
      const result = attempt();
      if (result !== later) return result;
    }
  }

  #prepare(sql: string, params: readonly Param[]): Statement {
    for (const param of params) if (typeof param === "string" && param.includes("\0")) throw badText();
    let statement = this.#statements.get(sql);
    if (statement === undefined) {
      statement = this.#db.prepare(sql);
      this.#statements.set(sql, statement);
    }
    return statement;
  }
}

/** Conditions of a statement that must all hold, with their parameters in order. */
export class Conditions {
  readonly params: Param[] = [];
  readonly #texts: string[] = [];

  constructor(text: string, ...params: readonly Param[]) {
    this.add(text, ...params);
  }

  add(text: string, ...params: readonly Param[]): void {
    this.#texts.push(text);
    this.params.push(...params);
  }

  text(): string {
    return this.#texts.join(" and ");
  }
}

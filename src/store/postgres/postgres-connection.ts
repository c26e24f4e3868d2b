import { createRequire } from "node:module";
import type * as driver from "pg";
import { shownDatabase } from "../../base/index.ts";
import { badText, storeClosed, storeTooNew } from "../store-errors.ts";
import { driverAddress, type DriverAddress } from "./driver-address.ts";
import { isLost, lockWaitMs } from "./postgres-failure.ts";
import { later, type Sent, ServerPatience, type WaitOptions } from "./server-patience.ts";

type Plain = string | number | boolean | null;
export type Param = Plain | Uint8Array | readonly Plain[];

/** Statements of one transaction, or each one of its own. */
export interface Statements {
  readonly all: <Row extends object>(sql: string, ...params: readonly Param[]) => Promise<Row[]>;
  readonly get: <Row extends object>(sql: string, ...params: readonly Param[]) => Promise<Row | undefined>;
  /** How many rows it changed. */
  readonly run: (sql: string, ...params: readonly Param[]) => Promise<number>;
  /** The time in milliseconds, as a part of a statement: the database's own clock, each time it is read. */
  readonly now: string;
}

/** A transaction that is tried again after its connection was lost. */
export interface Attempt extends Statements {
  /** An earlier attempt may have been committed: look for what it wrote before writing it. */
  readonly repeated: boolean;
  /** An earlier attempt ended with `later`. */
  readonly waited: boolean;
}

export interface ConnectionOptions extends WaitOptions {
  readonly url: string;
  /** How many connections at most. */
  readonly connections: number;
  /** The clock, as a part of a statement; tests bring one of their own. */
  readonly now?: string | undefined;
}

interface WriteOptions<T> {
  /** Names what is waited for. */
  readonly what?: string | undefined;
  /** One statement that does all of the work where it can, tried once before; undefined where it cannot, with nothing written. */
  readonly first?: ((db: Statements, schema: number) => Promise<T | undefined>) | undefined;
}

const databaseClock = "floor(extract(epoch from clock_timestamp()) * 1000)::float8";
/** How long the server lets a transaction wait for a process that was stopped in the middle of one; others wait longer for its rows. */
const stoppedMs = 10_000;
const longestConnectMs = 10_000;
const bigint = 20;

/** Loaded with the first connection: most commands need none. */
const loadDriver = (): typeof driver => createRequire(import.meta.url)("pg") as typeof driver;

/**
 * The only file that knows the driver. Connections keep nothing between transactions (no settings, names or locks), so that a pooler may
 * stand between. Transactions that collide are tried again, and so is everything whose connection was lost: what is sent here must be
 * harmless when it happens twice, or look at `repeated`.
 */
export class PostgresConnection {
  readonly place: string;
  readonly now: string;
  readonly #options: ConnectionOptions;
  readonly #server: ServerPatience;
  #pool: driver.Pool | undefined;
  #address: DriverAddress | undefined;
  #newest: number | undefined;
  #isClosed = false;
  readonly #begun = new Set<Promise<unknown>>();

  constructor(options: ConnectionOptions) {
    this.place = shownDatabase(options.url);
    this.now = options.now ?? databaseClock;
    this.#options = options;
    this.#server = new ServerPatience(this.place, options, () => this.#address);
  }

  /** From now on a transaction that writes is refused when the database has another schema, which another process gave it. */
  requireSchema(newest: number): void {
    this.#newest = newest;
  }

  /** Statements that each are a transaction of their own; with `writes` they may have changed something when their connection is lost. */
  async each<T>(work: (db: Statements) => Promise<T>, { writes = false }: { readonly writes?: boolean } = {}): Promise<T> {
    const sent = { done: false };
    return this.#server.patiently(() => this.#alone(work, writes ? sent : { done: false }), { sent });
  }

  /** Work that reads with several statements and sees one state. */
  async snapshot<T>(work: (db: Statements) => Promise<T>): Promise<T> {
    return this.#server.patiently(() =>
      this.#transaction("begin isolation level repeatable read, read only", (db) => work(db), { done: false }),
    );
  }

  /**
   * Work in one transaction: everything it wrote is durable when the promise resolves, or nothing was written. It may be performed several
   * times.
   */
  async write<T>(work: (db: Attempt) => Promise<T | typeof later>, { what, first }: WriteOptions<T> = {}): Promise<T> {
    const sent = { done: false };
    let waited = false;
    let isFirst = true;
    const attempt = async (db: Statements): Promise<T | typeof later> => {
      const result = await work({ ...db, repeated: sent.done, waited });
      waited ||= result === later;
      return result;
    };
    return this.#server.patiently(
      async () => {
        if (isFirst && first !== undefined && this.#newest !== undefined) {
          isFirst = false;
          const newest = this.#newest;
          const result = await this.#alone((db) => first(db, newest), sent);
          if (result !== undefined) return result;
          sent.done = false;
        }
        // Whatever the server begins with: who waited for a lock sees what was written meanwhile.
        return this.#transaction("begin isolation level read committed", attempt, sent);
      },
      { what, sent },
    );
  }

  /**
   * Hears what is sent on a channel, on a connection of its own, until the answer is called or `lost`: the connection is gone, or could not be made.
   * Behind a pooler that gives connections to others between transactions nothing may be heard.
   */
  listen(channel: string, heard: (payload: string) => void, lost: () => void): () => void {
    const { Client } = loadDriver();
    const client = new Client(this.#driverOptions());
    let isOver = false;
    const end = (): void => {
      if (isOver) return;
      isOver = true;
      void client.end().catch(() => undefined);
      lost();
    };
    client.on("notification", ({ payload = "" }) => heard(payload));
    client.on("error", end);
    client.on("end", end);
    void client
      .connect()
      .then(() => client.query(`listen ${channel}`))
      .catch(end);
    return () => {
      isOver = true;
      void client.end().catch(() => undefined);
    };
  }

  /** Nothing begins afterwards; what has begun comes to its end first. A pool that ends forgets who waits for a connection. */
  async close(): Promise<void> {
    this.#isClosed = true;
    const pool = this.#pool;
    this.#pool = undefined;
    await Promise.allSettled(this.#begun);
    await pool?.end();
  }

  #opened(): driver.Pool {
    if (this.#isClosed) throw storeClosed(this.place);
    this.#pool ??= this.#makePool();
    return this.#pool;
  }

  #driverOptions(): driver.ClientConfig {
    this.#address ??= driverAddress(this.#options.url, this.place);
    const { withoutPassword: _, ...address } = this.#address;
    return {
      ...address,
      application_name: "waymark",
      keepAlive: true,
      connectionTimeoutMillis: Math.min(longestConnectMs, this.#server.firstWaitMs),
    };
  }

  #makePool(): driver.Pool {
    const { connections, waitMs } = this.#options;
    const { Pool, types } = loadDriver();
    const pool = new Pool({
      ...this.#driverOptions(),
      max: connections,
      allowExitOnIdle: true,
      query_timeout: waitMs + lockWaitMs,
      types: {
        getTypeParser: ((oid: number, format) =>
          oid === bigint ? Number : types.getTypeParser(oid, format)) as typeof types.getTypeParser,
      },
    });
    // A connection that ends while nobody uses it is replaced by the pool.
    pool.on("error", () => undefined);
    return pool;
  }

  #statements(client: driver.ClientBase): Statements {
    const query = async <Row extends object>(sql: string, params: readonly Param[]): Promise<driver.QueryResult<Row>> => {
      for (const param of params) refuseZero(param);
      const result = await client.query<Row>(sql, [...params]);
      this.#server.reached();
      return result;
    };
    return {
      all: async <Row extends object>(sql: string, ...params: readonly Param[]) => (await query<Row>(sql, params)).rows,
      get: async <Row extends object>(sql: string, ...params: readonly Param[]) => (await query<Row>(sql, params)).rows[0],
      run: async (sql, ...params) => (await query(sql, params)).rowCount ?? 0,
      now: this.now,
    };
  }

  /** `sent.done` says afterwards whether anything was sent. */
  async #alone<T>(work: (db: Statements) => Promise<T>, sent: Sent): Promise<T> {
    return this.#connected((client) => {
      sent.done = true;
      return work(this.#statements(client));
    });
  }

  /** `sent.done` says afterwards whether the commit was sent, so that what it wrote may be there though the call failed. */
  async #transaction<T>(begin: string, work: (db: Statements) => Promise<T | typeof later>, sent: Sent): Promise<T | typeof later> {
    return this.#connected(async (client, spoil) => {
      try {
        await this.#begin(client, begin);
        const result = await work(this.#statements(client));
        if (result === later) await client.query("rollback");
        else {
          sent.done = true;
          await client.query("commit");
        }
        return result;
      } catch (error) {
        if (!isLost(error)) await client.query("rollback").catch(spoil);
        throw error;
      }
    });
  }

  /** One connection, which nobody uses again once it is lost or spoilt. */
  async #connected<T>(work: (client: driver.ClientBase, spoil: () => void) => Promise<T>): Promise<T> {
    const done = this.#lent(this.#opened(), work);
    this.#begun.add(done);
    try {
      return await done;
    } finally {
      this.#begun.delete(done);
    }
  }

  async #lent<T>(pool: driver.Pool, work: (client: driver.ClientBase, spoil: () => void) => Promise<T>): Promise<T> {
    const client = await pool.connect();
    let isSpoilt = false;
    const spoil = (): void => void (isSpoilt = true);
    client.on("error", spoil);
    try {
      return await work(client, spoil);
    } catch (error) {
      isSpoilt ||= isLost(error);
      throw error;
    } finally {
      client.off("error", spoil);
      client.release(isSpoilt);
    }
  }

  /** In one round trip: limits that hold for this transaction alone, and the schema that is in the database now. */
  async #begin(client: driver.ClientBase, begin: string): Promise<void> {
    const limits = `set local lock_timeout = ${lockWaitMs}; set local idle_in_transaction_session_timeout = ${stoppedMs}`;
    const schema = this.#newest === undefined ? "" : "; select value from waymark_store.meta where name = 'schema'";
    const results = (await client.query(`${begin}; ${limits}${schema}`)) as unknown as driver.QueryResult<{ value: string }>[];
    this.#server.reached();
    if (this.#newest === undefined) return;
    const found = Number(results.at(-1)?.rows[0]?.value ?? 0);
    if (found !== this.#newest) throw storeTooNew(this.place, { found, known: this.#newest, hasBackup: false });
  }
}

/** The server refuses the character; texts that may have it are encoded before. */
function refuseZero(param: Param): void {
  if (
    typeof param === "string"
      ? param.includes("\0")
      : Array.isArray(param) && param.some((one) => typeof one === "string" && one.includes("\0"))
  )
    throw badText();
}

/** A statement while it is put together: values become parameters, in the order in which they are bound. */
export class Statement {
  readonly params: Param[] = [];

  bind(value: Param, type = ""): string {
    this.params.push(value);
    return `$${this.params.length}${type === "" ? "" : `::${type}`}`;
  }
}

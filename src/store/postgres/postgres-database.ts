import { cannotOpen, noRun, serverTooOld } from "../store-errors.ts";
import { migrate, schemaOf, type Migration, type NewId } from "./migrate.ts";
import { PostgresConnection, type ConnectionOptions, type Statements } from "./postgres-connection.ts";

interface DatabaseOptions extends ConnectionOptions {
  readonly migrations: readonly Migration[];
  readonly newId?: NewId | undefined;
}

interface Opened {
  readonly schema: number;
  readonly engine: string;
}

const neededServer = 13;

/**
 * The database, which the first work opens; after a failure to open it the next one tries again. Work that only reads creates nothing: while
 * there are no tables, it sees an empty store.
 */
export class PostgresDatabase {
  readonly #connection: PostgresConnection;
  readonly #options: DatabaseOptions;
  #opening: Promise<Opened> | undefined;

  constructor(options: DatabaseOptions) {
    this.#options = options;
    this.#connection = new PostgresConnection(options);
  }

  get place(): string {
    return this.#connection.place;
  }

  /** Makes the tables where there are none. */
  async opened(): Promise<Opened> {
    this.#opening ??= this.#open();
    try {
      return await this.#opening;
    } catch (error) {
      this.#opening = undefined;
      throw error;
    }
  }

  async isThere(): Promise<boolean> {
    return this.#opening !== undefined || (await this.#connection.each(schemaOf)) > 0;
  }

  async describe(): Promise<Opened> {
    return (await this.isThere()) ? this.opened() : { schema: 0, engine: await this.#engine() };
  }

  /** `empty`: what there is to see in a store that nothing was kept in yet. */
  async read<T>(empty: () => T, work: (db: Statements) => Promise<T>): Promise<T> {
    if (this.#opening === undefined && !(await this.isThere())) return empty();
    await this.opened();
    return this.#connection.each(work);
  }

  /** Of a run: without tables there is none. */
  async readRun<T>(run: string, work: (db: Statements) => Promise<T>): Promise<T> {
    return this.read(() => {
      throw noRun(run);
    }, work);
  }

  async snapshot<T>(empty: () => T, work: (db: Statements) => Promise<T>): Promise<T> {
    if (this.#opening === undefined && !(await this.isThere())) return empty();
    await this.opened();
    return this.#connection.snapshot(work);
  }

  /** Statements that write, each a transaction of its own; see `PostgresConnection`. */
  async each<T>(work: (db: Statements) => Promise<T>): Promise<T> {
    await this.opened();
    return this.#connection.each(work, { writes: true });
  }

  async write<T>(...given: Parameters<typeof PostgresConnection.prototype.write<T>>): Promise<T> {
    await this.opened();
    return this.#connection.write(...given);
  }

  /** The time can be asked for before there is anything else. */
  async ask<T>(work: (db: Statements) => Promise<T>): Promise<T> {
    return this.#connection.each(work);
  }

  /** See `PostgresConnection`. */
  listen(...given: Parameters<PostgresConnection["listen"]>): () => void {
    return this.#connection.listen(...given);
  }

  async close(): Promise<void> {
    await this.#opening?.catch(() => undefined);
    await this.#connection.close();
  }

  async #open(): Promise<Opened> {
    const engine = await this.#engine();
    const { migrations, newId } = this.#options;
    return { schema: await migrate(this.#connection, migrations, newId), engine };
  }

  async #engine(): Promise<string> {
    const sql = `select current_setting('server_version') as version, current_setting('server_version_num')::int as number,
      current_setting('server_encoding') as encoding`;
    const { version, number, encoding } = (await this.#connection.each((db) => db.get<Server>(sql)))!;
    if (number < neededServer * 10_000) throw serverTooOld(this.place, version, String(neededServer));
    if (encoding !== "UTF8")
      throw cannotOpen(this.place, `its encoding is ${encoding}; make a database with \`encoding 'UTF8' template template0\``);
    return `PostgreSQL ${version.split(" ")[0]}`;
  }
}

interface Server {
  readonly version: string;
  readonly number: number;
  readonly encoding: string;
}

import type { RunRow } from "../../ports/index.ts";
import { worklistOf } from "./item-changes.ts";
import { findRun, requireRun } from "./run-rows.ts";
import type { SqliteConnection } from "./sqlite-connection.ts";

const mostKept = 256;

interface TakenRow {
  readonly id: string;
  readonly row: RunRow | undefined;
  readonly change: number;
}

/**
 * Rows that every call asks for, kept while no other connection writes. SQLite counts the commits of other connections
 * (`data_version`); this one reports its own by `take`, `put` and `forget`.
 */
export class KnownRows {
  readonly #db: SqliteConnection;
  readonly #runs = new Map<string, RunRow>();
  readonly #worklists = new Map<string, number>();
  #version: number | undefined;
  #changes = 0;

  constructor(db: SqliteConnection) {
    this.#db = db;
  }

  /** Inside `read`: the run as it is now. */
  run(id: string): RunRow | undefined {
    this.#settle();
    const held = this.#runs.get(id);
    if (held !== undefined) return held;
    const row = findRun(this.#db, id);
    if (row !== undefined) this.#runs.set(id, row);
    return row;
  }

  /** Inside `read`: the number of the list in the item tables; undefined when it never had an item. Throws when there is no such run. */
  worklist(run: string, list: string): number | undefined {
    this.#settle();
    const key = `${run}\n${list}`;
    const held = this.#worklists.get(key);
    if (held !== undefined) return held;
    const no = worklistOf(this.#db, requireRun(this.#db, run).no, list);
    if (no !== undefined) this.#worklists.set(key, no);
    return no;
  }

  /** This connection is about to change the run. */
  take(id: string): TakenRow {
    const row = this.#runs.get(id);
    this.#runs.delete(id);
    this.#changes += 1;
    return { id, row, change: this.#changes };
  }

  /** The run after the change; when that is not certain, because the row was not known or changed again, it is read again. */
  put({ id, row, change }: TakenRow, changes: Partial<RunRow> | undefined): void {
    if (row !== undefined && changes !== undefined && change === this.#changes) this.#runs.set(id, { ...row, ...changes });
    else this.#runs.delete(id);
  }

  /** This connection has removed rows. */
  forget(): void {
    this.#changes += 1;
    this.#runs.clear();
    this.#worklists.clear();
  }

  #settle(): void {
    const version = this.#db.get<{ data_version: number }>("pragma data_version")?.data_version;
    if (version === this.#version && this.#runs.size + this.#worklists.size <= mostKept) return;
    this.forget();
    this.#version = version;
  }
}

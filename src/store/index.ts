/**
 * Durable runs: the `Store` port on SQLite. Keeps what it is given and decides nothing; no SQL and no driver type leaves
 * this room. Begin with `sqlite/schema.ts` for what is on disk, then `sqlite/sqlite-store.ts`. What every store must do
 * is written down as tests in `store.contract.ts`.
 */
export { storeCodes } from "./codes.ts";
export { guardedStore } from "./guarded-store.ts";
export { openSqliteStore, sqliteStore } from "./sqlite/open-sqlite-store.ts";

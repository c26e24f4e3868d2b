/**
 * Durable runs, what agents did in them and what a chat remembers: the ports `Store`, `Transcripts` and `Conversations`, on SQLite with files
 * beside it, and on PostgreSQL. Keeps what it is given and decides nothing; no SQL and no driver type leaves this room. Begin with
 * `sqlite/schema.ts` for what is on disk, then `sqlite/sqlite-store.ts`; `postgres/` has files of the same names. What every store must do is
 * written down as tests in `store.contract.ts`, `transcripts.contract.ts` and `contract/`.
 */
export { storeCodes } from "./codes.ts";
export { guardedConversations } from "./guarded-conversations.ts";
export { guardedStore } from "./guarded-store.ts";
export { fileTranscripts } from "./file-transcripts.ts";
export { noHints } from "./no-hints.ts";
export { openSqliteStore, sqliteConversations, sqliteStore } from "./sqlite/open-sqlite-store.ts";
export { postgresStore } from "./postgres/open-postgres-store.ts";

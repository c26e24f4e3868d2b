import type { Conversations, Store, Transcripts, WorkHints } from "../../ports/index.ts";
import { requireDatabaseUrl } from "./database-url.ts";
import type { Migration, NewId } from "./migrate.ts";
import type { WatchConnection } from "./server-patience.ts";
import { PostgresDatabase } from "./postgres-database.ts";
import { createPostgresConversations } from "./postgres-conversations.ts";
import { PostgresHints } from "./postgres-hints.ts";
import { createPostgresStore } from "./postgres-store.ts";
import { createPostgresTranscripts } from "./postgres-transcripts.ts";
import { migrations } from "./schema.ts";

interface PostgresStoreOptions {
  /** `postgres://user:password@host:port/database`, with the options of the driver such as `sslmode`. */
  readonly url: string;
  /** Whose runs it makes and shows; leases, account pools and blobs are everybody's. */
  readonly project: string;
  /** Holds copies of large values for people and agents to open. */
  readonly cacheFolder: string;
  /** How long to wait for a server that is not there before `STORE_UNREACHABLE`; a minute if not given. */
  readonly waitMs?: number;
  /** How long where nothing has answered yet; ten seconds if not given. */
  readonly firstWaitMs?: number;
  /** How many connections at most; 10 if not given. */
  readonly connections?: number;
  /** Makes the id of a store that is about to be made; a random one if not given. */
  readonly newId?: NewId;
  readonly watch?: WatchConnection;
  /** The clock, as a part of a statement; the server's if not given. */
  readonly now?: string;
}

/**
 * The store in the database, what agents did in its runs, and what a chat remembers: one set of connections, closed with any of them. The first call that keeps something makes the tables: commands that only look
 * make none. Any number of processes of any number of computers may have it open. Tests of upgrades bring a list of schemas of their own.
 */
export function postgresStore(
  { url, project, cacheFolder, waitMs = 60_000, firstWaitMs, connections = 10, newId, now, watch }: PostgresStoreOptions,
  schemas: readonly Migration[] = migrations,
): {
  readonly store: Store;
  readonly transcripts: Transcripts;
  readonly conversations: Conversations;
  readonly hints: WorkHints;
} {
  requireDatabaseUrl(url);
  const database = new PostgresDatabase({ url, waitMs, firstWaitMs, connections, now, newId, watch, migrations: schemas });
  return {
    store: createPostgresStore({ database, project, cacheFolder }),
    transcripts: createPostgresTranscripts(database),
    conversations: createPostgresConversations(database),
    hints: new PostgresHints(database, project),
  };
}

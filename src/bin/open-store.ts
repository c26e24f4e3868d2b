import { join } from "node:path";
import { projectName, type Config, type LocalHost } from "../host/index.ts";
import type { Conversations, Store, Transcripts, WorkHints } from "../ports/index.ts";
import {
  fileTranscripts,
  guardedConversations,
  guardedStore,
  noHints,
  postgresStore,
  sqliteConversations,
  sqliteStore,
} from "../store/index.ts";

/** What is durable of the runs of a workspace, and of what people write about them. */
export interface Kept {
  readonly store: Store;
  readonly transcripts: Transcripts;
  readonly conversations: Conversations;
  readonly hints: WorkHints;
}

/** A call has an answer before its client gives up. */
const partOfCall = 0.8;

/** How long a database is waited for that does not answer, where it is not as long as the settings say, and less for one that never answered. */
export interface Waiting {
  /** A service: also one that never answered is waited for as long as the settings say. */
  readonly patient?: boolean | undefined;
  /** It answers clients, which wait for a call no longer than the settings say. */
  readonly answers?: boolean | undefined;
}

/** In the database that the settings name, else in the folder. One that another user made, or that came with the project, is only looked into. */
export async function openStore(
  config: Pick<Config, "store" | "database" | "limits">,
  host: Pick<LocalHost, "workspace" | "storeMarks" | "log">,
  waiting: Waiting = {},
): Promise<Kept> {
  const { storeMarks } = host;
  const opened =
    config.database.url === null ? inFolder(config, storeMarks) : await inDatabase(config, config.database.url, { ...host, ...waiting });
  return {
    ...opened,
    store: guardedStore(opened.store, storeMarks),
    conversations: guardedConversations(opened.conversations, opened.store, storeMarks),
  };
}

function inFolder({ store: folder }: Pick<Config, "store">, storeMarks: LocalHost["storeMarks"]): Kept {
  const options = { folder, newId: () => storeMarks.announce() };
  return {
    store: sqliteStore(options),
    transcripts: fileTranscripts({ folder }),
    conversations: sqliteConversations(options),
    hints: noHints,
  };
}

/** The folder keeps what belongs to this computer. */
async function inDatabase(
  { store: folder, database, limits }: Pick<Config, "store" | "database" | "limits">,
  url: string,
  { workspace, storeMarks, log, patient, answers }: Pick<LocalHost, "workspace" | "storeMarks" | "log"> & Waiting,
): Promise<Kept> {
  return postgresStore({
    url,
    project: database.project ?? (await projectName(workspace)),
    cacheFolder: join(folder, "copies"),
    waitMs: answers === true ? Math.min(database.wait_ms, limits.call_wait_ms * partOfCall) : database.wait_ms,
    ...(patient === true ? { firstWaitMs: database.wait_ms } : {}),
    watch: (event) =>
      log(
        "warn",
        event.type === "back"
          ? `The database \`${event.place}\` is back.`
          : `The database \`${event.place}\` is away; waiting up to ${Math.ceil(event.upToMs / 1000)} s.`,
      ),
    connections: database.connections,
    newId: () => storeMarks.announce(),
  });
}

import { join } from "node:path";
import { projectName, type Config, type LocalHost } from "../host/index.ts";
import type { Store, Transcripts } from "../ports/index.ts";
import { fileTranscripts, guardedStore, postgresStore, sqliteStore } from "../store/index.ts";

/** What is durable of the runs of a workspace. */
export interface Kept {
  readonly store: Store;
  readonly transcripts: Transcripts;
}

/** In the database that the settings name, else in the folder. One that another user made, or that came with the project, is only looked into. */
export async function openStore(
  config: Pick<Config, "store" | "database">,
  host: Pick<LocalHost, "workspace" | "storeMarks">,
): Promise<Kept> {
  const { url, project, wait_ms: waitMs, connections } = config.database;
  const { storeMarks, workspace } = host;
  const newId = (): Promise<string> => storeMarks.announce();
  if (url === null)
    return {
      store: guardedStore(sqliteStore({ folder: config.store, newId }), storeMarks),
      transcripts: fileTranscripts({ folder: config.store }),
    };
  const name = project ?? (await projectName(workspace));
  const cacheFolder = join(config.store, "copies");
  const { store, transcripts } = postgresStore({ url, project: name, cacheFolder, waitMs, connections, newId });
  return { store: guardedStore(store, storeMarks), transcripts };
}

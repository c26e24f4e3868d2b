import type { Store } from "../ports/index.ts";
import type { SqliteStoreOptions } from "./sqlite/open-sqlite-store.ts";

/** Opens the store in the folder and creates it if there is none. The driver is loaded here: whoever never opens a store does without. */
export async function openSqliteStore(options: SqliteStoreOptions): Promise<Store> {
  const sqlite = await import("./sqlite/open-sqlite-store.ts");
  return sqlite.openSqliteStore(options);
}

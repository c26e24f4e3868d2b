import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Store } from "../../src/ports/index.ts";
import { postgresStore } from "../../src/store/index.ts";
import type { OpenedStore } from "../../src/store/store.contract.ts";
import { createTestDatabase, type TestDatabase } from "./postgres-database.ts";

type Opening = Partial<Parameters<typeof postgresStore>[0]>;
export type Opened = ReturnType<typeof postgresStore>;

export interface OpenedTestStore extends Omit<OpenedStore, "reopen"> {
  readonly database: TestDatabase;
  /** For another process to open it. */
  readonly place: { readonly url: string; readonly cacheFolder: string };
  /** The same data once more, as another process has it. */
  readonly open: (more?: Opening) => Opened;
}

/** A store in a database of its own on the shared server of the tests; `through` gives the address that it is reached by. */
export async function openTestStore(more: Opening = {}, through = (url: string): string => url): Promise<OpenedTestStore> {
  const database = await createTestDatabase();
  const url = through(database.url);
  const cacheFolder = mkdtempSync(join(tmpdir(), "waymark-copies-"));
  const stores: Store[] = [];
  const open = (others: Opening = {}): Opened => {
    const opened = postgresStore({ url, project: "tests", cacheFolder, connections: 4, ...more, ...others });
    stores.push(opened.store);
    return opened;
  };
  return {
    database,
    place: { url, cacheFolder },
    open,
    store: open().store,
    ageBlob: async (hash, minutes) => {
      await database.query("update waymark_store.blob set put_at = put_at - $2 * 60000.0 where hash = $1", [hash, minutes]);
    },
    damageBlob: async (hash, bytes) => {
      if (bytes === undefined) await database.query("delete from waymark_store.blob where hash = $1", [hash]);
      else await database.query("update waymark_store.blob set data = $2 where hash = $1", [hash, Buffer.from(bytes)]);
    },
    clean: async () => {
      await Promise.all(stores.map((store) => store.close()));
      await database.drop();
      rmSync(cacheFolder, { recursive: true, force: true });
    },
  };
}

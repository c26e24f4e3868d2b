import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Store } from "../../ports/index.ts";
import { blobFiles } from "../contract/blob-files.contract.ts";
import { storeContract } from "../store.contract.ts";
import { openSqliteStore } from "./open-sqlite-store.ts";

storeContract("SQLite", async () => {
  const folder = await mkdtemp(join(tmpdir(), "waymark-store-"));
  const opened: Store[] = [];
  const open = async (): Promise<Store> => {
    const store = await openSqliteStore({ folder });
    opened.push(store);
    return store;
  };
  const store = await open();
  return {
    store,
    ...blobFiles(store),
    reopen: open,
    clean: async () => {
      await Promise.all(opened.map((store) => store.close()));
      await rm(folder, { recursive: true });
    },
  };
});

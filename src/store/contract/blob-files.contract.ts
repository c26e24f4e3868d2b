import { rm, utimes, writeFile } from "node:fs/promises";
import type { Store } from "../../ports/index.ts";
import type { OpenedStore } from "../store.contract.ts";

/** How tests reach the blobs of a store that keeps them as files. */
export function blobFiles(store: Store): Pick<OpenedStore, "ageBlob" | "damageBlob"> {
  return {
    ageBlob: async (hash, minutes) => {
      const then = new Date(Date.now() - minutes * 60_000);
      await utimes(await store.blobFile(hash), then, then);
    },
    damageBlob: async (hash, bytes) => {
      const path = await store.blobFile(hash);
      await (bytes === undefined ? rm(path) : writeFile(path, bytes));
    },
  };
}

import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { modelContract } from "../contract/model.contract.ts";
import { openSqliteStore } from "./open-sqlite-store.ts";

modelContract(
  "SQLite",
  async () => {
    const folder = mkdtempSync(join(tmpdir(), "waymark-model-"));
    let now = 0;
    const store = await openSqliteStore({ folder, now: () => now });
    const second = await openSqliteStore({ folder, now: () => now });
    return {
      store,
      second,
      setTime: async (milliseconds) => void (now = milliseconds),
      clean: async () => {
        await store.close();
        await second.close();
        rmSync(folder, { recursive: true });
      },
    };
  },
  80,
);

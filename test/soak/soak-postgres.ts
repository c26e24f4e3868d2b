import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import pg from "pg";
import { postgresStore } from "../../src/store/index.ts";
import { walkModel } from "../../src/store/contract/store-model.contract.ts";
import { startPostgres } from "../support/postgres-server.ts";
import type { Share } from "./soak-yaml.ts";
import type { Tally } from "./tally.ts";

/** Random walks of two stores in one database, compared with the model of a store; a case is a walk, and depends on the seed and its number. */
export async function soakPostgres({ seed, from, cases }: Share, tally: Tally): Promise<void> {
  const server = await startPostgres();
  const url = await server.createDatabase("soak");
  const cacheFolder = mkdtempSync(join(tmpdir(), "waymark-soak-"));
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  await client.query("create table public.test_clock (at float8 not null)");
  await client.query("insert into public.test_clock values (0)");
  const open = () => postgresStore({ url, project: "soak", cacheFolder, now: "(select at from public.test_clock)" }).store;
  const [store, second] = [open(), open()];
  const opened = {
    store,
    second,
    setTime: async (milliseconds: number) => void (await client.query("update public.test_clock set at = $1", [milliseconds])),
    clean: async () => undefined,
  };
  for (let index = from; index < from + cases; index += 1)
    await tally.case(index, async () => {
      await walkModel(opened, { numRuns: 1, seed: seed + index });
      return "as the model";
    });
  await Promise.all([store.close(), second.close(), client.end()]);
  await server.close();
  rmSync(cacheFolder, { recursive: true });
}

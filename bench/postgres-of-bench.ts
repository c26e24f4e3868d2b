import { randomUUID } from "node:crypto";
import { join } from "node:path";
import pg from "pg";
import { postgresStore } from "../src/store/index.ts";
import { startPostgres } from "../test/support/postgres-server.ts";
import { benchFolder, openBenchEngine, type BenchEngine } from "./bench-engine.ts";

/** A real server with the settings that it comes with, so that every commit reaches the disk. */
export interface BenchPostgres {
  readonly version: string;
  readonly open: (workflows: readonly string[], connections: number) => Promise<BenchEngine & { readonly url: string }>;
  readonly close: () => Promise<void>;
}

export async function startBenchPostgres(): Promise<BenchPostgres> {
  const server = await startPostgres({ settings: { shared_buffers: "256MB" } });
  const client = new pg.Client({ connectionString: server.url("postgres") });
  await client.connect();
  const read = async (setting: string): Promise<string> => {
    const { rows } = await client.query<Record<string, string>>(`show ${setting}`);
    return Object.values(rows[0] ?? {})[0] ?? "";
  };
  for (const setting of ["fsync", "synchronous_commit", "full_page_writes"])
    if ((await read(setting)) !== "on") throw new Error(`The server works without ${setting}: what it says is kept would not be.`);
  const version = await read("server_version");
  await client.end();
  return {
    version,
    open: async (workflows, connections) => {
      const url = await server.createDatabase(`bench_${randomUUID().replaceAll("-", "")}`);
      const stores = postgresStore({ url, project: "bench", cacheFolder: join(benchFolder(), "copies"), connections });
      return { ...(await openBenchEngine(workflows, stores)), url };
    },
    close: () => server.close(),
  };
}

/** The least that a durable store in a database can do: one row of this many bytes in one transaction, with the same driver. */
export async function openBareRow(
  url: string,
  bytes: number,
): Promise<{ readonly write: () => Promise<void>; readonly close: () => Promise<void> }> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  await client.query("create table bare (no bigint generated always as identity primary key, body text not null)");
  const body = "x".repeat(bytes);
  return {
    write: async () => {
      await client.query("begin");
      await client.query("insert into bare (body) values ($1)", [body]);
      await client.query("commit");
    },
    close: () => client.end(),
  };
}

import { mkdtempSync, rmSync } from "node:fs";
import { connect, createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import type { TestProject } from "vitest/node";
import type { PostgresServer } from "./postgres-server.ts";

const variable = "WAYMARK_TEST_POSTGRES";

/** One server for all files of a project, started when the first of them asks for it; the runner ends it. */
export function setup(project: TestProject): () => Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), "waymark-asked-"));
  const path = join(folder, "socket");
  let starting: Promise<PostgresServer> | undefined;
  const door = createServer((socket) => {
    starting ??= import("./postgres-server.ts").then(({ notDurable, startPostgres }) => startPostgres({ settings: notDurable }));
    void starting.then(
      (server) => socket.end(JSON.stringify({ url: server.url("postgres") })),
      (error: unknown) => socket.end(JSON.stringify({ error: error instanceof Error ? error.message : String(error) })),
    );
    socket.on("error", () => undefined);
  });
  door.listen(path);
  project.config.env = { ...project.config.env, [variable]: path };
  return async () => {
    door.close();
    await (await starting?.catch(() => undefined))?.close();
    rmSync(folder, { recursive: true, force: true });
  };
}

/** The address of the shared server's database `postgres`, for its superuser. */
export async function sharedPostgres(): Promise<string> {
  const path = process.env[variable];
  if (path === undefined) throw new Error(`This project of tests has no database server: ${variable} is not set.`);
  const { url, error } = JSON.parse(await text(connect(path))) as { url?: string; error?: string };
  if (url === undefined) throw new Error(error);
  return url;
}

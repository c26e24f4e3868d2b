import { spawn } from "node:child_process";
import { once } from "node:events";
import { chmodSync, existsSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { delimiter, join } from "node:path";
import { freePort, serverUser, writeFor } from "./postgres-server.ts";

/** A pooler in transaction mode: a client has a connection of the server for one transaction only. */
export interface Pooler {
  /** The address of a database of the server, through the pooler. */
  readonly through: (url: string) => string;
  readonly close: () => Promise<void>;
}

/** The program, where Debian's package is installed. */
export function pgbouncerProgram(): string | undefined {
  const folders = [...(process.env["PATH"] ?? "").split(delimiter), "/usr/sbin"];
  return folders.map((folder) => join(folder, "pgbouncer")).find((path) => existsSync(path));
}

/** What is shown where it is not there. */
export const noPgbouncer = "PgBouncer is not installed, so nothing was tried through a pooler: install Debian's package `pgbouncer`.";

interface PoolerOptions {
  /** For each database at most. */
  readonly connections?: number;
  /** Further lines of its settings. */
  readonly settings?: readonly string[];
}

/** Starts one in front of the server with this address. */
export async function startPgbouncer(
  program: string,
  server: string,
  { connections = 4, settings: more = [] }: PoolerOptions = {},
): Promise<Pooler> {
  const { hostname, port, username, password } = new URL(server);
  const user = serverUser();
  const folder = mkdtempSync(join(tmpdir(), "waymark-pgbouncer-"));
  chmodSync(folder, 0o755);
  const own = String(await freePort());
  const settings = [
    "[databases]",
    `* = host=${hostname} port=${port} user=${username} password=${password}`,
    "[pgbouncer]",
    "listen_addr = 127.0.0.1",
    `listen_port = ${own}`,
    "unix_socket_dir =",
    "auth_type = any",
    "pool_mode = transaction",
    `default_pool_size = ${connections}`,
    "max_client_conn = 500",
    ...more,
  ];
  const file = join(folder, "pgbouncer.ini");
  writeFor(user, file, `${settings.join("\n")}\n`);
  const child = spawn(program, [file], { cwd: folder, stdio: ["ignore", "ignore", "pipe"], detached: true, ...user });
  let said = "";
  await new Promise<void>((resolve, reject) => {
    child.stderr.on("data", (chunk: Buffer) => {
      said = `${said}${chunk.toString()}`.slice(-4000);
      if (said.includes("process up")) resolve();
    });
    child.once("error", reject);
    child.once("close", (code) => reject(new Error(`PgBouncer ended with ${code} before it was ready:\n${said}`)));
  });
  return {
    through: (url) => Object.assign(new URL(url), { port: own }).href,
    close: async () => {
      const closed = once(child, "close");
      child.kill("SIGTERM");
      await closed;
      rmSync(folder, { recursive: true });
    },
  };
}

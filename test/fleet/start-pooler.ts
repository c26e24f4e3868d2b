import { spawn } from "node:child_process";
import { once } from "node:events";
import { chmodSync, chownSync, existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { connect, createServer } from "node:net";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";

const places = ["/usr/sbin/pgbouncer", "/usr/bin/pgbouncer", "/usr/local/bin/pgbouncer"];

/** Where PgBouncer is on this computer; `PGBOUNCER` names another place. */
export function findPooler(env: NodeJS.ProcessEnv = process.env): string | undefined {
  const named = env["PGBOUNCER"];
  return named === undefined || named === "" ? places.find((place) => existsSync(place)) : named;
}

/** PgBouncer in transaction mode before a server: each transaction may have another connection, and no session is kept. */
export async function startPooler(program: string, folder: string, url: string): Promise<{ readonly url: string; close(): Promise<void> }> {
  const target = new URL(url);
  const place = join(folder, "pooler");
  mkdirSync(place, { recursive: true });
  const port = await freePort();
  const config = join(place, "pgbouncer.ini");
  const users = join(place, "users.txt");
  writeFileSync(users, `"${target.username}" "${target.password}"\n`);
  writeFileSync(
    config,
    [
      "[databases]",
      `* = host=127.0.0.1 port=${target.port}`,
      "[pgbouncer]",
      "listen_addr = 127.0.0.1",
      `listen_port = ${port}`,
      "unix_socket_dir =",
      "auth_type = scram-sha-256",
      `auth_file = ${users}`,
      "pool_mode = transaction",
      "default_pool_size = 20",
      "max_client_conn = 500",
      "server_login_retry = 1",
    ].join("\n"),
  );
  const user = process.getuid?.() === 0 ? otherUser() : undefined;
  for (const path of [place, config, users]) {
    chmodSync(path, path === place ? 0o700 : 0o600);
    if (user !== undefined) chownSync(path, user.uid, user.gid);
  }
  const child = spawn(program, [config], { cwd: place, stdio: ["ignore", "ignore", "pipe"], ...user });
  let said = "";
  child.stderr.setEncoding("utf8").on("data", (text: string) => (said = `${said}${text}`.slice(-2000)));
  const closed = once(child, "close");
  while (!(await answers(port))) {
    if (child.exitCode !== null) throw new Error(`PgBouncer ended with ${child.exitCode}:\n${said}`);
    await sleep(50);
  }
  target.port = String(port);
  return {
    url: target.href,
    close: async () => {
      child.kill("SIGINT");
      await sleep(200);
      child.kill("SIGKILL");
      await closed;
      rmSync(place, { recursive: true, force: true });
    },
  };
}

/** It does not work for root. */
function otherUser(): { readonly uid: number; readonly gid: number } {
  const users = readFileSync("/etc/passwd", "utf8").split("\n");
  const [, , uid, gid] = users.find((line) => /^(?:postgres|nobody):/.test(line))?.split(":") ?? [];
  return { uid: Number(uid), gid: Number(gid) };
}

async function answers(port: number): Promise<boolean> {
  const socket = connect(port, "127.0.0.1");
  return new Promise((resolve) => {
    socket.once("connect", () => resolve(true)).once("error", () => resolve(false));
  }).then((is) => (socket.destroy(), is as boolean));
}

async function freePort(): Promise<number> {
  const probe = createServer().listen(0, "127.0.0.1");
  await once(probe, "listening");
  const { port } = probe.address() as { port: number };
  probe.close();
  await once(probe, "close");
  return port;
}

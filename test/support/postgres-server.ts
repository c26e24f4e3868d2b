import { execFileSync, spawn, type ChildProcess } from "node:child_process";
import { randomBytes } from "node:crypto";
import { once } from "node:events";
import { chmodSync, chownSync, mkdirSync, mkdtempSync, readFileSync, writeFileSync } from "node:fs";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import pg from "pg";
import { postgresBinaries } from "./postgres-binaries.ts";

/** A real server of this computer's own, on a loopback port; its files are gone when it is closed. */
export interface PostgresServer {
  /** Of the database, for its superuser. */
  readonly url: (database: string) => string;
  readonly port: number;
  /** Makes an empty database and answers its address. */
  readonly createDatabase: (name: string) => Promise<string>;
  readonly dropDatabase: (name: string) => Promise<void>;
  /** Ends without finishing anything, as after a crash, and starts again. */
  readonly crash: () => Promise<void>;
  readonly stop: (mode: "fast" | "immediate") => Promise<void>;
  readonly start: () => Promise<void>;
  /** Copies it, stopped for a moment, and starts the copy as a standby that follows it; every commit waits for the copy from then on. */
  readonly startStandby: () => Promise<Standby>;
  readonly close: () => Promise<void>;
}

interface Standby {
  readonly port: number;
  readonly url: (database: string) => string;
  /** It takes over: from now on it can be written to. */
  readonly promote: () => Promise<void>;
}

interface ServerOptions {
  /** Settings of the server, such as `fsync: "off"`. */
  readonly settings?: Readonly<Record<string, string>>;
  /** Files that settings name as `../<name>`: only the server can read them. */
  readonly files?: Readonly<Record<string, string>>;
}

/** Without waiting for the disk: what was acknowledged survives the end of the server by any signal, and not that of the computer. */
export const notDurable: Readonly<Record<string, string>> = { fsync: "off", full_page_writes: "off" };

/** PostgreSQL refuses to work for root: then the server belongs to another user of the system. */
type ServerUser = { readonly uid: number; readonly gid: number } | undefined;

const ready = /database system is ready to accept (?:read-only )?connections/;

/**
 * Starts one. It ends with this process, however that ends: a watcher holds the other end of a pipe. Nothing of it depends on the user,
 * the folder or the network of whoever starts it.
 */
export async function startPostgres({ settings = {}, files = {} }: ServerOptions = {}): Promise<PostgresServer> {
  const user = serverUser();
  const folder = mkdtempSync(join(tmpdir(), "waymark-postgres-"));
  chmodSync(folder, 0o755);
  const place = join(folder, "server");
  mkdirSync(place, { mode: 0o700 });
  if (user !== undefined) chownSync(place, user.uid, user.gid);
  const watcher = watch(folder, join(place, "data"));
  try {
    const programs = postgresBinaries(folder);
    const password = randomBytes(12).toString("hex");
    await initialise({ programs, place, user, password });
    for (const [name, text] of Object.entries(files)) writeFor(user, join(place, name), text);
    const port = await freePort();
    const server = new Server({ programs, place, user, port, settings });
    await server.start();
    const standbys: Server[] = [];
    return surfaceOf(server, {
      password,
      port,
      startStandby: async () => {
        const own = await freePort();
        await server.stop("fast");
        const copy = copyAsStandby(place, user);
        await server.start();
        const follows = `host=127.0.0.1 port=${port} user=waymark password=${password}`;
        const standby = new Server({ programs, place: copy, user, port: own, settings: { ...settings, primary_conninfo: follows } });
        standbys.push(standby);
        await standby.start();
        return own;
      },
      close: async () => {
        for (const each of [...standbys, server]) await each.stop("immediate");
        watcher.ref();
        watcher.stdin?.end();
        await once(watcher, "close");
      },
    });
  } catch (error) {
    watcher.stdin?.end();
    throw error;
  }
}

interface Around {
  readonly password: string;
  readonly port: number;
  /** Answers its port. */
  readonly startStandby: () => Promise<number>;
  readonly close: () => Promise<void>;
}

function surfaceOf(server: Server, { password, port, startStandby, close }: Around): PostgresServer {
  const urlOf =
    (at: number) =>
    (database: string): string =>
      `postgres://waymark:${password}@127.0.0.1:${at}/${database}`;
  const url = urlOf(port);
  return {
    url,
    port,
    createDatabase: async (name) => {
      await ask(url("postgres"), `create database "${name}"`);
      return url(name);
    },
    dropDatabase: (name) => ask(url("postgres"), `drop database if exists "${name}" with (force)`),
    crash: async () => {
      await server.stop("immediate");
      await server.start();
    },
    stop: (mode) => server.stop(mode),
    start: () => server.start(),
    startStandby: async () => {
      const own = await startStandby();
      await ask(url("postgres"), "alter system set synchronous_standby_names = '*'");
      await ask(url("postgres"), "select pg_reload_conf()");
      return { port: own, url: urlOf(own), promote: () => ask(urlOf(own)("postgres"), "select pg_promote()") };
    },
    close,
  };
}

async function ask(url: string, sql: string): Promise<void> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    await client.query(sql);
  } finally {
    await client.end();
  }
}

function copyAsStandby(place: string, user: ServerUser): string {
  const copy = `${place}-copy`;
  execFileSync("cp", ["-a", place, copy]);
  writeFor(user, join(copy, "data", "standby.signal"), "");
  return copy;
}

interface Parts {
  readonly programs: string;
  readonly place: string;
  readonly user: ServerUser;
}

class Server {
  readonly #parts: Parts & { readonly port: number; readonly settings: Readonly<Record<string, string>> };
  #child: ChildProcess | undefined;

  constructor(parts: Parts & { readonly port: number; readonly settings: Readonly<Record<string, string>> }) {
    this.#parts = parts;
  }

  async start(): Promise<void> {
    const { programs, place, port, settings } = this.#parts;
    const all = { listen_addresses: "127.0.0.1", unix_socket_directories: "", max_connections: "200", ...settings };
    const options = Object.entries(all).flatMap(([name, value]) => ["-c", `${name}=${value}`]);
    const child = launch(join(programs, "postgres"), ["-D", join(place, "data"), "-p", String(port), ...options], this.#parts);
    this.#child = child;
    let said = "";
    await new Promise<void>((resolve, reject) => {
      child.stderr?.on("data", (chunk: Buffer) => {
        said = `${said}${chunk.toString()}`.slice(-4000);
        if (ready.test(said)) resolve();
      });
      child.once("error", reject);
      child.once("close", (code) => reject(new Error(`PostgreSQL ended with ${code} before it was ready:\n${said}`)));
    });
  }

  async stop(mode: "fast" | "immediate"): Promise<void> {
    const child = this.#child;
    this.#child = undefined;
    if (child === undefined || child.exitCode !== null || child.signalCode !== null) return;
    const closed = once(child, "close");
    child.kill(mode === "fast" ? "SIGINT" : "SIGQUIT");
    await closed;
  }
}

async function initialise({ programs, place, user, password }: Parts & { readonly password: string }): Promise<void> {
  const file = join(place, "password");
  writeFor(user, file, password);
  const options = ["-U", "waymark", `--pwfile=${file}`, "--auth=scram-sha-256", "--encoding=UTF8", "--locale=C", "--no-sync"];
  const child = launch(join(programs, "initdb"), ["-D", join(place, "data"), ...options], { programs, place, user });
  let said = "";
  for (const stream of [child.stdout, child.stderr]) stream?.on("data", (chunk: Buffer) => (said += chunk.toString()));
  const [code] = (await once(child, "close")) as [number | null];
  if (code !== 0) throw new Error(`initdb ended with ${code}:\n${said}`);
}

/** A file that only the server's user can read. */
export function writeFor(user: ServerUser, file: string, text: string): void {
  writeFileSync(file, text, { mode: 0o600 });
  if (user !== undefined) chownSync(file, user.uid, user.gid);
}

function launch(program: string, args: readonly string[], { place, user }: Parts): ChildProcess {
  const env = { PATH: process.env["PATH"], LC_ALL: "C", TZ: "UTC" };
  // A group of its own: an interrupt of the terminal is for the tests, which stop the server themselves.
  return spawn(program, args, { cwd: place, env, detached: true, stdio: ["ignore", "pipe", "pipe"], ...user });
}

/** Ends the server and removes its files once this process has closed the pipe or is gone. */
function watch(folder: string, data: string): ChildProcess {
  const script = `cat >/dev/null; pid=$(head -n 1 "$2/postmaster.pid" 2>/dev/null); [ -n "$pid" ] && kill -QUIT "$pid" 2>/dev/null && sleep 1; rm -rf "$1"`;
  const watcher = spawn("sh", ["-c", script, "watch", folder, data], { detached: true, stdio: ["pipe", "ignore", "ignore"] });
  watcher.unref();
  (watcher.stdin as { unref?: () => void } | null)?.unref?.();
  return watcher;
}

export function serverUser(): ServerUser {
  if (process.getuid?.() !== 0) return undefined;
  const users = readFileSync("/etc/passwd", "utf8").split("\n");
  for (const name of ["postgres", "nobody"]) {
    const [, , uid, gid] = users.find((line) => line.startsWith(`${name}:`))?.split(":") ?? [];
    if (uid !== undefined && gid !== undefined) return { uid: Number(uid), gid: Number(gid) };
  }
  throw new Error("PostgreSQL does not work for root, and there is no user `postgres` or `nobody` to start it as.");
}

export async function freePort(): Promise<number> {
  const probe = createServer();
  probe.listen(0, "127.0.0.1");
  await once(probe, "listening");
  const { port } = probe.address() as { port: number };
  probe.close();
  await once(probe, "close");
  return port;
}

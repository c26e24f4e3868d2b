/** Stores as earlier versions left them, restored at a place of their own, and the built product of this version on them. */
import { execFile, spawn } from "node:child_process";
import { readdirSync, readFileSync } from "node:fs";
import { mkdir, mkdtemp, realpath, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join, resolve } from "node:path";
import { pathToFileURL } from "node:url";
import { brotliDecompressSync } from "node:zlib";
import { textOf, type Json, type JsonObject } from "../../src/base/index.ts";
import { spawnClient, type Command, type TestClient, type User } from "../process/mcp-client.ts";
import { watch, type Child } from "../process/mcp-package.ts";

const golden = resolve(import.meta.dirname, "../golden/stores");
const scene = pathToFileURL(join(golden, "set-scene.mjs")).href;
const product = resolve(import.meta.dirname, "../../dist/waymark.js");

/** One run, as the version that made it printed it. */
export interface Said {
  readonly workspace: string;
  /** Where the run was left, in words. */
  readonly place: string;
  readonly run: string;
  readonly status: JsonObject & { readonly status: string; readonly workflow: string };
  readonly state: { readonly version: number; readonly state: JsonObject };
  readonly journal: readonly { readonly events: readonly JsonObject[] }[];
  readonly items: readonly JsonObject[];
}

interface Packed {
  readonly root: string;
  readonly made: string;
  readonly tokens: Readonly<Record<string, string>>;
  readonly said: readonly Said[];
  /** Where each file is in the bytes behind the head. */
  readonly files: Readonly<Record<string, { readonly at: number; readonly bytes: number; readonly mode: number }>>;
}

interface Ran {
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
}

export const earlierVersions: readonly string[] = readdirSync(golden, { withFileTypes: true })
  .filter((entry) => entry.isDirectory())
  .map((entry) => entry.name);

export async function restoreStore(version: string, commands: Set<string> = new Set()): Promise<EarlierStore> {
  const all = brotliDecompressSync(readFileSync(join(golden, version, "store.br")));
  const head = all.indexOf("\n") + 1;
  const packed = JSON.parse(all.subarray(0, head).toString("utf8")) as Packed;
  const root = await realpath(await mkdtemp(join(tmpdir(), "waymark-earlier-")));
  const store = new EarlierStore({ packed, contents: all.subarray(head), root }, commands);
  await store.restore();
  // Stores of earlier versions have no mark of who made them.
  for (const workspace of store.workspaces) await store.text(workspace, ["adopt", "--yes"], { WAYMARK_ALLOW_UNATTENDED: "1" });
  return store;
}

export class EarlierStore {
  readonly #packed: Packed;
  readonly #contents: Buffer;
  readonly #root: string;
  readonly #commands: Set<string>;
  readonly #clients: TestClient[] = [];
  readonly #children: Child[] = [];

  constructor({ packed, contents, root }: { packed: Packed; contents: Buffer; root: string }, commands: Set<string>) {
    this.#packed = packed;
    this.#contents = contents;
    this.#root = root;
    this.#commands = commands;
  }

  get said(): readonly Said[] {
    return this.#packed.said;
  }

  get workspaces(): readonly string[] {
    return [...new Set(this.said.map(({ workspace }) => workspace))];
  }

  /** The token of the batch that was previewed in the workspace. */
  tokenOf(workspace: string): string {
    return this.#packed.tokens[workspace] ?? "";
  }

  at(place: string): Said {
    const found = this.said.find((each) => each.place === place);
    if (found === undefined) throw new Error(`No run was left at: ${place}`);
    return found;
  }

  folder(workspace: string): string {
    return join(this.#root, workspace);
  }

  /** Files of the workspace whose path ends so, with what they held when the earlier version left them. */
  leftFiles(workspace: string, ending: string): ReadonlyMap<string, string> {
    const paths = Object.keys(this.#packed.files).filter((path) => path.startsWith(`${workspace}/`) && path.endsWith(ending));
    return new Map(paths.map((path) => [join(this.#root, path), this.#contentOf(path).toString("utf8")]));
  }

  #contentOf(path: string): Buffer {
    const { at, bytes } = this.#packed.files[path] ?? { at: 0, bytes: 0 };
    return this.#contents.subarray(at, at + bytes);
  }

  /** Writes every file to its place below the root. */
  async restore(): Promise<void> {
    for (const [path, { mode }] of Object.entries(this.#packed.files)) {
      const held = this.#contentOf(path);
      // A permission counts for one workspace; everything else is independent of its place.
      const here = path === "data/permissions.jsonl" ? held.toString("utf8").replaceAll(this.#packed.root, this.#root) : held;
      await mkdir(dirname(join(this.#root, path)), { recursive: true });
      await writeFile(join(this.#root, path), here, { mode });
    }
  }

  /** Everything is done by the person who began the runs. */
  env(): Record<string, string> {
    const place = (name: string): string => join(this.#root, name);
    return {
      PATH: process.env["PATH"] ?? "",
      HOME: place("home"),
      WAYMARK_DATA_HOME: place("data"),
      WAYMARK_CONFIG_HOME: place("config"),
      NODE_OPTIONS: `--import=${scene}`,
    };
  }

  /** What a process needs beside that to see the time at which the store was made, an hour later. */
  soonAfter(): Record<string, string> {
    return { GOLDEN_CLOCK_OFFSET: String(Date.parse(this.#packed.made) + 3_600_000 - Date.now()) };
  }

  command(workspace: string, argv: readonly string[]): Command {
    this.#commands.add(argv.find((word) => !word.startsWith("-")) ?? "");
    return { command: process.execPath, args: [product, ...argv], cwd: this.folder(workspace), env: this.env() };
  }

  run(workspace: string, argv: readonly string[], env: Readonly<Record<string, string>> = {}): Promise<Ran> {
    const { command, args, cwd, env: base } = this.command(workspace, argv);
    return new Promise((done) => {
      const options = { cwd, env: { ...base, ...env }, encoding: "utf8", maxBuffer: 1 << 26 } as const;
      const child = execFile(command, [...args], options, (error, stdout, stderr) => {
        const code = error === null ? 0 : typeof error.code === "number" ? error.code : -1;
        done({ code, stdout, stderr });
      });
      child.stdin?.end();
    });
  }

  /** What a command prints; throws unless it ends with 0. */
  async text(workspace: string, argv: readonly string[], env: Readonly<Record<string, string>> = {}): Promise<string> {
    const { code, stdout, stderr } = await this.run(workspace, argv, env);
    if (code !== 0) throw new Error(`waymark ${argv.join(" ")} ended with ${code}\n${stdout}${stderr}`);
    return stdout;
  }

  async json<T = JsonObject>(workspace: string, argv: readonly string[], env: Readonly<Record<string, string>> = {}): Promise<T> {
    return JSON.parse(await this.text(workspace, ["--json", ...argv], env)) as T;
  }

  async lines(workspace: string, argv: readonly string[]): Promise<readonly JsonObject[]> {
    const lines = (await this.text(workspace, ["--jsonl", ...argv])).split("\n").filter((line) => line !== "");
    return lines.map((line) => JSON.parse(line) as JsonObject);
  }

  start(workspace: string, argv: readonly string[]): Child {
    const { command, args, cwd, env } = this.command(workspace, argv);
    const child = watch(spawn(command, [...args], { cwd, env, stdio: "pipe" }));
    this.#children.push(child);
    return child;
  }

  async client(workspace: string, user?: User): Promise<TestClient> {
    const opened = await spawnClient(this.command(workspace, ["mcp", "--tools", "all"]), "auto", user);
    this.#clients.push(opened);
    return opened;
  }

  async close(): Promise<void> {
    for (const client of this.#clients) await client.close();
    for (const child of this.#children) child.process.kill("SIGKILL");
    await Promise.all(this.#children.map((child) => child.ended));
    await rm(this.#root, { recursive: true, force: true });
  }
}

/** Ids of the actions that the journal opened and did not close, by the author's id of their step. */
export function openActions({ journal }: Said): ReadonlyMap<string, string> {
  const open = new Map<string, string>();
  for (const event of journal.flatMap(({ events }) => events)) {
    const action = event["action"];
    if (event["type"] === "action_opened") open.set(...idOf(action as JsonObject));
    if (event["type"] === "action_closed") for (const [step, id] of open) if (id === action) open.delete(step);
  }
  return open;
}

const idOf = (action: JsonObject): [string, string] => [textOf(action["step"] ?? ""), textOf(action["id"] ?? "")];

/**
 * Paths below which something of the earlier state is missing or another one. What was empty may have been filled since, and what
 * says where a bot or a machine is moves with it.
 */
export function lostSince(earlier: Json, now: Json | undefined, path = ""): readonly string[] {
  if (earlier === null || earlier === "" || earlier === 0 || moving.has(path)) return [];
  if (typeof earlier !== "object") return earlier === now ? [] : [path];
  const held = (now ?? {}) as Readonly<Record<string, Json>>;
  return Object.entries(earlier).flatMap(([key, value]) => lostSince(value, held[key], `${path}/${key}`));
}

const moving: ReadonlySet<string> = new Set(["/state", "/bot_files"]);

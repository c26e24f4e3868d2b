import { mkdir, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { PassThrough, Writable } from "node:stream";
import { createWorld } from "../../src/bin/create-world.ts";
import { dialectCommands } from "../support/all-dialects.ts";
import { openChat } from "../../src/bin/open-chat.ts";
import { openRunner } from "../../src/bin/open-runner.ts";
import { openAgents } from "../../src/bin/open-agents.ts";
import { openEngine } from "../../src/bin/open-engine.ts";
import { openTestEngine } from "../../src/bin/open-test-engine.ts";
import { runCli, type CliWorld } from "../../src/cli/index.ts";
import { describeProjectAgents, loadConfig, removeWorktree, worktreesFolder } from "../../src/host/index.ts";

export interface CliResult {
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
}

export interface CliCall {
  /** What is typed, line by line; the input ends behind it. */
  readonly typed?: readonly string[];
  /** A person sits at a terminal. */
  readonly terminal?: boolean;
  readonly env?: Readonly<Record<string, string>>;
  readonly cwd?: string;
  readonly world?: Partial<CliWorld>;
}

/** A temporary workspace with its own home, and the command line on the real engine, store and host with streams in memory. */
export interface CliBench {
  readonly workspace: string;
  readonly home: string;
  write(file: string, text: string): Promise<void>;
  read(file: string): Promise<string>;
  run(argv: readonly string[], call?: CliCall): Promise<CliResult>;
  /** Runs with `--json` and answers the document; throws when the exit code is another one. */
  json<T = Record<string, unknown>>(argv: readonly string[], call?: CliCall & { readonly code?: number }): Promise<T>;
  close(): Promise<void>;
}

export async function openCliBench(files: Readonly<Record<string, string>> = {}): Promise<CliBench> {
  const base = await mkdtemp(join(tmpdir(), "waymark-cli-"));
  const [workspace, home] = [join(base, "work"), join(base, "home")];
  await mkdir(workspace);
  await mkdir(home);
  const bench: CliBench = {
    workspace,
    home,
    write: async (file, text) => {
      await mkdir(dirname(join(workspace, file)), { recursive: true });
      await writeFile(join(workspace, file), text);
    },
    read: (file) => readFile(join(workspace, file), "utf8"),
    run: (argv, call = {}) => perform(bench, argv, call),
    json: async (argv, { code = 0, ...call } = {}) => {
      const result = await perform(bench, ["--json", ...argv], call);
      if (result.code !== code) throw new Error(`exit code ${result.code}, expected ${code}\n${result.stdout}\n${result.stderr}`);
      return JSON.parse(result.stdout);
    },
    close: () => rm(base, { recursive: true, force: true }),
  };
  for (const [file, text] of Object.entries(files)) await bench.write(file, text);
  return bench;
}

async function perform(bench: CliBench, argv: readonly string[], call: CliCall): Promise<CliResult> {
  const stdin = new PassThrough();
  for (const line of call.typed ?? []) stdin.write(`${line}\n`);
  stdin.end();
  const [stdout, stderr] = [new Collected(), new Collected()];
  const env = { PATH: process.env["PATH"] ?? "", HOME: bench.home, ...call.env };
  const world: CliWorld = {
    ...createWorld(),
    stdin,
    stdout,
    stderr,
    env,
    home: bench.home,
    cwd: call.cwd ?? bench.workspace,
    user: "ada",
    isTerminal: call.terminal === true,
    self: ["/opt/node", "/opt/waymark/dist/waymark.js"],
    stopSignal: () => new AbortController().signal,
    cancelSignal: () => new AbortController().signal,
    openEngine: (flags) => openEngine({ ...flags, env }),
    openTestEngine: (parts) => openTestEngine(parts, env, () => Promise.resolve({})),
    openAgents: async (flags) => {
      const opened = await openEngine({ ...flags, env });
      return { agents: openAgents({ ...opened, env }), idleMs: opened.config.drive.idle_ms, close: () => opened.close() };
    },
    projectAgents: async ({ workspace }) => describeProjectAgents((await loadConfig({ workspace, env, flags: {} })).config, workspace),
    removeWorktree: (folder, name) => removeWorktree(folder, worktreesFolder(env), name),
    openChat: (request) => openChat(request, env, () => Promise.resolve({})),
    openRunner: (flags) => openRunner(flags, env, () => Promise.resolve({})),
    loadConfig: (flags) => loadConfig({ workspace: flags.workspace, env, flags: { store: flags.store, "log.file": flags.logFile } }),
    ...call.world,
  };
  const code = await runCli(world, dialectCommands, argv);
  // What is printed with `--json` is one document, whatever the command is.
  if (argv.includes("--json") && stdout.text !== "" && argv[0] !== "completion") JSON.parse(stdout.text);
  return { code, stdout: stdout.text, stderr: stderr.text };
}

class Collected extends Writable {
  text = "";
  override _write(chunk: Buffer, _encoding: string, done: () => void): void {
    this.text += chunk.toString("utf8");
    done();
  }
}

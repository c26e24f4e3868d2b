import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { engineDialects } from "../../src/bin/dialect-parts.ts";
import { closeEngine, createEngine, type Caller, type EngineContext, type Settings } from "../../src/engine/index.ts";
import { createTopicLayers, describeServers, type LocalHost } from "../../src/host/index.ts";
import { createTestHost } from "./test-host.ts";
import { openKnowledge } from "../../src/knowledge/index.ts";
import type { Commands } from "../../src/ports/index.ts";
import { createSandbox } from "../../src/sandbox/index.ts";
import { fileTranscripts, openSqliteStore } from "../../src/store/index.ts";
import { createWorkspace } from "../../src/workspace/index.ts";
import type { DrivenTime } from "./driven-time.ts";

export interface TestEngine {
  readonly folder: string;
  readonly context: EngineContext;
  readonly host: LocalHost;
  readonly caller: Caller;
  /** Another process on the same store, as far as the engine can tell. With a `time` of its own, one of the two can stand still. */
  again(settings?: Partial<Settings>, time?: DrivenTime): Promise<TestEngine>;
  write(path: string, text: string): Promise<void>;
  allow(name: string): Promise<void>;
  close(): Promise<void>;
}

/** What a test puts in the place of commands that are run. */
export type RunsCommands = Pick<Commands, "run">;

let sessions = 0;

/**
 * A real engine on a temporary workspace: SQLite, sandbox, shell commands; HOME is temporary too. With `time` its clock and alarms are
 * the test's; `watched` sees its shell commands.
 */
export async function openTestEngine(
  files: Readonly<Record<string, string>> = {},
  settings: Partial<Settings> = {},
  time?: DrivenTime,
  watched: (commands: Commands) => RunsCommands = (commands) => commands,
): Promise<TestEngine> {
  const base = await mkdtemp(join(tmpdir(), "waymark-test-"));
  const folder = join(base, "work");
  await mkdir(folder, { recursive: true });
  const write = async (path: string, text: string): Promise<void> => {
    const target = join(folder, path);
    await mkdir(dirname(target), { recursive: true });
    await writeFile(target, text);
  };
  for (const [path, text] of Object.entries(files)) await write(path, text);
  const open = async (more: Partial<Settings>, last: boolean, clock = time): Promise<TestEngine> => {
    const env = { ...process.env, HOME: join(base, "home"), XDG_DATA_HOME: join(base, "data"), XDG_CONFIG_HOME: join(base, "config") };
    const { host: local, config } = await createTestHost(folder, join(base, "bundled"), env);
    const host = clock === undefined ? local : { ...local, alarms: clock.alarms };
    const store = await openSqliteStore({ folder: config.store, ...(clock === undefined ? {} : { now: clock.now }) });
    const context = createEngine({
      ...engineDialects,
      store,
      transcripts: fileTranscripts({ folder: config.store }),
      host: { ...host, commands: withRun(host.commands, watched(host.commands)) },
      sandbox: createSandbox(),
      workspace: createWorkspace({ workers: 0 }),
      knowledge: knowledgeOf(base, folder, config.knowledge.folders),
      settings: { ...settings, ...more },
      servers: describeServers(config),
    });
    sessions += 1;
    const caller: Caller = {
      holder: { kind: "agent", name: "tester", session: `s${sessions}` },
      surface: "test",
      leaseOwner: `${host.processId}-${sessions}`,
    };
    return {
      folder,
      context,
      host,
      caller,
      write,
      again: (other = {}, own = time) => open(other, false, own),
      allow: async (name) => {
        const loaded = await context.catalog.load(name);
        await host.permissions.grant({ hash: loaded.hash, workflow: name, workspace: host.workspace, runs: [], unattended: true });
      },
      close: async () => {
        await closeEngine(context);
        await host.close();
        if (last) await rm(base, { recursive: true, force: true });
      },
    };
  };
  return open({}, true);
}

function knowledgeOf(base: string, workspace: string, extraFolders: readonly string[]): ReturnType<typeof openKnowledge> {
  const bundledFolder = join(import.meta.dirname, "../../knowledge");
  const [configFolder, cacheFolder] = [join(base, "config", "waymark"), join(base, "data", "topics")];
  return openKnowledge({ files: createTopicLayers({ workspace, bundledFolder, configFolder, extraFolders, cacheFolder }) });
}

function withRun(commands: Commands, seen: RunsCommands): Commands {
  return {
    run: (request) => seen.run(request),
    read: (output) => commands.read(output),
    settle: (...asked) => commands.settle(...asked),
    begun: (run) => commands.begun(run),
    settleDead: (signal) => commands.settleDead(signal),
  };
}

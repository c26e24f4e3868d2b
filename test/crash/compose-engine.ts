import { mkdir, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { engineDialects } from "../../src/bin/dialect-parts.ts";
import { closeEngine, createEngine, type Caller, type EngineContext, type Settings } from "../../src/engine/index.ts";
import { describeServers, type LocalHost } from "../../src/host/index.ts";
import { createTestHost } from "../support/test-host.ts";
import { createWorkspace, type WorkspaceOptions } from "../../src/workspace/index.ts";
import { bundledKnowledge } from "../support/bundled-knowledge.ts";
import { createSandbox } from "../../src/sandbox/index.ts";
import { fileTranscripts, openSqliteStore } from "../../src/store/index.ts";
import { around, type Around } from "./around.ts";

export interface Composition {
  /** Folder that holds everything: workspace, home, permissions. */
  readonly base: string;
  readonly settings?: Partial<Settings>;
  /** How long the store waits for others. */
  readonly busyTimeoutMs?: number;
  /** Around every method of the store that is named in `storeMethods`. */
  readonly store?: Around;
  readonly storeMethods?: readonly string[];
  /** Around every command. */
  readonly commands?: Around;
  /** Around every evaluation, which happens while something is being decided. */
  readonly sandbox?: Around;
  /** At each border of a write to a user's file. */
  readonly faults?: NonNullable<WorkspaceOptions["faults"]>;
  readonly logged?: (level: string, message: string, facts?: Readonly<Record<string, unknown>>) => void;
}

export interface ComposedEngine {
  readonly context: EngineContext;
  readonly host: LocalHost;
  readonly folder: string;
  /** A holder of its own; its leases die with this process. */
  caller(name?: string): Caller;
  person(surface?: string): Caller;
  define(name: string, yaml: string): Promise<void>;
  close(): Promise<void>;
}

let sessions = 0;

/** The real engine as `bin` puts it together, on a folder of its own and with hooks around store and commands. */
export async function composeEngine({
  base,
  settings = {},
  busyTimeoutMs,
  store: aroundStore,
  storeMethods = ["commit", "createRun"],
  commands,
  sandbox: aroundSandbox,
  faults,
  logged,
}: Composition): Promise<ComposedEngine> {
  const folder = join(base, "work");
  await mkdir(folder, { recursive: true });
  const env = { ...process.env, HOME: join(base, "home"), XDG_DATA_HOME: join(base, "data"), XDG_CONFIG_HOME: join(base, "config") };
  const { host, config } = await createTestHost(folder, join(base, "bundled"), env);
  const opened = await openSqliteStore({ folder: config.store, ...(busyTimeoutMs === undefined ? {} : { busyTimeoutMs }) });
  const store = aroundStore === undefined ? opened : around(opened, storeMethods, aroundStore);
  const seen = {
    ...host,
    ...(commands === undefined ? {} : { commands: around(host.commands, ["run"], commands) }),
    ...(logged === undefined ? {} : { log: logged }),
  };
  const sandbox = aroundSandbox === undefined ? createSandbox() : around(createSandbox(), ["evaluate"], aroundSandbox);
  const context = createEngine({
    ...engineDialects,
    store,
    transcripts: fileTranscripts({ folder: config.store }),
    host: seen,
    sandbox,
    workspace: createWorkspace({ workers: 0, ...(faults === undefined ? {} : { faults }) }),
    knowledge: bundledKnowledge(config.store, config.store, config.store),
    settings,
    servers: describeServers(config),
  });
  return {
    context,
    host,
    folder,
    ...callersOf(host),
    define: async (name, yaml) => {
      const path = join(folder, ".waymark", "workflows", `${name.replaceAll(":", "__")}.yaml`);
      await mkdir(dirname(path), { recursive: true });
      await writeFile(path, yaml);
      const loaded = await context.catalog.load(name);
      await host.permissions.grant({ hash: loaded.hash, workflow: name, workspace: host.workspace, runs: [], unattended: true });
    },
    close: async () => {
      await closeEngine(context);
      await host.close();
    },
  };
}

function callersOf({ processId }: LocalHost): Pick<ComposedEngine, "caller" | "person"> {
  const session = (): string => `${processId}-${(sessions += 1)}`;
  return {
    caller: (name = "tester") => {
      const own = session();
      return { holder: { kind: "agent", name, session: own }, surface: "test", leaseOwner: own };
    },
    person: (surface = "cli-terminal") => ({
      holder: { kind: "person", name: "ada", session: session() },
      surface,
      leaseOwner: "ada",
      leaseTtlMs: 1_000,
    }),
  };
}

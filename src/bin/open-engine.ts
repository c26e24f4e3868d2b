import { join } from "node:path";
import { closeEngine, createEngine, type EngineContext, type Settings } from "../engine/index.ts";
import {
  configInvalid,
  createHost,
  createLog,
  describeServers,
  loadConfig,
  userFolders,
  type Config,
  type ConfigValue,
  type Log,
  type LogFollower,
  type LocalHost,
} from "../host/index.ts";
import { createSandbox } from "../sandbox/index.ts";
import { fileTranscripts, noHints, sqliteConversations, sqliteStore } from "../store/index.ts";
import { dialectsWithLog, engineDialects, workflowPlaces } from "./dialect-parts.ts";
import { lazyKnowledge, lazyWorkspace } from "./lazy-parts.ts";
import { openStore, type Kept, type Waiting } from "./open-store.ts";
import { packageRoot } from "./package-root.ts";
import { runLogs } from "./run-logs.ts";
import { statusBars } from "./status-bars.ts";

export interface EnginePlace extends Waiting {
  readonly workspace: string;
  readonly store?: string | undefined;
  readonly logFile?: string | undefined;
  readonly env: Readonly<Record<string, string | undefined>>;
  /** What `waymark test` puts in the place of the real parts. */
  readonly replace?: {
    host(host: EngineContext["host"]): EngineContext["host"];
    store(store: EngineContext["store"]): EngineContext["store"];
  };
  /** False: runs leave no log in the workspace. */
  readonly logs?: false;
}

export interface OpenedEngine {
  readonly context: EngineContext;
  readonly config: Config;
  readonly host: LocalHost;
  readonly conversations: Kept["conversations"];
  readonly hints: Kept["hints"];
  close(): Promise<void>;
}

/** The program of the scanning threads is beside the built product; run from its sources, this thread scans. */
const scanThreads = import.meta.url.endsWith(".ts") ? { workers: 0 } : {};

/** Puts the real parts together for one workspace. A configuration with errors is refused as a whole. */
export async function openEngine(place: EnginePlace): Promise<OpenedEngine> {
  const { config, values, diagnostics } = await loadConfig({
    workspace: place.workspace,
    env: place.env,
    flags: { store: place.store, "log.file": place.logFile },
  });
  const wrong = diagnostics.filter((problem) => problem.severity === "error");
  if (wrong.length > 0) throw configInvalid(wrong);
  const log = createLog({ level: config.log.level, file: config.log.file ?? undefined, env: place.env });
  for (const problem of diagnostics) log("warn", problem.message);
  const host = await createHost({
    workspace: place.workspace,
    config,
    bundledFolder: join(packageRoot(), "workflows"),
    places: workflowPlaces,
    storeFolder: config.store,
    log,
    env: place.env,
  });
  const { conversations, hints, ...kept } =
    place.replace === undefined ? await openStore(config, host, place) : testStore(config.store, place.replace);
  const sandbox = createSandbox({
    limits: { timeMs: config.limits.expression_time_ms, memoryBytes: config.limits.expression_memory_mb << 20 },
  });
  const bars = statusBars(place.env, log, () => context);
  const followers = [bars ?? [], logsOf(place, log, () => context)].flat();
  const context: EngineContext = createEngine({
    ...engineDialects,
    ...kept,
    host: place.replace?.host(host) ?? host,
    sandbox,
    workspace: lazyWorkspace(async () => (await import("../workspace/index.ts")).createWorkspace(scanThreads)),
    knowledge: knowledgeOf(place, config),
    settings: { ...settingsOf(config), verifyCommands: verifyCommands(config, values), roles: rolesOf(config) },
    servers: describeServers(config),
    agents: Object.keys(config.agents),
    ...(bars === undefined ? { followed: dialectsWithLog } : { caughtUp: () => bars.caughtUp() }),
    onMoved: (run) => {
      for (const follower of followers) follower.moved(run);
    },
  });
  const close = async (): Promise<void> => {
    await host.commands.killAll();
    for (const follower of followers) await follower.close();
    await hints.close();
    await conversations.close();
    await closeEngine(context);
    await host.close();
  };
  return { context, config, host, conversations, hints, close };
}

function knowledgeOf({ workspace, env }: EnginePlace, config: Config): EngineContext["knowledge"] {
  return lazyKnowledge(async () => {
    const { openKnowledge } = await import("../knowledge/index.ts");
    const { createTopicLayers } = await import("../host/index.ts");
    const folders = userFolders(env);
    const places = {
      workspace,
      bundledFolder: join(packageRoot(), "knowledge"),
      configFolder: folders.config,
      extraFolders: config.knowledge.folders,
      cacheFolder: join(folders.data, "topics"),
    };
    return openKnowledge({ files: createTopicLayers(places), now: () => Date.now() });
  });
}

function logsOf({ logs, workspace }: EnginePlace, ...parts: [Log, () => EngineContext]): readonly LogFollower[] {
  return logs === false ? [] : [runLogs(workspace, ...parts)];
}

/** What a test of a workflow keeps is nobody's. */
function testStore(folder: string, replace: NonNullable<EnginePlace["replace"]>): Kept {
  return {
    store: replace.store(sqliteStore({ folder })),
    transcripts: fileTranscripts({ folder }),
    conversations: sqliteConversations({ folder }),
    hints: noHints,
  };
}

function verifyCommands(config: Config, values: readonly ConfigValue[]): Settings["verifyCommands"] {
  const source = values.find((value) => value.key === "verify.commands")?.source;
  return config.verify.commands.map((command) => ({ name: command, command, fromProject: source === "project" }));
}

function rolesOf({ roles }: Config): Settings["roles"] {
  return Object.fromEntries(
    Object.entries(roles).map(([name, { from, permission, ...binding }]) => [
      name,
      { ...binding, fromProject: from === "project", ...(permission === undefined ? {} : { permission: { level: permission } }) },
    ]),
  );
}

function settingsOf(config: Config): Partial<Settings> {
  const budget = Object.fromEntries(Object.entries(config.budget).filter(([, limit]) => limit !== null));
  return {
    callWaitMs: config.limits.call_wait_ms,
    commandTimeoutMs: config.limits.command_timeout_ms,
    commandOutputBytes: config.limits.command_output_bytes,
    valuePreviewBytes: config.limits.value_preview_bytes,
    traceEntries: config.limits.trace_entries,
    commitRecords: config.limits.commit_records,
    leaseTtlMs: config.lease.ttl_ms,
    leaseBeatMs: config.lease.beat_ms,
    // Of a database that many share, each open turn would ask more than all else does.
    ...(config.database.url === null ? {} : { turnLookMs: config.drive.poll_ms }),
    agentIdleMs: config.lease.agent_idle_ms,
    idleAfterMs: config.lease.idle_after_ms,
    budget,
  };
}

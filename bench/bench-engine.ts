import { mkdir, mkdtemp, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { engineDialects } from "../src/bin/dialect-parts.ts";
import { closeEngine, createEngine, type Caller, type EngineContext } from "../src/engine/index.ts";
import { describeServers } from "../src/host/index.ts";
import { createTestHost } from "../test/support/test-host.ts";
import { createWorkspace } from "../src/workspace/index.ts";
import { bundledKnowledge } from "../test/support/bundled-knowledge.ts";
import { createSandbox } from "../src/sandbox/index.ts";
import { fileTranscripts, openSqliteStore } from "../src/store/index.ts";

export interface BenchEngine {
  readonly context: EngineContext;
  readonly caller: Caller;
  readonly workspace: string;
  /** Where its store is. */
  readonly storeFolder: string;
  /** For child processes that work on it too. */
  readonly env: NodeJS.ProcessEnv;
  /** What it wrote stays; the whole folder of the bench goes at the end. */
  readonly close: () => Promise<void>;
}

/** The folder this run of the bench may write to; on the disk of the repository, since that is where workspaces lie. */
export function benchFolder(): string {
  const folder = process.env["BENCH_FOLDER"];
  if (folder === undefined) throw new Error("Start this with `npm run bench`.");
  return folder;
}

/** A workspace of its own with these workflows, and the real engine on it. HOME is not touched. */
export async function openBenchEngine(
  workflows: readonly string[],
  stores?: Pick<EngineContext, "store" | "transcripts">,
): Promise<BenchEngine> {
  const base = await mkdtemp(join(benchFolder(), "engine-"));
  const workspace = join(base, "work");
  await mkdir(workspace);
  for (const [index, text] of workflows.entries()) await put(join(workspace, ".waymark/workflows", `w${index}.yaml`), text);
  const env = benchEnvironment(base);
  const { host, config } = await createTestHost(workspace, join(base, "bundled"), env);
  const context = createEngine({
    ...engineDialects,
    ...(stores ?? { store: await openSqliteStore({ folder: config.store }), transcripts: fileTranscripts({ folder: config.store }) }),
    host,
    sandbox: createSandbox(),
    workspace: createWorkspace({ workers: 0 }),
    knowledge: bundledKnowledge(config.store, config.store, config.store),
    servers: describeServers(config),
  });
  const caller: Caller = { holder: { kind: "agent", name: "bench", session: "bench" }, surface: "bench", leaseOwner: host.processId };
  const close = async (): Promise<void> => {
    await closeEngine(context);
    await host.close();
  };
  return { context, caller, workspace, storeFolder: config.store, env, close };
}

/** Folders of the user's own below `base`. */
/** HOME is not touched. */
export function benchEnvironment(base: string): NodeJS.ProcessEnv {
  return { ...process.env, HOME: join(base, "home"), XDG_DATA_HOME: join(base, "data"), XDG_CONFIG_HOME: join(base, "config") };
}

async function put(path: string, text: string): Promise<void> {
  await mkdir(dirname(path), { recursive: true });
  await writeFile(path, text);
}

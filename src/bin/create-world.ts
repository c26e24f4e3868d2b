import { mkdir } from "node:fs/promises";
import { constants, homedir, tmpdir, userInfo } from "node:os";
import { dirname, join } from "node:path";
import type { CliWorld, HttpRequest, HttpServer, McpRequest } from "../cli/index.ts";
import type { ExplainPlan } from "../mcp/index.ts";
import type { PlayedRoles } from "../source/index.ts";
import { packageRoot, packageVersion } from "./package-root.ts";

/** A folder that has one of these is a workspace. */
const definitionFolders = [".waymark", ".aromcp", ".archon", ".claude/workflows", ".agents/workflows", ".agents-work"];

/** The command line's view of everything else. Rooms load when a command first needs them, since start-up time counts. */
export function createWorld(): CliWorld {
  const { stdin, stdout, stderr, env } = process;
  return {
    version: packageVersion(),
    stdin,
    stdout,
    stderr,
    env,
    isTerminal: stdin.isTTY && stdout.isTTY,
    cwd: process.cwd(),
    user: userName(),
    home: env["HOME"] || homedir(),
    temporaryFolders: [tmpdir(), ...(process.platform === "win32" ? [] : ["/tmp", "/var/tmp"])],
    definitionFolders,
    platform: process.platform,
    packageFolder: packageRoot(),
    self: [process.execPath, process.argv[1] ?? ""],
    stopSignal: () => stopSignals()[0].signal,
    cancelSignal: () => stopSignals()[1].signal,
    drainOnTerminate: () => void (drains = true),
    ...engines(env),
    ...definitions(),
  };
}

type Engines = Pick<
  CliWorld,
  | "openEngine"
  | "openRunner"
  | "removeWorktree"
  | "openTestEngine"
  | "openAgents"
  | "projectAgents"
  | "loadConfig"
  | "serveMcp"
  | "serveHttp"
  | "openChat"
>;

function engines(env: NodeJS.ProcessEnv): Engines {
  return {
    openEngine: async (flags) => (await import("./open-engine.ts")).openEngine({ ...flags, env }),
    openRunner: async (flags) => (await import("./open-runner.ts")).openRunner(flags, env, explainPlanLater),
    removeWorktree: async (workspace, name) => {
      const { removeWorktree, worktreesFolder } = await import("../host/index.ts");
      return removeWorktree(workspace, worktreesFolder(env), name);
    },
    openTestEngine: async (parts) => (await import("./open-test-engine.ts")).openTestEngine(parts, env, explainPlanLater),
    openAgents: async (flags) => {
      const { openEngine } = await import("./open-engine.ts");
      const { openAgents } = await import("./open-agents.ts");
      const opened = await openEngine({ ...flags, env });
      return { agents: openAgents({ ...opened, env }), idleMs: opened.config.drive.idle_ms, close: () => opened.close() };
    },
    projectAgents: async (flags) => {
      const { describeProjectAgents, loadConfig } = await import("../host/index.ts");
      const { config } = await loadConfig({ workspace: flags.workspace, env, flags: {} });
      return describeProjectAgents(config, flags.workspace);
    },
    loadConfig: async (flags) => {
      const { loadConfig, settings } = await import("../host/index.ts");
      const { values, diagnostics } = await loadConfig({
        workspace: flags.workspace,
        env,
        flags: { store: flags.store, "log.file": flags.logFile },
      });
      return {
        values: values.map((value) => ({ ...value, ...describe(settings.find((setting) => setting.key === value.key)) })),
        diagnostics,
      };
    },
    serveMcp: (request) => serveMcp(request),
    serveHttp: (request) => serveHttp(request),
    openChat: async (request) => (await import("./open-chat.ts")).openChat(request, env, explainPlanLater),
  };
}

type DefinitionTools = Pick<CliWorld, "schema" | "renderDiagnostic" | "explain" | "parseYaml" | "writeFile">;

function definitions(): DefinitionTools {
  return {
    schema: async (dialect) => {
      const { loadDialects } = await import("./dialect-parts.ts");
      return (await loadDialects()).find(({ name }) => name === dialect)?.jsonSchema?.() ?? {};
    },
    renderDiagnostic: async (problem, text) => (await import("../source/index.ts")).renderDiagnostic(problem, text),
    explain: async (program, format, roles, runs) => {
      const { explainProgram, explainToPeople } = await import("../source/index.ts");
      const { loadDialects } = await import("./dialect-parts.ts");
      const explained = explainProgram(program, await loadDialects(), roles as unknown as PlayedRoles);
      if (explained === undefined) return "";
      return format === "json"
        ? JSON.stringify(explained.data(), null, 2)
        : format === "mermaid"
          ? explained.mermaid()
          : runs === undefined
            ? explained.text()
            : explainToPeople(explained, runs);
    },
    parseYaml: async (text, file) => (await import("../host/index.ts")).parseYaml(text, file),
    writeFile: async (path, text) => {
      const { writeFileAtomic } = await import("../host/index.ts");
      await mkdir(dirname(path), { recursive: true });
      await writeFileAtomic(path, typeof text === "string" ? text : inChunks(text));
    },
  };
}

const chunkChars = 256 * 1024;

/** Many small pieces as few large ones: each is a call of the operating system. */
async function* inChunks(pieces: AsyncIterable<string>): AsyncGenerator<string, void, undefined> {
  let held = "";
  for await (const piece of pieces) {
    held += piece;
    if (held.length < chunkChars) continue;
    yield held;
    held = "";
  }
  if (held !== "") yield held;
}

/** The second happens whatever the first does. */
async function inOrder(first: () => Promise<void>, second: () => Promise<void>): Promise<void> {
  try {
    await first();
  } finally {
    await second();
  }
}

function describe(setting: { readonly description: string } | undefined): { readonly description?: string } {
  return setting === undefined ? {} : { description: setting.description };
}

function userName(): string {
  try {
    return userInfo().username;
  } catch {
    return process.env["USER"] ?? "user";
  }
}

let drains = false;
let stopping: readonly [stop: AbortController, cancel: AbortController] | undefined;

/** Ctrl-C once stops, twice cancels, as SIGTERM does at once unless it drains; what comes then exits, so that nothing this process started survives it. */
function stopSignals(): NonNullable<typeof stopping> {
  if (stopping !== undefined) return stopping;
  const both = [new AbortController(), new AbortController()] as const;
  stopping = both;
  const heard = (name: "SIGINT" | "SIGTERM"): void => {
    const open = both.filter(({ signal }) => !signal.aborted);
    if (open.length === 0) process.exit(128 + constants.signals[name]);
    for (const one of name === "SIGINT" || drains ? open.slice(0, 1) : open) one.abort();
  };
  for (const name of ["SIGINT", "SIGTERM"] as const) process.on(name, () => heard(name));
  return both;
}

const explainPlanLater: ExplainPlan = async (program, inputs) => {
  const { loadDialects } = await import("./dialect-parts.ts");
  // The dialect that takes the rest explains programs of every dialect as steps.
  const plain = (await loadDialects()).find(({ owns }) => owns === undefined);
  return plain?.explain?.(program, inputs).data() ?? {};
};

async function serveMcp(request: McpRequest): Promise<void> {
  const driven = process.env["WAYMARK_DRIVEN"];
  if (driven !== undefined && driven !== "") {
    const { bridgeToStrand } = await import("../http/index.ts");
    return bridgeToStrand({ file: driven, stdin: process.stdin, stdout: process.stdout, signal: request.signal });
  }
  const { openEngine } = await import("./open-engine.ts");
  const { serveStdioMcp } = await import("../mcp/index.ts");
  const { loadDialectTools } = await import("./dialect-parts.ts");
  const opened = await openEngine({ ...request, answers: true, env: process.env });
  try {
    await serveStdioMcp({
      context: opened.context,
      place: request.place,
      toolsets: request.tools ?? opened.config.tools.toolsets,
      version: packageVersion(),
      replyChars: opened.config.limits.reply_chars,
      signal: request.signal,
      explainPlan: explainPlanLater,
      dialects: await loadDialectTools(),
    });
  } finally {
    await opened.close();
  }
}

async function serveHttp(request: HttpRequest): Promise<HttpServer> {
  const { openEngine } = await import("./open-engine.ts");
  const { serveHttp: serve } = await import("../http/index.ts");
  const { userFolders } = await import("../host/index.ts");
  const { loadDialectTools } = await import("./dialect-parts.ts");
  const opened = await openEngine({ ...request, answers: true, env: process.env });
  const server = await serve({
    context: opened.context,
    place: request.place,
    toolsets: request.tools ?? opened.config.tools.toolsets,
    version: packageVersion(),
    replyChars: opened.config.limits.reply_chars,
    port: request.port,
    explainPlan: explainPlanLater,
    dialects: await loadDialectTools(),
    folder: join(userFolders(process.env).data, "servers"),
  });
  return {
    url: server.url,
    file: server.file,
    close: () =>
      inOrder(
        () => server.close(),
        () => opened.close(),
      ),
  };
}

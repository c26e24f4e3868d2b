import { join } from "node:path";
import { defined } from "../base/index.ts";
import type { EngineFlags, OpenRunner } from "../cli/index.ts";
import { endLeftAgents } from "../engine/index.ts";
import type { Agents } from "../ports/index.ts";
import { changesIn, makeWorktree, removeDeadFiles, uncommittedIn, userFolders, worktreesFolder, type Environment } from "../host/index.ts";
import { serveStrands } from "../http/index.ts";
import type { ExplainPlan } from "../mcp/index.ts";
import { loadDialectTools } from "./dialect-parts.ts";
import { openAgents } from "./open-agents.ts";
import { openEngine, type OpenedEngine } from "./open-engine.ts";
import { packageVersion } from "./package-root.ts";

/** An engine with the agents of its workspace and a door for each step that they do. */
export async function openRunner(
  flags: EngineFlags,
  env: Environment,
  explainPlan: ExplainPlan,
): Promise<OpenRunner & { readonly opened: OpenedEngine }> {
  const opened = await openEngine({ ...flags, env });
  const { context, config, host } = opened;
  const { data } = userFolders(env);
  const driven = join(data, "driven");
  const fileOf = (more = ""): string => join(driven, `${host.processId}${more}.json`);
  const agentsFor = (file: string): Agents => openAgents({ config, host, env, driven: file });
  try {
    // Nothing waits for this: a run is taken up at once, and each step looks again before its agent begins.
    const ended = endLeftAgents(context).catch((error: unknown) =>
      context.host.log("warn", "Agents that a dead process left could not be ended.", { error: String(error) }),
    );
    removeDeadFiles(driven);
    const doors = await serveStrands({
      context,
      explainPlan,
      file: fileOf(),
      version: packageVersion(),
      replyChars: config.limits.reply_chars,
      dialects: await loadDialectTools(),
    });
    return {
      opened,
      context,
      parts: {
        context,
        doors,
        agents: agentsFor(fileOf()),
        forWorker: (number) => ({ agents: agentsFor(fileOf(`-${number}`)), doors: doors.keptIn(fileOf(`-${number}`)) }),
      },
      usual: defined({ agent: config.drive.agent ?? undefined, idleMs: config.drive.idle_ms }),
      workers: config.drive.workers,
      hints: opened.hints,
      pollMs: config.drive.poll_ms,
      makeWorktree: (name) => makeWorktree(context.host.workspace, worktreesFolder(env), name),
      uncommitted: () => uncommittedIn(context.host.workspace),
      changesIn: (path) => changesIn(path, context.host.workspace),
      close: async () => {
        await ended;
        await doors.close();
        await opened.close();
      },
    };
  } catch (error) {
    await opened.close();
    throw error;
  }
}

import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { OpenTestEngine, TestParts } from "../cli/index.ts";
import { systemAlarms, type Environment } from "../host/index.ts";
import type { ExplainPlan } from "../mcp/index.ts";
import { loadDialectTools } from "./dialect-parts.ts";
import { openEngine, type EnginePlace } from "./open-engine.ts";
import { packageVersion } from "./package-root.ts";

/** An engine on a fresh temporary store, with the parts that a test puts in, and a scripted agent where the test has one. */
export async function openTestEngine(parts: TestParts, env: Environment, explainPlan: ExplainPlan): Promise<OpenTestEngine> {
  const closing: (() => Promise<void>)[] = [];
  const close = async (): Promise<void> => {
    const end = closing.pop();
    if (end === undefined) return;
    // Each happens whatever the one before it does.
    try {
      await end();
    } finally {
      await close();
    }
  };
  try {
    const time = { alarms: systemAlarms, now: () => Date.now() };
    const agents = parts.agent && (await (await import("../agents/index.ts")).scriptedAgents(parts.agent, time));
    const folder = await mkdtemp(join(tmpdir(), "waymark-check-"));
    closing.push(() => rm(folder, { recursive: true, force: true }));
    const { workspace, logFile } = parts;
    const replace: EnginePlace["replace"] = { host: (host) => parts.host(host), store: (store) => parts.store(store) };
    const { context, config, ...opened } = await openEngine({ workspace, store: folder, logFile, env, replace, logs: false });
    closing.push(() => opened.close());
    if (agents === undefined) return { context, close };
    const { serveStrands } = await import("../http/index.ts");
    const doors = await serveStrands({
      context,
      explainPlan,
      version: packageVersion(),
      replyChars: config.limits.reply_chars,
      dialects: await loadDialectTools(),
    });
    closing.push(() => doors.close());
    return { context, close, runner: { context, agents, doors } };
  } catch (error) {
    await close();
    throw error;
  }
}

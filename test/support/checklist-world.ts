import { cp, readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { encode } from "gpt-tokenizer/encoding/o200k_base";
import type { Settings } from "../../src/engine/index.ts";
import type { McpServerOptions } from "../../src/mcp/index.ts";
import { openClient, serverParts, type TestClient, type ToolReply } from "../process/mcp-client.ts";
import { openTestEngine, type TestEngine } from "./test-engine.ts";

const root = join(import.meta.dirname, "../..");

export interface ChecklistWorld {
  readonly engine: TestEngine;
  readonly folder: string;
  /** Another client of the same engine, each a session of its own. */
  client(options?: Partial<McpServerOptions>): Promise<TestClient>;
  /** Text of a file below the workspace. */
  text(path: string): Promise<string>;
  /** Every byte of all sources, by path. */
  sources(): Promise<Record<string, string>>;
  close(): Promise<void>;
}

interface WorldWish {
  /** Bundled workflows by name, or definitions by file name. */
  readonly workflows: readonly string[];
  readonly definitions?: Readonly<Record<string, string>>;
  /** A sample application to copy in; files beside it. */
  readonly sample?: string;
  readonly files?: Readonly<Record<string, string>>;
  readonly settings?: Partial<Settings>;
}

/** A real engine on a copy of a sample application, and clients over the protocol. */
export async function openChecklistWorld({
  workflows,
  definitions = {},
  sample,
  files = {},
  settings = {},
}: WorldWish): Promise<ChecklistWorld> {
  const found: Record<string, string> = { ...definitions, ...files };
  for (const name of workflows)
    found[`.waymark/workflows/${name}.workflow.yaml`] = await readFile(join(root, "workflows", `${name}.workflow.yaml`), "utf8");
  const engine = await openTestEngine(found, settings);
  if (sample !== undefined) await cp(join(root, "examples", sample), engine.folder, { recursive: true });
  const clients: TestClient[] = [];
  return {
    engine,
    folder: engine.folder,
    client: async (options = {}) => {
      const opened = await openClient({ context: engine.context, ...serverParts, ...options });
      clients.push(opened);
      return opened;
    },
    text: (path) => readFile(join(engine.folder, path), "utf8"),
    sources: () => contents(join(engine.folder, "src")),
    close: async () => {
      for (const client of clients) await client.close();
      await engine.close();
    },
  };
}

async function contents(folder: string): Promise<Record<string, string>> {
  const found: Record<string, string> = {};
  for (const entry of await readdir(folder, { recursive: true, withFileTypes: true })) {
    const path = join(entry.parentPath, entry.name);
    if (entry.isFile()) found[path] = (await readFile(path)).toString("hex");
  }
  return found;
}

/** What a reply costs a model: the larger of its two parts. */
export function costOf(reply: ToolReply): number {
  return Math.max(encode(reply.text).length, encode(JSON.stringify(reply.data)).length);
}

/** The sample bot on a real engine, called over MCP as an agent would, with a person who answers when the client asks. */
import { readdirSync, readFileSync } from "node:fs";
import { access, mkdir, readFile } from "node:fs/promises";
import { join, relative } from "node:path";
import type { Caller } from "../../src/engine/index.ts";
import { openClient, serverParts, type TestClient, type ToolReply, type User } from "../process/mcp-client.ts";
import { openTestEngine, type TestEngine } from "./test-engine.ts";

const example = join(import.meta.dirname, "../../examples/story-bot");

/** Files of the sample bot by path, with changes: a text replaces or adds a file, null leaves it out. */
export function storyBot(changes: Readonly<Record<string, string | null>> = {}): Record<string, string> {
  const files: Record<string, string> = {};
  const base = ".waymark/workflows/story_bot";
  for (const path of readdirSync(example, { recursive: true, encoding: "utf8" })) {
    const full = join(example, path);
    if (!path.startsWith(".waymark")) continue;
    try {
      files[relative(example, full).replaceAll("\\", "/")] = readFileSync(full, "utf8");
    } catch {
      // A folder.
    }
  }
  for (const [path, text] of Object.entries(changes)) {
    if (text === null) delete files[`${base}/${path}`];
    else files[`${base}/${path}`] = text;
  }
  return files;
}

/** The sample bot with its first behaviour only. */
export function shapeBot(changes: Readonly<Record<string, string | null>> = {}, config: object = {}): Record<string, string> {
  const files = storyBot(changes);
  const path = ".waymark/workflows/story_bot/bot_config.json";
  const held = JSON.parse(files[path] ?? "{}") as object;
  files[path] = JSON.stringify({ ...held, behaviors: ["shape"], ...config });
  return Object.fromEntries(Object.entries(files).filter(([name]) => !/behaviors\/[2-9]_/.test(name)));
}

export interface Entry {
  readonly timestamp: string;
  readonly behavior: string;
  readonly action: string;
  readonly action_state: string;
  readonly inputs: Record<string, unknown>;
  readonly outputs: Record<string, unknown>;
  readonly duration: number | null;
}

export interface State {
  readonly current_behavior: string;
  readonly current_action: string;
  readonly action_state: string;
  readonly timestamp: string;
  readonly completed_actions: readonly Entry[];
  readonly out_of_order_confirmations?: Record<string, unknown>;
}

export interface SeedBot {
  readonly engine: TestEngine;
  /** Calls a tool of the bot with parameters. */
  readonly call: (tool: string, parameters?: Record<string, unknown>) => Promise<ToolReply>;
  /** Calls any tool with these arguments, e.g. the `next_call` of a reply. */
  readonly run: (call: { readonly tool: string; readonly arguments: Record<string, unknown> }) => Promise<ToolReply>;
  /** Another window. */
  client(): Promise<TestClient>;
  readonly tools: readonly { readonly name: string; readonly description?: string | undefined; readonly inputSchema: object }[];
  state(): Promise<State>;
  log(): Promise<readonly Entry[]>;
  exists(path: string): Promise<boolean>;
  /** Entries as `action state`. */
  events(): Promise<readonly string[]>;
  readonly person: Caller;
  /** What the client's user was asked so far. */
  readonly asked: readonly string[];
  close(): Promise<void>;
}

export interface SeedBotOptions {
  readonly files?: Readonly<Record<string, string>>;
  readonly toolsets?: readonly string[];
  /** What the user answers; without it the client cannot ask. */
  readonly answer?: (question: string) => string;
}

export async function openSeedBot({ files = storyBot(), toolsets = ["bots"], answer }: SeedBotOptions = {}): Promise<SeedBot> {
  const engine = await openTestEngine(files);
  await mkdir(join(engine.folder, "docs"), { recursive: true });
  const asked: string[] = [];
  const clients: TestClient[] = [];
  const user: User | undefined =
    answer === undefined
      ? undefined
      : (message) => {
          asked.push(message);
          return { action: "accept", content: { answer: answer(message) } };
        };
  const open = async (): Promise<TestClient> => {
    const made = await openClient({ context: engine.context, ...serverParts, toolsets }, "legacy", user);
    clients.push(made);
    return made;
  };
  const first = await open();
  const { tools } = await first.client.listTools();
  const read = async <T>(name: string): Promise<T> => JSON.parse(await readFile(join(engine.folder, "docs", name), "utf8")) as T;
  return {
    engine,
    tools,
    asked,
    call: (tool, parameters) => first.call(tool, parameters === undefined ? {} : { parameters }),
    run: (next) => first.call(next.tool, next.arguments),
    client: open,
    state: () => read<State>("workflow_state.json"),
    log: () => read<Entry[]>("activity_log.json"),
    events: async () => (await read<Entry[]>("activity_log.json")).map((entry) => `${entry.action} ${entry.action_state}`),
    exists: async (path) =>
      access(join(engine.folder, path)).then(
        () => true,
        () => false,
      ),
    person: { holder: { kind: "person", name: "ada", session: "terminal" }, surface: "cli-terminal", leaseOwner: "ada" },
    close: async () => {
      for (const client of clients) await client.close();
      await engine.close();
    },
  };
}

/** The bot with its project area chosen, standing at `gather_context` of `shape`. */
export async function openPlacedBot(options: SeedBotOptions = {}): Promise<SeedBot> {
  const bot = await openSeedBot({ answer: () => "done", ...options });
  await bot.call("story_bot_tool");
  await bot.call("story_bot_close_current_action", { summary: "Chose docs.", project_area: "docs" });
  return bot;
}

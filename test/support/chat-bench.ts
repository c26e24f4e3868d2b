import { join } from "node:path";
import { scriptedAgents } from "../../src/agents/index.ts";
import { loadDialectTools } from "../../src/bin/dialect-parts.ts";
import {
  createChat,
  type Chat,
  type ChatEngine,
  type ChatParts,
  type Platform,
  type Right,
  type StreamingMode,
} from "../../src/chat/index.ts";
import { chatLines } from "../../src/cli/chat-lines.ts";
import { systemAlarms } from "../../src/host/index.ts";
import { serveStrands } from "../../src/http/index.ts";
import type { Agents, Conversations } from "../../src/ports/index.ts";
import { sqliteConversations } from "../../src/store/index.ts";
import { openTestEngine, type TestEngine } from "./test-engine.ts";

/** A platform that keeps what is sent, by conversation. */
export class KeptPlatform implements Platform {
  readonly sent: { readonly conversation: string; readonly text: string }[] = [];
  mode: StreamingMode = "stream";
  longestMessage = 100_000;
  /** Called before a message is kept; what it throws is what the platform refuses. */
  before: (conversation: string, text: string) => void | Promise<void> = () => undefined;
  readonly #type: string;

  constructor(type = "test") {
    this.#type = type;
  }

  getPlatformType(): string {
    return this.#type;
  }

  getStreamingMode(): StreamingMode {
    return this.mode;
  }

  async send(conversation: string, text: string | AsyncIterable<string>): Promise<void> {
    let whole = "";
    if (typeof text === "string") whole = text;
    else for await (const piece of text) whole += piece;
    await this.before(conversation, whole);
    this.sent.push({ conversation, text: whole });
  }

  ensureThread(conversation: string): Promise<string> {
    return Promise.resolve(conversation);
  }

  start(): Promise<void> {
    return Promise.resolve();
  }

  stop(): Promise<void> {
    return Promise.resolve();
  }

  textsIn(conversation: string): readonly string[] {
    return this.sent.filter((each) => each.conversation === conversation).map(({ text }) => text);
  }
}

export interface ChatBench {
  readonly engine: TestEngine;
  readonly conversations: Conversations;
  readonly logged: string[];
  chat: Chat;
  readonly platform: KeptPlatform;
  /** The platform as the process has it. */
  adapter: Platform;
  /** Writes a message, waits until all of it is done, and answers what was sent to the conversation since. */
  say(text: string, options?: { readonly in?: string; readonly by?: string; readonly id?: string }): Promise<readonly string[]>;
  /** Another process with other settings. */
  reopen(parts: ChatOptions["parts"]): Promise<void>;
  /** Another process on the same store, with the same adapter. The one before is closed, or left as it is. */
  restart(how?: "closed" | "killed"): Promise<void>;
  close(): Promise<void>;
}

export interface ChatOptions {
  /** Of an agent that does what this says; absent: the chat has none, and runs have one without turns. */
  readonly script?: unknown;
  readonly agents?: Agents;
  readonly agent?: string;
  readonly people?: Readonly<Record<string, readonly Right[]>>;
  readonly allow?: readonly string[];
  /** Around what each process has of the store and the platform. */
  readonly reach?: <T extends object>(port: T) => T;
  /** Throws for a folder that no engine can be opened on. */
  readonly check?: (folder: string) => void;
  readonly parts?: Partial<Omit<ChatParts, "conversations" | "open" | "log">>;
}

const everything: readonly Right[] = ["start", "decide", "clone"];

/** A real chat on a real engine in a temporary workspace; nothing but the platform and the agent is made for tests. */
export async function openChat(files: Readonly<Record<string, string>>, options: ChatOptions = {}): Promise<ChatBench> {
  const engine = await openTestEngine(files);
  for (const name of options.allow ?? []) await engine.allow(name);
  const { opened, doors } = await openRunner(engine, options);
  const store = join(engine.folder, ".chat-store");
  const conversations = sqliteConversations({ folder: store });
  const platform = new KeptPlatform();
  const logged: string[] = [];
  let settings = options;
  const { reach = <T extends object>(port: T): T => port } = options;
  const create = (): Chat =>
    createChat({
      ...partsOf(engine, settings),
      conversations: reach(conversations),
      open: async (folder) => {
        options.check?.(folder);
        return opened;
      },
      log: (_, text) => void logged.push(text),
    });
  let count = 0;
  const bench: ChatBench = {
    engine,
    adapter: reach(platform),
    conversations,
    logged,
    platform,
    chat: create(),
    say: async (text, { in: conversation = "c", by = "ann", id } = {}) => {
      const before = platform.textsIn(conversation).length;
      count += 1;
      await bench.chat.receive(bench.adapter, { conversation, id: id ?? `m${count}`, person: by, text });
      await bench.chat.idle();
      return platform.textsIn(conversation).slice(before);
    },
    reopen: async (parts) => {
      settings = { ...options, ...(parts === undefined ? {} : { parts }) };
      await bench.restart();
    },
    restart: async (how = "closed") => {
      if (how === "closed") await bench.chat.close();
      bench.chat = create();
      bench.adapter = reach(platform);
      await bench.chat.join(bench.adapter);
    },
    close: async () => {
      await bench.chat.close();
      await conversations.close();
      await doors.close();
      await engine.close();
    },
  };
  await bench.chat.join(bench.adapter);
  return bench;
}

async function openRunner({ context }: TestEngine, { script = { turns: [{ match: "never" }] }, agents: given }: ChatOptions) {
  const time = { alarms: systemAlarms, now: () => Date.now() };
  const agents = given ?? (await scriptedAgents({ script, in: "a test" }, time));
  const explainPlan = (): Promise<Record<string, never>> => Promise.resolve({});
  const doors = await serveStrands({ context, version: "0", explainPlan, dialects: await loadDialectTools() });
  const opened: ChatEngine = { context, parts: { context, agents, doors }, usual: { agent: "script" }, workers: 1 };
  return { opened, doors };
}

function partsOf(
  { folder }: TestEngine,
  { people = { ann: everything }, agent, parts }: ChatOptions,
): Omit<ChatParts, "conversations" | "open" | "log"> {
  return {
    home: { name: "work", folder },
    people: {
      of: (_, person) => {
        const may = people[person];
        return may === undefined ? { name: undefined, may: new Set() } : { name: `${person} of the team`, may: new Set(may) };
      },
      deciders: () => Object.keys(people).flatMap((person) => (people[person]?.includes("decide") ? [`${person} of the team`] : [])),
    },
    roots: [],
    clone: () => Promise.reject(new Error("nothing is cloned")),
    lines: chatLines({}),
    alarms: systemAlarms,
    ...(agent === undefined ? {} : { agent }),
    ...parts,
  };
}

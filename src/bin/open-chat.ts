import { realpath } from "node:fs/promises";
import { hostname } from "node:os";
import { basename, join, resolve } from "node:path";
import { defined, shownDatabase } from "../base/index.ts";
import { createChat } from "../chat/index.ts";
import type { ChatRequest, OpenChat } from "../cli/index.ts";
import { cloneRepository, holdAlone, noCloneFolder, placeTaken, systemAlarms, userFolders, type Environment } from "../host/index.ts";
import { createTestAdapter } from "../http/index.ts";
import type { ExplainPlan } from "../mcp/index.ts";
import { peopleOf } from "./chat-people.ts";
import type { OpenedEngine } from "./open-engine.ts";
import { openRunner } from "./open-runner.ts";

/** A chat on the configuration and the store of its folder, and an engine for every folder that its conversations work on. */
export async function openChat(request: ChatRequest, env: Environment, explainPlan: ExplainPlan): Promise<OpenChat> {
  const { place, user, cancel, lines, ...flags } = request;
  const engines = new Engines((workspace) => openRunner({ ...flags, workspace }, env, explainPlan));
  try {
    const { opened } = await engines.open(flags.workspace);
    const { config, context, host } = opened;
    const folders = userFolders(env);
    const conversation = place.platform === "terminal" ? conversationIn(opened, place.conversation, user.name) : "";
    const { url } = config.database;
    const key = JSON.stringify([url === null ? config.store : shownDatabase(url), place.platform, conversation]);
    const held = await holdAlone(join(folders.data, "chats", host.sha256(key).slice(0, 32)), host.processId);
    if ("holder" in held) throw placeTaken(place.platform, held.holder);
    engines.beforeClose(() => held.release());
    // In the store of the folder where the chat was started.
    const { conversations } = opened;
    const people = peopleOf(config, user);
    const home = { name: basename(host.workspace), folder: host.workspace };
    const chat = createChat({
      conversations,
      home,
      open: (folder) => engines.open(folder),
      people,
      roots: [host.workspace, ...config.chat.roots],
      clone: async (from, name) => {
        const [into] = config.chat.roots;
        if (into === undefined) throw noCloneFolder();
        return cloneRepository({ from, name, into, allowed: config.chat.clone_from, env, signal: cancel });
      },
      lines,
      alarms: systemAlarms,
      cancel,
      log: (level, text) => context.host.log(level, text),
      ...defined({ agent: config.chat.agent ?? undefined, workflow: config.chat.workflow ?? undefined }),
    });
    return {
      chat,
      people,
      conversation,
      configFile: join(folders.config, "config.yaml"),
      testAdapter: (port) => {
        const adapter = createTestAdapter({
          port,
          receive: (message) => chat.receive(adapter, message),
          concurrency: () => chat.concurrency(),
          check: () => conversations.check(),
          log: (text, error) => context.host.log("error", text, { error: String(error) }),
        });
        return adapter;
      },
      close: async () => {
        await chat.close();
        await engines.close();
      },
    };
  } catch (error) {
    await engines.close();
    throw error;
  }
}

/** A store in a folder is of one workspace; a database may be shared by users, computers and workspaces, whose terminals are not each other's. */
function conversationIn({ config, host }: OpenedEngine, name: string, user: string): string {
  return config.database.url === null ? name : `${user}@${hostname()}:${host.workspace} ${name}`;
}

type Runner = Awaited<ReturnType<typeof openRunner>>;

/** One for each folder, opened when it is first needed; all of them are closed together. */
class Engines {
  readonly #openOne: (workspace: string) => Promise<Runner>;
  readonly #opening = new Map<string, Promise<Runner>>();
  readonly #before: (() => Promise<void>)[] = [];

  constructor(openOne: (workspace: string) => Promise<Runner>) {
    this.#openOne = openOne;
  }

  async open(folder: string): Promise<Runner> {
    const real = await realpath(folder).catch(() => resolve(folder));
    const held = this.#opening.get(real);
    if (held !== undefined) return held;
    const opening = this.#openOne(real);
    this.#opening.set(real, opening);
    // What could not be opened is tried again.
    opening.catch(() => this.#opening.delete(real));
    return opening;
  }

  beforeClose(work: () => Promise<void>): void {
    this.#before.unshift(work);
  }

  async close(): Promise<void> {
    const runners = await Promise.allSettled(this.#opening.values());
    const closing = runners.flatMap((each) => (each.status === "fulfilled" ? [each.value.close()] : []));
    const results = await Promise.allSettled([...closing, ...this.#before.splice(0).map((work) => work())]);
    const failed = results.find((each) => each.status === "rejected");
    if (failed !== undefined) throw failed.reason;
  }
}

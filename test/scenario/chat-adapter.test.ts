import { afterEach, expect, test } from "vitest";
import type { AgentProvider, Agents } from "../../src/ports/index.ts";
import { DrivenTime } from "../support/driven-time.ts";
import { MessengerAdapter, type Messenger, type Written } from "../support/messenger-adapter.ts";
import { openChat, type ChatBench } from "../support/chat-bench.ts";

let bench: ChatBench;
afterEach(() => bench.close());

interface Post {
  readonly thread: string;
  text: string;
  readonly shown: string[];
  last: number;
}

/** The service, with the limits that such services have: long texts and quick edits are errors. */
class FakeService implements Messenger {
  readonly posts: Post[] = [];
  readonly #time: DrivenTime;
  #take: ((written: Written) => Promise<void>) | undefined;

  constructor(time: DrivenTime) {
    this.#time = time;
  }

  openThread(channel: string, message: string): Promise<string> {
    return Promise.resolve(`${channel.slice(1)}/${message}`);
  }

  post(thread: string, text: string): Promise<string> {
    if (text.length > 200 || text.trim() === "") return Promise.reject(new Error("bad text"));
    this.posts.push({ thread, text, shown: [text], last: this.#time.now() });
    return Promise.resolve(String(this.posts.length - 1));
  }

  edit(_: string, message: string, text: string): Promise<void> {
    const post = this.posts[Number(message)]!;
    if (text.length > 200 || this.#time.now() - post.last < 500) return Promise.reject(new Error("too long or too soon"));
    Object.assign(post, { text, last: this.#time.now() });
    post.shown.push(text);
    return Promise.resolve();
  }

  listen(take: (written: Written) => Promise<void>): () => void {
    this.#take = take;
    return () => (this.#take = undefined);
  }

  async write(written: Written): Promise<void> {
    await this.#take?.(written);
  }
}

const sentence = "This is a sentence of the long answer, and it has quite a few words. ";
const script = {
  turns: [
    { match: '"hello', do: [{ say: "Well. " }, { say: sentence.repeat(6) }] },
    { match: "^Plan", do: [{ say: "Planned." }] },
  ],
};
const files = {
  ".archon/workflows/plan-it.yaml": "name: plan-it\ndescription: Plans.\nsteps: [{ step: plan }]\n",
  ".archon/steps/plan.md": "Plan $USER_MESSAGE\n",
};

interface Opened {
  readonly service: FakeService;
  readonly done: () => Promise<void>;
}

async function open(mode: "stream" | "batch" = "stream", time: DrivenTime = new DrivenTime(), agents?: Agents): Promise<Opened> {
  bench = await openChat(files, {
    script,
    ...(agents === undefined ? {} : { agents }),
    agent: "script",
    allow: ["plan-it"],
    people: { ann: ["start", "decide"] },
  });
  const service = new FakeService(time);
  const { chat } = bench;
  const adapter: MessengerAdapter = new MessengerAdapter(service, time.alarms, (message) => chat.receive(adapter, message), mode);
  await chat.join(adapter);
  await adapter.start();
  const done = async (): Promise<void> => {
    let isIdle = false;
    const idle = chat.idle().then(() => (isIdle = true));
    while (!isIdle) await time.advance(100);
    await idle;
  };
  return { service, done };
}

test("an adapter in one file: threads, messages that grow within the service's limits, and long ones as several", async () => {
  const { service, done } = await open();
  await service.write({ where: "#general", message: "7", author: "ann", text: "hello" });
  await done();
  expect(new Set(service.posts.map(({ thread }) => thread))).toEqual(new Set(["general/7"]));
  expect(service.posts.length).toBeGreaterThan(1);
  const all = service.posts.map(({ text }) => text).join(" ");
  expect(all.replaceAll(/\s+/g, " ").trim()).toBe(`Well. ${sentence.repeat(6)}`.trim());
  // The same thread is continued, and the same message in it is done once.
  const count = service.posts.length;
  for (let time = 0; time < 2; time += 1) await service.write({ where: "general/7", message: "8", author: "ann", text: "plan-it: this" });
  await done();
  expect(service.posts.slice(count).map(({ text }) => text)).toEqual([
    "**Starting workflow**: plan-it\n\nPlans.\n\nSteps: plan",
    "**Step 1/1**: plan",
    "Planned.",
    "**Workflow complete**: plan-it",
  ]);
  // Another message in the channel is another conversation.
  await service.write({ where: "#general", message: "9", author: "ann", text: "/status" });
  await done();
  const posted = service.posts.filter(({ thread }) => thread === "general/9").map(({ text }) => text);
  expect(posted.join("\n")).toMatch(/^Platform: messenger\n[^]*, `messenger:ann`, who may/);
});

test("a message that comes twice is done once, also where the service makes a thread for each call", async () => {
  const { service, done } = await open();
  let made = 0;
  service.openThread = (channel) => Promise.resolve(`${channel.slice(1)}/thread ${(made += 1)}`);
  const written = { where: "#general", message: "7", author: "ann", text: "/workflow run plan-it this" };
  await Promise.all([service.write(written), service.write(written)]);
  await done();
  await service.write(written);
  await done();
  expect(service.posts.map(({ text }) => text).filter((text) => text.startsWith("**Starting workflow**"))).toHaveLength(1);
  expect(await bench.engine.context.store.listRuns({})).toHaveLength(1);
  // A thread that could not be made is made when the message comes again.
  service.openThread = () => Promise.reject(new Error("down"));
  await expect(service.write({ ...written, message: "8" })).rejects.toThrow("down");
  service.openThread = (channel) => Promise.resolve(`${channel.slice(1)}/thread ${(made += 1)}`);
  await service.write({ ...written, message: "8" });
  await done();
  expect(await bench.engine.context.store.listRuns({})).toHaveLength(2);
});

test("a message grows while the agent speaks, edited at most every 500 ms", async () => {
  const time = new DrivenTime();
  const { service, done } = await open("stream", time, speaking(time));
  await service.write({ where: "#general", message: "7", author: "ann", text: "tell me" });
  await done();
  const [post] = service.posts;
  expect(service.posts).toHaveLength(1);
  expect(post?.text).toBe("one two three four five six seven eight nine ten");
  expect(post?.shown.length).toBeGreaterThan(2);
  expect(post?.shown.length).toBeLessThan(8);
});

/** An agent that says a word every 200 ms. */
function speaking(time: DrivenTime): Agents {
  const provider: AgentProvider = {
    id: "script",
    async *run() {
      const words = "one two three four five six seven eight nine ten".split(" ");
      for (const [at, word] of words.entries()) {
        yield { type: "text", text: at === 0 ? word : ` ${word}` };
        await time.alarms.wait(200);
      }
      yield { type: "message", text: words.join(" ") };
      yield { type: "result", sessionId: "s", stop: "end", text: words.join(" "), usage: {}, denied: [] };
    },
    close: () => Promise.resolve(),
  };
  const info = {
    name: "script",
    title: "Script",
    from: "user",
    protocol: "script",
    command: [],
    found: true,
    modes: {},
    account: "a",
    resume: "resume",
    tried: false,
  } as const;
  return {
    list: () => Promise.resolve([info]),
    resolve: () => Promise.resolve(info),
    probe: () => Promise.resolve({ answers: true, modes: [], models: [] }),
    open: () => Promise.resolve(provider),
  };
}

test("in batch mode an answer comes as a whole", async () => {
  const { service, done } = await open("batch");
  await service.write({ where: "#general", message: "7", author: "ann", text: "hello" });
  await done();
  expect(service.posts.every(({ shown }) => shown.length === 1)).toBe(true);
  expect(service.posts[0]?.text.startsWith("Well.")).toBe(true);
});

test("who is a stranger there is refused in the place where they wrote, without a thread", async () => {
  const { service, done } = await open();
  await service.write({ where: "#general", message: "7", author: "eve", text: "hello" });
  await done();
  expect(service.posts).toEqual([expect.objectContaining({ thread: "#general", text: expect.stringContaining("`messenger:eve`") })]);
});

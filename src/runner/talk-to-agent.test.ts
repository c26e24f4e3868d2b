import { expect, test } from "vitest";
import { DrivenTime } from "../../test/support/driven-time.ts";
import { scriptedAgents } from "../agents/index.ts";
import type { AgentEvent, Agents, Turn } from "../ports/index.ts";
import { talkToAgent, type TalkEvent, type TalkRequest } from "./talk-to-agent.ts";

type Result = Extract<AgentEvent, { readonly type: "result" }>;
const end = (of: Partial<Result> = {}): Result => ({
  type: "result",
  sessionId: "s1",
  stop: "end",
  text: "",
  usage: {},
  denied: [],
  ...of,
});

/** An agent that gives these events, turn by turn. */
function agentOf(...turns: readonly (readonly AgentEvent[])[]): {
  readonly agents: Agents;
  readonly asked: Turn[];
  readonly closed: () => number;
} {
  const asked: Turn[] = [];
  let closed = 0;
  const agents = {
    resolve: (name: string) => Promise.resolve({ name, models: { small: "tiny-1" } }),
    open: (id: string) =>
      Promise.resolve({
        id,
        async *run(turn: Turn) {
          asked.push(turn);
          yield* turns[asked.length - 1] ?? [];
        },
        close: () => Promise.resolve(void (closed += 1)),
      }),
  } as unknown as Agents;
  return { agents, asked, closed: () => closed };
}

const request = (agents: Agents, of: Partial<TalkRequest> = {}): TalkRequest => ({
  agents,
  agent: "helper",
  folder: "/work",
  prompt: "What is this?",
  signal: new AbortController().signal,
  ...of,
});

async function heard(asked: TalkRequest): Promise<readonly TalkEvent[]> {
  const events: TalkEvent[] = [];
  for await (const event of talkToAgent(asked)) events.push(event);
  return events;
}

test("says what the agent says as it comes, and its answer and conversation at the end", async () => {
  const { agents, asked, closed } = agentOf([
    { type: "session", sessionId: "s1", resumed: "new" },
    { type: "text", text: "I loo" },
    { type: "text", text: "k." },
    { type: "message", text: "I look." },
    { type: "tool", id: "1", name: "Read", status: "pending" },
    { type: "tool", id: "1", name: "Read", status: "running", input: { path: "a.ts" } },
    { type: "tool", id: "1", name: "Read", status: "done", input: { path: "a.ts" } },
    { type: "text", text: "A shop." },
    { type: "message", text: "A shop." },
    end({ text: "A shop." }),
  ]);
  expect(await heard(request(agents, { model: "small" }))).toEqual([
    { type: "text", text: "I loo" },
    { type: "text", text: "k." },
    { type: "tool", name: "Read", input: { path: "a.ts" } },
    { type: "text", text: "\n\nA shop." },
    { type: "end", answer: "A shop.", session: "s1" },
  ]);
  expect(asked).toMatchObject([{ cwd: "/work", model: "tiny-1", permission: { level: "read" }, prompt: "What is this?" }]);
  expect(closed()).toBe(1);
});

test("a conversation that is gone is begun again with the same prompt", async () => {
  const lost = end({ stop: "error", errorKind: "lost", sessionId: "" });
  const { agents, asked } = agentOf([lost], [{ type: "message", text: "Hello." }, end({ text: "Hello.", sessionId: "s2" })]);
  expect(await heard(request(agents, { session: "s1" }))).toEqual([
    { type: "text", text: "Hello." },
    { type: "end", answer: "Hello.", session: "s2" },
  ]);
  expect(asked.map(({ session }) => session)).toEqual(["s1", undefined]);
});

test.each<[string, Partial<Result>, string, RegExp]>([
  [
    "without a login",
    { stop: "error", errorKind: "auth", error: "Key expired" },
    "RUNNER_AGENT_LOGIN",
    /`helper` is refused .* Key expired\.$/,
  ],
  ["at its limit", { stop: "error", errorKind: "limit", resetAt: 0 }, "RUNNER_AGENT_LIMIT", /ends at 1970-01-01T00:00:00\.000Z\.$/],
  ["with a model that does not exist", { stop: "error", errorKind: "setup", error: "No model x." }, "RUNNER_AGENT_SETUP", /No model x\.$/],
  ["that is silent", { stop: "error", errorKind: "timeout", error: "It was silent." }, "RUNNER_NO_ANSWER", /It was silent\.$/],
  ["that crashes", { stop: "error", errorKind: "crash", sessionId: "" }, "RUNNER_NO_ANSWER", /failed \(crash\)\.$/],
  ["that cancels its own turn", { stop: "cancelled" }, "RUNNER_NO_ANSWER", /before it had answered/],
  ["that has lost a conversation nobody named", { stop: "error", errorKind: "lost", error: "Gone." }, "RUNNER_NO_ANSWER", /Gone\.$/],
])("an agent %s is named with what is wrong", async (_what, result, code, message) => {
  const { agents, closed } = agentOf([end(result)]);
  await expect(heard(request(agents))).rejects.toMatchObject({ code, message: expect.stringMatching(message), fix: expect.any(String) });
  expect(closed()).toBe(1);
});

test("an agent whose events end without a result did not answer", async () => {
  await expect(heard(request(agentOf([]).agents))).rejects.toMatchObject({ code: "RUNNER_NO_ANSWER" });
});

test("what is aborted ends with the reason, before the agent is opened and in its turn", async () => {
  const stop = new AbortController();
  const { agents, asked } = agentOf([{ type: "message", text: "Now" }, end({ stop: "cancelled" })]);
  const events = talkToAgent(request(agents, { signal: stop.signal }));
  await events.next();
  stop.abort(new Error("enough"));
  await expect(events.next()).rejects.toThrow("enough");
  await expect(heard(request(agents, { signal: stop.signal }))).rejects.toThrow("enough");
  expect(asked).toHaveLength(1);
});

test("who stops listening closes the agent", async () => {
  const { agents, closed } = agentOf([{ type: "message", text: "One" }, end()]);
  for await (const event of talkToAgent(request(agents))) if (event.type === "text") break;
  expect(closed()).toBe(1);
});

test("a script talks too, and may not write", async () => {
  const time = new DrivenTime();
  const turns = [{ match: "this", do: [{ say: "One." }, { write: { file: "a.txt", text: "x" } }, { say: "Two." }] }];
  const agents = await scriptedAgents({ script: { turns }, in: "a test" }, { alarms: time.alarms, now: time.now });
  const events = await heard(request(agents));
  expect(events.map((event) => (event.type === "text" ? event.text : event.type))).toEqual(["One.", "tool", "\n\nTwo.", "end"]);
});

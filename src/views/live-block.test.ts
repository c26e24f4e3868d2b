import fc from "fast-check";
import { expect, test } from "vitest";
import { liveBlock, liveChanges, usageText, type LiveAgent, type LiveFacts } from "./live-block.ts";

const facts: LiveFacts = {
  run: "wf-fix-1",
  workflow: "fix",
  status: "running",
  standing: "review (task)",
  done: 0,
  total: 0,
  agents: [],
  used: { tokens: 0, costUsd: 0 },
  questions: [],
  startedAt: 0,
};
const agent = (name: string, more: Partial<LiveAgent> = {}): LiveAgent => ({ agent: name, step: "review", since: 60_000, ...more });
const question = { text: "Deploy now?", command: "waymark decide wf-fix-1 d1" };

test("everything that is known is in six lines", () => {
  const all: LiveFacts = {
    ...facts,
    label: "Review files",
    done: 1200,
    total: 4000,
    agents: [agent("claude", { doing: "Bash npm test" })],
    used: { tokens: 12_345, costUsd: 0.425 },
    questions: [question, question],
  };
  expect(liveBlock(all, 192_000)).toEqual([
    "running 3 min 12 s: fix (wf-fix-1)",
    "Review files: review (task), 1,200 of 4,000 items",
    "claude 2 min 12 s: Bash npm test",
    "? Deploy now? (and 1 more question)",
    "→ waymark decide wf-fix-1 d1",
    "12,345 tokens, $0.42",
  ]);
});

test("what is not known takes no line", () => {
  expect(liveBlock(facts, 0)).toEqual(["running 0 s: fix (wf-fix-1)", "review (task)"]);
});

test("an agent that uses no tool is shown with its step, and with the task that it is in", () => {
  const [, , first, second] = liveBlock({ ...facts, agents: [agent("claude"), agent("codex", { task: "a.ts" })] }, 61_000);
  expect([first, second]).toEqual(["claude 1 s: review", "codex (a.ts) 1 s: review"]);
});

test("each of several workers has a line, however many there are", () => {
  const agents = Array.from({ length: 9 }, (_, at) => agent("claude", { worker: at + 1, task: `f${at}.ts` }));
  const used = { tokens: 1, costUsd: 0 };
  const lines = liveBlock({ ...facts, agents, questions: [question], used }, 61_000);
  expect(lines.slice(2, -3)).toEqual(Array.from({ length: 9 }, (_, at) => `worker ${at + 1}, claude (f${at}.ts) 1 s: review`));
  expect(liveChanges({ ...facts, agents }).slice(1, 3)).toEqual(["worker 1, claude (f0.ts): review", "worker 2, claude (f1.ts): review"]);
});

test("agents that have no room are counted", () => {
  const agents = ["a", "b", "c", "d", "e"].map((name) => agent(name));
  expect(liveBlock({ ...facts, agents }, 60_000).slice(2)).toEqual([
    "a 0 s: review",
    "b 0 s: review",
    "c 0 s: review",
    "and 2 more agents",
  ]);
  const used = { tokens: 1, costUsd: 0 };
  expect(liveBlock({ ...facts, agents, questions: [question], used }, 60_000)[2]).toBe("5 agents at work");
});

test("on a low terminal the question and its line stay, then what is known of the run, and workers without room are counted", () => {
  const agents = Array.from({ length: 16 }, (_, at) => agent("claude", { worker: at + 1 }));
  const all = { ...facts, agents, questions: [question], used: { tokens: 1, costUsd: 0 } };
  const asked = ["? Deploy now?", "→ waymark decide wf-fix-1 d1"];
  const inRows = (rows: number): readonly string[] => liveBlock(all, 60_000, { rows });
  expect(inRows(30)).toHaveLength(21);
  expect(inRows(9)).toEqual([
    "running 1 min 0 s: fix (wf-fix-1)",
    "review (task)",
    "worker 1, claude 0 s: review",
    "worker 2, claude 0 s: review",
    "worker 3, claude 0 s: review",
    "and 13 more agents",
    ...asked,
    "1 token",
  ]);
  expect(inRows(4)).toEqual(["running 1 min 0 s: fix (wf-fix-1)", "16 agents at work", ...asked]);
  expect(inRows(2)).toEqual(asked);
  expect(inRows(1)).toEqual(asked.slice(0, 1));
  for (let rows = 1; rows < 25; rows += 1) expect(inRows(rows).length).toBeLessThanOrEqual(rows);
});

test("on a narrow terminal a task is cut in its middle, so that its time and what is done there stay", () => {
  const task = "deep/er/folder/with/many/parts/file.ts";
  const line = (columns: number): string =>
    liveBlock({ ...facts, agents: [agent("fake", { worker: 1, task, doing: "Edit" })] }, 61_000, { columns })[2]!;
  expect(line(80)).toBe(`worker 1, fake (${task}) 1 s: Edit`);
  expect(line(40)).toBe("worker 1, fake (deep/...le.ts) 1 s: Edit");
  expect(line(10)).toContain(") 1 s: Edit");
});

test.each([
  [-5, "0 s"],
  [59_999, "59 s"],
  [60_000, "1 min 0 s"],
  [3_599_999, "59 min 59 s"],
  [7_500_000, "2 h 5 min"],
])("%i ms are shown as %s", (ms, text) => {
  expect(liveBlock(facts, ms)[0]).toBe(`running ${text}: fix (wf-fix-1)`);
});

test("changes have neither times nor usage", () => {
  const busy = { ...facts, agents: [agent("claude", { doing: "Edit a.ts" })], questions: [question], used: { tokens: 5, costUsd: 1 } };
  expect(liveChanges(busy)).toEqual(["review (task)", "claude: Edit a.ts", "? Deploy now?", "→ waymark decide wf-fix-1 d1"]);
  expect(liveChanges({ ...busy, used: { tokens: 9, costUsd: 2 }, agents: [{ ...busy.agents[0]!, since: 0 }] })).toEqual(liveChanges(busy));
});

test("usage names what is known", () => {
  expect([
    usageText({ tokens: 0, costUsd: 0 }),
    usageText({ tokens: 1500, costUsd: 0 }),
    usageText({ tokens: 1, costUsd: 0 }),
    usageText({ tokens: 0, costUsd: 2 }),
  ]).toEqual(["", "1,500 tokens", "1 token", "$2.00"]);
});

test("there are never more than six lines", () => {
  fc.assert(
    fc.property(fc.nat(9), fc.nat(3), fc.nat(2), (agents, questions, tokens) => {
      const made = {
        ...facts,
        agents: Array.from({ length: agents }, () => agent("a")),
        questions: Array.from({ length: questions }, () => question),
        used: { tokens, costUsd: 0 },
      };
      const lines = liveBlock(made, 0);
      expect(lines.length).toBeLessThanOrEqual(6);
      expect(lines.some((line) => line.startsWith("a 0 s") || line.includes("agents at work"))).toBe(agents > 0);
    }),
  );
});

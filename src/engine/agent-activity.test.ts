import { expect, test } from "vitest";
import type { TranscriptEntry } from "../ports/index.ts";
import { usedIn } from "../views/index.ts";
import { activityAfter, noActivity, toolText } from "./agent-activity.ts";

type Event = TranscriptEntry["event"];

let clock = 0;
const entry = (event: Event, more: Partial<TranscriptEntry> = {}): TranscriptEntry => ({
  at: (clock += 10),
  run: "r",
  action: "a1",
  step: "review",
  strand: "main",
  agent: "claude",
  event,
  ...more,
});
const after = (...entries: readonly TranscriptEntry[]) => {
  clock = 0;
  return entries.reduce(activityAfter, noActivity);
};
const tool = (id: string, status: "pending" | "running" | "done" | "failed", input?: { path: string }): Event => ({
  type: "tool",
  id,
  name: "Edit",
  status,
  ...(input === undefined ? {} : { input }),
});
const usage = (inputTokens: number, costUsd?: number): Event => ({
  type: "usage",
  usage: { inputTokens, ...(costUsd === undefined ? {} : { costUsd }) },
});
const result = (inputTokens?: number): Event => ({
  type: "result",
  sessionId: "s",
  stop: "end",
  text: "",
  usage: inputTokens === undefined ? {} : { inputTokens },
  denied: [],
});
const prompt: Event = { type: "prompt", text: "p" };

test("the tool that runs is what an agent does, since it began", () => {
  const at = (...events: readonly Event[]) => {
    clock = 0;
    return events.map((event) => entry(event)).reduce(activityAfter, noActivity).strands["main"];
  };
  expect(at(prompt)).toEqual({ agent: "claude", action: "a1", since: 10, turn: {} });
  expect(at(prompt, tool("t", "pending"))).toMatchObject({ doing: "Edit", since: 20 });
  expect(at(prompt, tool("t", "pending"), tool("t", "running", { path: "a.ts" }))).toMatchObject({ doing: "Edit a.ts", since: 20 });
  const done = at(prompt, tool("t", "running"), tool("t", "done"));
  expect([done?.doing, done?.since]).toEqual([undefined, 30]);
  expect(at(prompt, tool("t", "running"), tool("u", "running", { path: "b" }), tool("t", "failed"))?.doing).toBe("Edit b");
  expect(at(prompt, { type: "thinking", text: "" }, { type: "thinking", text: "" })).toMatchObject({ doing: "thinking", since: 20 });
  const said = at(prompt, { type: "thinking", text: "" }, { type: "message", text: "Hi" });
  expect([said?.doing, said?.since]).toEqual([undefined, 30]);
});

test("strands are apart, and the end of a turn is the end of its activity", () => {
  const other = { strand: "main.1", action: "a2", agent: "codex" };
  const both = after(entry(prompt), entry(prompt, other), entry(tool("t", "running"), other));
  expect(Object.keys(both.strands)).toEqual(["main", "main.1"]);
  expect(both.strands["main.1"]).toMatchObject({ agent: "codex", action: "a2", doing: "Edit" });
  expect(Object.keys(activityAfter(both, entry(result())).strands)).toEqual(["main.1"]);
});

test("usage of a turn replaces itself, turns add up, also those that were killed", () => {
  const tokens = (...entries: readonly TranscriptEntry[]): number | undefined => usedIn(after(...entries)).tokens;
  expect(tokens(entry(prompt), entry(usage(5)), entry(usage(8)))).toBe(8);
  expect(tokens(entry(prompt), entry(usage(8)), entry(result(10)))).toBe(10);
  expect(tokens(entry(prompt), entry(usage(8)), entry(result()))).toBe(8);
  expect(tokens(entry(prompt), entry(result(10)), entry(prompt), entry(usage(3)))).toBe(13);
  expect(tokens(entry(prompt), entry(usage(8)), entry(prompt), entry(result(10)))).toBe(18);
  expect(tokens(entry(prompt), entry(usage(8)), entry(usage(1), { action: "a2" }))).toBe(9);
  expect(usedIn(after(entry(usage(5, 0.25)), entry(usage(8)), entry(result())))).toEqual({ tokens: 8, costUsd: 0.25 });
});

test.each([
  [{ name: "Bash", input: { description: "tests", command: "npm\n  test" } }, "Bash npm test"],
  [{ name: "Read", input: { file_path: "a.ts", limit: 5 } }, "Read a.ts"],
  [{ name: "shell", input: { cmd: ["bash", "-lc", "ls"] } }, "shell bash -lc ls"],
  [{ name: "Read a.ts", input: { path: "a.ts" } }, "Read a.ts"],
  [{ name: "Todo", input: { todos: [] } }, "Todo"],
  [{ name: "Bash", input: { command: null, path: "x" } }, "Bash x"],
  [{ name: "apply", input: "patch" }, "apply patch"],
  [{ name: "Think" }, "Think"],
])("a call is named by what it is about: %j", (call, text) => {
  expect(toolText(call)).toBe(text);
});

test("what no agent reports stays unknown", () => {
  expect(usedIn(after(entry({ type: "message", text: "Done." }), entry(result())))).toEqual({});
  expect(usedIn(after(entry(usage(5))))).toEqual({ tokens: 5 });
});

import { tmpdir } from "node:os";
import fc from "fast-check";
import { expect, test } from "vitest";
import type { AgentEvent, AgentProvider } from "../ports/index.ts";
import { maskVariables, secretValues } from "./mask-variables.ts";

const result: AgentEvent = { type: "result", sessionId: "s", stop: "end", text: "", usage: {}, denied: [] };

/** What an agent that says these events is heard to say. */
async function heard(values: readonly string[], events: readonly AgentEvent[], onRaw?: (message: unknown) => void): Promise<AgentEvent[]> {
  const provider: AgentProvider = {
    id: "one",
    run: async function* (turn) {
      for (const event of events) {
        turn.onRaw?.("in", await Promise.resolve({ event }));
        yield event;
      }
    },
    close: () => Promise.resolve(),
  };
  const all: AgentEvent[] = [];
  const raw = onRaw === undefined ? {} : { onRaw: (_direction: string, message: unknown) => onRaw(message) };
  for await (const event of maskVariables(provider, values).run({ prompt: "", cwd: "/", permission: { level: "read" }, ...raw }))
    all.push(event);
  return all;
}

const spec = {
  name: "a",
  protocol: "acp",
  command: [],
  modes: {},
  usage: { tokens: "none", cost: "none" },
  resume: "none",
  textFilters: [],
} as const;

test("values of the variables that the settings name are secret, short ones, paths and what every agent sees are not", () => {
  const env = { MY_KEY: "key-12345678", SHORT: "1234567", PLACE: tmpdir(), LANG: "en_GB.UTF-8", OTHER: "other-12345678" };
  const named = ["MY_KEY", "SHORT", "PLACE", "LANG", 'SET=a "quoted" value', "GONE"];
  expect(secretValues({ spec: { ...spec, env: named }, env })).toEqual(['a \\"quoted\\" value', 'a "quoted" value', "key-12345678"]);
});

test("a value is hidden in every text of an event, deep in it too, and on the wire", async () => {
  const wire: unknown[] = [];
  const tool: AgentEvent = {
    type: "tool",
    id: "1",
    name: "shell",
    status: "done",
    input: { args: ["x secret-1 y"] },
    output: "secret-1secret-1",
  };
  const events = await heard(["secret-1"], [tool, { ...result, text: "It is secret-1.", denied: ["shell: echo secret-1"] }], (message) =>
    wire.push(message),
  );
  expect(events).toEqual([
    { ...tool, input: { args: ["x ******** y"] }, output: "****************" },
    { ...result, text: "It is ********.", denied: ["shell: echo ********"] },
  ]);
  expect(JSON.stringify([events, wire])).not.toContain("secret-1");
});

test("parts of one kind wait only while they may be the beginning of a value, and come before what follows", async () => {
  const events = await heard(
    ["secret-1"],
    [
      { type: "text", text: "a sec" },
      { type: "thinking", text: "secre" },
      { type: "thinking", text: "t-1!" },
      { type: "text", text: "b" },
      { type: "text", text: "secret" },
      result,
    ],
  );
  expect(events).toEqual([
    { type: "text", text: "a " },
    { type: "text", text: "sec" },
    { type: "thinking", text: "********!" },
    { type: "text", text: "b" },
    { type: "text", text: "secret" },
    result,
  ]);
});

test("however a text is cut into parts, no value is in what is heard, and the rest is as in the whole text", async () => {
  const values = ["aabaabaabaab", "aabaabaab", "abbababb"];
  const part = fc.oneof(fc.constantFrom(...values), fc.string({ unit: fc.constantFrom("a", "b", "c"), maxLength: 12 }));
  await fc.assert(
    fc.asyncProperty(fc.array(part, { maxLength: 6 }), fc.infiniteStream(fc.integer({ min: 1, max: 5 })), async (words, sizes) => {
      const text = words.join("");
      const parts: AgentEvent[] = [];
      for (let at = 0; at < text.length;) {
        const size = sizes.next().value;
        parts.push({ type: "text", text: text.slice(at, at + size) });
        at += size;
      }
      const events = await heard(values, [...parts, result]);
      const said = events.flatMap((event) => (event.type === "text" ? event.text : [])).join("");
      for (const value of values) expect(said).not.toContain(value);
      const [whole] = await heard(values, [{ type: "message", text }]);
      expect(said).toBe(whole?.type === "message" ? whole.text : undefined);
    }),
  );
});

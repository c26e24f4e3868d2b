import { mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import type { AgentEvent, AgentProvider } from "../ports/index.ts";
import { keepWire } from "./keep-wire.ts";

let folder: string;
beforeEach(() => void (folder = mkdtempSync(join(tmpdir(), "waymark-wire-"))));
afterEach(() => rmSync(folder, { recursive: true, force: true }));

/** Hears and says one message with the token of its server. */
const agent: AgentProvider = {
  id: "one",
  run: async function* ({ mcp = [], onRaw }) {
    await Promise.resolve(onRaw?.("out", { servers: mcp }));
    onRaw?.("in", "Bearer secret-token");
    yield { type: "result", sessionId: "s", stop: "end", text: "", usage: {}, denied: [] };
  },
  close: () => Promise.resolve(),
};

async function run(file: string): Promise<{ readonly events: AgentEvent[]; readonly raw: number }> {
  const kept = keepWire(agent, file, () => 0);
  const events: AgentEvent[] = [];
  let raw = 0;
  const mcp = [{ name: "waymark", url: "http://127.0.0.1:1", headers: { Authorization: "Bearer secret-token" } }];
  const turn = { prompt: "", cwd: folder, permission: { level: "read" }, mcp, onRaw: () => void (raw += 1) } as const;
  for await (const event of kept.run(turn)) events.push(event);
  await kept.close();
  return { events, raw };
}

test("every message is a line of a file for its user alone, in order, without tokens, and who listened still hears it", async () => {
  const file = join(folder, "deep", "one.wire.jsonl");
  expect(await run(file)).toMatchObject({ events: [{ type: "result" }], raw: 2 });
  const at = "1970-01-01T00:00:00.000Z";
  const servers = [{ name: "waymark", url: "http://127.0.0.1:1", headers: { Authorization: "********" } }];
  const lines = [
    { at, direction: "out", message: { servers } },
    { at, direction: "in", message: "********" },
  ];
  expect(readFileSync(file, "utf8")).toBe(lines.map((line) => `${JSON.stringify(line)}\n`).join(""));
  expect((statSync(file).mode & 0o777).toString(8)).toBe("600");
});

test("a file that cannot be written is a notice, and the turn has its result", async () => {
  writeFileSync(join(folder, "file"), "");
  const { events } = await run(join(folder, "file", "one.wire.jsonl"));
  expect(events.map(({ type }) => type)).toEqual(["notice", "result"]);
  expect(events[0]).toMatchObject({ level: "warn", text: expect.stringContaining("The wire could not be written to") as string });
});

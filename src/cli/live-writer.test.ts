import { Writable } from "node:stream";
import { describe, expect, test } from "vitest";
import { DrivenTime } from "../../test/support/driven-time.ts";
import { FakeTerminal } from "../../test/support/fake-terminal.ts";
import type { LiveFacts } from "../views/index.ts";
import { createLiveWriter, LiveWriter } from "./live-writer.ts";
import { Output } from "./output.ts";

const started = Date.UTC(2026, 0, 1);
const facts: LiveFacts = {
  run: "wf-fix-1",
  workflow: "fix",
  status: "running",
  standing: "review (task)",
  done: 1,
  total: 4,
  agents: [{ agent: "claude", step: "review", doing: "Edit src/a.ts", since: started }],
  used: { tokens: 0, costUsd: 0 },
  questions: [],
  startedAt: started,
};
const doing = (text: string): LiveFacts => ({ ...facts, agents: [{ ...facts.agents[0]!, doing: text }] });

function openWriter(terminal: FakeTerminal | undefined, flags: { jsonLines?: boolean } = {}) {
  const time = new DrivenTime(started);
  const writes: string[] = [];
  const stdout = new Writable({
    write: (chunk: Buffer, _encoding, done) => {
      writes.push(chunk.toString("utf8"));
      terminal?.write(chunk.toString("utf8"));
      done();
    },
  });
  const out = new Output({ stdout, stderr: stdout, env: {} }, { json: false, jsonLines: flags.jsonLines === true, quiet: false });
  return { time, writes, writer: new LiveWriter({ out, terminal, alarms: time.alarms, now: time.now }) };
}

describe("on a terminal", () => {
  test("lines scroll above the block, which is drawn again in its place", async () => {
    const terminal = new FakeTerminal(60, 10);
    const { time, writer } = openWriter(terminal);
    writer.block(facts);
    expect(terminal.screen()).toEqual(["running 0 s: fix (wf-fix-1)", "review (task), 1 of 4 items", "claude 0 s: Edit src/a.ts"]);
    await time.advance(100);
    writer.line("✓ gather");
    await time.advance(2000);
    writer.block(doing("Bash npm test"));
    await time.advance(100);
    expect(terminal.screen()).toEqual([
      "✓ gather",
      "running 2 s: fix (wf-fix-1)",
      "review (task), 1 of 4 items",
      "claude 2 s: Bash npm test",
    ]);
    writer.line("✓ review");
    writer.close();
    expect(terminal.screen()).toEqual(["✓ gather", "✓ review"]);
    expect(terminal.cursor()).toEqual({ row: 2, column: 0, isVisible: true });
  });

  test("the block stays one block where the screen scrolls", async () => {
    const terminal = new FakeTerminal(60, 6);
    const { time, writer } = openWriter(terminal);
    for (let turn = 0; turn < 20; turn += 1) {
      writer.block(doing(`Edit ${turn}.ts`));
      writer.line(`✓ ${turn}`);
      await time.advance(100);
    }
    expect(terminal.all()).toEqual([
      ...Array.from({ length: 20 }, (_, turn) => `✓ ${turn}`),
      "running 2 s: fix (wf-fix-1)",
      "review (task), 1 of 4 items",
      "claude 2 s: Edit 19.ts",
    ]);
  });

  test("there are at most ten frames a second, and the last facts are among them", async () => {
    const terminal = new FakeTerminal(60, 30);
    const { time, writer, writes } = openWriter(terminal);
    for (let ms = 0; ms < 1000; ms += 10) {
      writer.block(doing(`Edit ${ms}.ts`));
      if (ms % 50 === 0) writer.line(`line ${ms}`);
      await time.advance(10);
    }
    expect(writes.length).toBeGreaterThan(5);
    expect(writes.length).toBeLessThanOrEqual(11);
    await time.advance(100);
    expect(terminal.screen().at(-1)).toBe("claude 1 s: Edit 990.ts");
    expect(terminal.screen().filter((line) => line.startsWith("line "))).toHaveLength(20);
  });

  test("times move by themselves, and nothing is written while nothing changes or after the end", async () => {
    const terminal = new FakeTerminal(60, 10);
    const { time, writer, writes } = openWriter(terminal);
    writer.block(facts);
    await time.advance(3000);
    expect(terminal.screen()[0]).toBe("running 3 s: fix (wf-fix-1)");
    const before = writes.length;
    for (let turn = 0; turn < 5; turn += 1) {
      writer.block(facts);
      await time.advance(100);
    }
    expect(writes.length).toBe(before);
    writer.close();
    const after = writes.length;
    await time.advance(60_000);
    expect([writes.length, time.nearest()]).toEqual([after, undefined]);
  });

  test("long, wide and many lines never break the block", async () => {
    const terminal = new FakeTerminal(20, 4);
    const { time, writer } = openWriter(terminal);
    for (const text of ["x".repeat(200), "字".repeat(100), "👍".repeat(30), "a\nb\tc\r\nd"]) {
      writer.block({ ...doing(text), questions: [{ text, command: "waymark decide" }] });
      await time.advance(1000);
    }
    expect(terminal.screen()).toEqual(["claude 3 s: a b c d", "? a b c d", "→ waymark decide"]);
    writer.close();
    expect(terminal.all()).toEqual([]);
  });

  test("a block that a narrower terminal broke is taken away whole", async () => {
    const terminal = new FakeTerminal(60, 20);
    const { time, writer } = openWriter(terminal);
    writer.line("✓ gather");
    await time.advance(100);
    writer.block(facts);
    await time.advance(100);
    terminal.resize(16);
    writer.block(doing("Bash"));
    await time.advance(900);
    expect(terminal.all()).toEqual(["✓ gather", "running 0 s:...", "review (task...", "claude 0 s: ..."]);
  });

  test("text cannot move the cursor", async () => {
    const terminal = new FakeTerminal(80, 10);
    const { time, writer } = openWriter(terminal);
    writer.line("one\u001b[2J");
    await time.advance(100);
    writer.block(doing("\u001b[1Aup"));
    expect(terminal.screen()).toEqual([
      "one\\u001b[2J",
      "running 0 s: fix (wf-fix-1)",
      "review (task), 1 of 4 items",
      "claude 0 s: \\u001b[1Aup",
    ]);
    writer.close();
  });
});

describe("elsewhere", () => {
  test("only changes are printed, without control characters", async () => {
    const { time, writer, writes } = openWriter(undefined);
    writer.block(facts);
    await time.advance(5000);
    writer.block({ ...facts, used: { tokens: 500, costUsd: 1 } });
    writer.line("✓ gather");
    writer.block(doing("Bash npm\n\u001b[2Jtest"));
    writer.close();
    expect(writes.join("")).toBe("review (task), 1 of 4 items\nclaude: Edit src/a.ts\n✓ gather\nclaude: Bash npm \\u001b[2Jtest\n");
    expect(time.nearest()).toBeUndefined();
  });

  test("with --jsonl every change is one document, on a terminal too", async () => {
    const { writer, writes } = openWriter(new FakeTerminal(60, 10), { jsonLines: true });
    writer.block(facts);
    writer.block({ ...facts });
    writer.line("✓ gather");
    writer.block({ ...facts, used: { tokens: 500, costUsd: 1 } });
    writer.close();
    expect(
      writes
        .join("")
        .trimEnd()
        .split("\n")
        .map((line) => JSON.parse(line) as unknown),
    ).toMatchObject([
      { type: "block", run_id: "wf-fix-1", at: "review (task)", agents: [{ agent: "claude", doing: "Edit src/a.ts" }], tokens: 0 },
      { type: "line", text: "✓ gather" },
      { type: "block", tokens: 500, cost_usd: 1 },
    ]);
  });

  test.each([
    ["a pipe", {}, {}, false],
    ["a terminal", { isTTY: true, columns: 80, rows: 24 }, {}, true],
    ["a terminal that can only write", { isTTY: true }, { TERM: "dumb" }, false],
  ])("a command draws on %s or prints", async (_, stream, env, draws) => {
    const written: string[] = [];
    const stdout = Object.assign(new Writable({ write: (chunk, _encoding, done) => (written.push(String(chunk)), done()) }), stream);
    const time = new DrivenTime();
    const out = new Output({ stdout, stderr: stdout, env }, { json: false, quiet: false });
    const writer = createLiveWriter({ world: { stdout, env }, out }, time.alarms);
    writer.block(facts);
    writer.close();
    expect(written.join("").includes("\u001b[")).toBe(draws);
  });
});

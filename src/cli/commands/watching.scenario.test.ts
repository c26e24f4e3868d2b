import { Writable } from "node:stream";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { openCliBench, type CliBench, type CliResult } from "../../../test/process/cli-world.ts";
import { DrivenTime } from "../../../test/support/driven-time.ts";
import { FakeTerminal } from "../../../test/support/fake-terminal.ts";
import { openEngine } from "../../bin/open-engine.ts";
import type { TranscriptEntry } from "../../ports/index.ts";
import { fileTranscripts } from "../../store/index.ts";

const flow = `name: flow
description: Two steps and a question
version: "1.0.0"
inputs: { key: { type: string, secret: true, default: hunter2hunter2 } }
steps:
  - { id: one, type: user_message, message: one }
  - { id: ask, type: user_input, prompt: "Which way with {{ inputs.key }}?", state_update: { path: raw.way } }
  - { id: two, type: user_message, message: two }
`;

let bench: CliBench;
let run: string;
let time: DrivenTime;
let clock: number;
beforeEach(async () => {
  bench = await openCliBench({ ".waymark/workflows/flow.yaml": flow });
  run = String((await bench.json(["start", "flow"]))["run_id"]);
  time = new DrivenTime();
  clock = Date.UTC(2026, 0, 31, 12);
});
afterEach(() => bench.close());

const firstAction = async (): Promise<string> => String((await bench.json(["next", run]))["action_id"]);

async function record(...events: readonly TranscriptEntry["event"][]): Promise<void> {
  const action = await firstAction();
  const entries = events.map((event) => ({ at: (clock += 1000), run, action, step: "one", strand: "main", agent: "claude", event }));
  await fileTranscripts({ folder: `${bench.workspace}/.waymark/store` }).append(entries);
}

const turn: readonly TranscriptEntry["event"][] = [
  { type: "prompt", text: "Do one.\nUse hunter2hunter2." },
  { type: "session", sessionId: "s1", resumed: "new" },
  { type: "tool", id: "t1", name: "Bash", status: "pending" },
  { type: "tool", id: "t1", name: "Bash", status: "running", input: { command: "npm test --key hunter2hunter2" } },
  { type: "tool", id: "t1", name: "Bash", status: "failed", output: "red" },
  { type: "permission", tool: "Bash", decision: "deny" },
  { type: "permission", tool: "Read", decision: "allow" },
  { type: "thinking", text: "Hm." },
  { type: "tool", id: "t2", name: "Edit", status: "done", input: { file_path: "src/a.ts", new_string: "x" } },
  { type: "usage", usage: { inputTokens: 10, outputTokens: 5 } },
  { type: "message", text: "Done with hunter2hunter2.\nAll of it." },
];
const result: TranscriptEntry["event"] = {
  type: "result",
  sessionId: "s1",
  stop: "end",
  text: "Done.",
  usage: { inputTokens: 1200, outputTokens: 300, costUsd: 0.125 },
  denied: ["Bash"],
};

/** A command that is still running: time passes only until what is waited for is there. */
interface Running {
  readonly ended: Promise<CliResult>;
  readonly stop: AbortController;
  text(): string;
  until(seen: () => boolean): Promise<void>;
}

function begin(argv: readonly string[], terminal?: FakeTerminal): Running {
  let [text, isOver] = ["", false];
  const stop = new AbortController();
  const write = (chunk: Buffer, _encoding: string, done: () => void): void => {
    text += chunk.toString("utf8");
    terminal?.write(chunk.toString("utf8"));
    done();
  };
  const size = { isTTY: true, columns: terminal?.columns, rows: terminal?.rows };
  const stdout = Object.assign(new Writable({ write }), terminal === undefined ? {} : size);
  const env = { PATH: process.env["PATH"] ?? "", HOME: bench.home, NO_COLOR: "1" };
  const replace = { host: <T extends object>(host: T) => ({ ...host, alarms: time.alarms }), store: <T>(store: T) => store };
  const world = {
    stdout,
    env,
    stopSignal: () => stop.signal,
    openEngine: (flags: { workspace: string }) => openEngine({ ...flags, env, replace }),
  };
  const ended = bench.run(argv, { world }).then((held) => ((isOver = true), { ...held, stdout: text }));
  const until = async (seen: () => boolean): Promise<void> => {
    while (!seen()) {
      if (isOver) throw new Error(`It was not seen:\n${text}`);
      await time.advance(100);
    }
  };
  return { ended, stop, text: () => text, until };
}

/** Lets time pass until the command is over. */
async function endOf(running: Running): Promise<CliResult> {
  let isOver = false;
  void running.ended.then(() => (isOver = true));
  while (!isOver) await time.advance(100);
  return running.ended;
}

describe("transcript", () => {
  test("is shown as text: who, where, what was said, each tool once, what was denied, what was used", async () => {
    await record(...turn, result);
    const { code, stdout } = await bench.run(["transcript", run]);
    expect(code).toBe(0);
    expect(stdout).toBe(`one (claude) 2026-01-31 12:00:01
Prompt: Do one. Use ********. (21 characters)
• Bash npm test --key ********
✗ Bash npm test --key ******** failed
! Bash was denied
• Edit src/a.ts
Done with ********.
All of it.

Used: 1,500 tokens, $0.13.
`);
  });

  test("a turn that ended early says why, and what a notice says is shown", async () => {
    await record(
      { type: "notice", level: "warn", text: "slow" },
      {
        type: "plan",
        items: [
          { text: "a", status: "completed" },
          { text: "b", status: "pending" },
        ],
      },
      { ...result, stop: "error", error: "The connection broke." },
    );
    const { stdout } = await bench.run(["transcript", run]);
    expect(stdout).toContain("! slow\n  [x] a\n  [ ] b\n✗ The turn ended early (error): The connection broke.\n");
  });

  test("with --jsonl every entry is one line, masked", async () => {
    await record(...turn, result);
    const { stdout } = await bench.run(["--jsonl", "transcript", run]);
    const entries = stdout
      .trimEnd()
      .split("\n")
      .map((line) => JSON.parse(line) as { readonly position: number; readonly event: unknown });
    expect(entries).toHaveLength(turn.length + 1);
    expect(entries[3]).toMatchObject({
      run_id: run,
      step: "one",
      agent: "claude",
      at: "2026-01-31T12:00:04.000Z",
      event: { status: "running" },
    });
    expect(stdout).not.toContain("hunter2");
  });

  test("one step can be asked for, and a step that is not there is named with those that are", async () => {
    await record({ type: "message", text: "hello" });
    expect((await bench.run(["transcript", run, "--step", "one"])).stdout).toContain("hello");
    const { code, stderr } = await bench.run(["transcript", run, "--step", "on"]);
    expect({ code, stderr }).toEqual({ code: 2, stderr: expect.stringContaining("has no step `on`. Did you mean `one`?") });
  });

  test("a run without a transcript says so, and a run that is not there is refused", async () => {
    expect((await bench.run(["transcript", run])).stdout).toContain("This run has no transcript");
    expect(await bench.run(["transcript", "wf-none"])).toMatchObject({ code: 2, stderr: expect.stringContaining("ENGINE_NO_RUN") });
  });

  test("--follow shows what comes until the run ends, with what came just before the end", async () => {
    await record({ type: "message", text: "first" });
    const following = begin(["transcript", run, "--follow"]);
    await following.until(() => following.text().includes("first"));
    await record({ type: "message", text: "second" });
    await following.until(() => following.text().includes("second"));
    await record({ type: "message", text: "third" });
    await bench.run(["abort", run]);
    expect(await endOf(following)).toMatchObject({ code: 0, stdout: expect.stringMatching(/first\nsecond\nthird\n$/) });
  });

  test("--follow ends with Ctrl-C", async () => {
    const following = begin(["transcript", run, "--follow"]);
    await following.until(() => time.nearest() !== undefined);
    following.stop.abort();
    expect(await following.ended).toMatchObject({ code: 0 });
    expect(await bench.json(["status", run])).toMatchObject({ status: "running" });
  });
});

describe("watch", () => {
  test("prints what changes, whoever works on the run, and ends with it", async () => {
    const watching = begin(["watch"]);
    await watching.until(() => watching.text().includes("one (user_message)"));
    await record(...turn.slice(0, 4));
    await watching.until(() => watching.text().includes("claude: Bash npm test --key ********\n"));
    await record(turn.at(-1)!);
    await watching.until(() => watching.text().includes("claude: Done with ********. All of it.\n"));
    await bench.run(["done", run]);
    await watching.until(() => watching.text().includes("✓ one\n"));
    await watching.until(() => watching.text().includes("→ waymark decide "));
    expect(watching.text()).toContain("? Which way with ********?\n");
    const { questions } = await bench.json<{ questions: { decision: string }[] }>(["status", run]);
    expect(await bench.run(["decide", run, questions[0]!.decision, "left"], { terminal: true })).toMatchObject({ code: 0 });
    expect(await bench.run(["done", run])).toMatchObject({ code: 0 });
    const { code, stdout } = await endOf(watching);
    expect({ code, last: stdout.trimEnd().split("\n").at(-1) }).toEqual({ code: 0, last: `Run ${run} is completed.` });
    expect(stdout).toContain(`✓ Question ${questions[0]!.decision} is answered: "left"\n✓ ask\n`);
    expect(stdout.match(/\? Which way/g)).toHaveLength(1);
    expect(stdout).not.toMatch(/hunter2|\u001b/);
  });

  test("draws a block on a terminal and takes it away at the end", async () => {
    await record(...turn.slice(0, 4), { type: "usage", usage: { inputTokens: 1000, outputTokens: 500 } });
    const terminal = new FakeTerminal(70, 12);
    const watching = begin(["watch", run], terminal);
    await watching.until(() => terminal.screen().length === 4);
    expect(terminal.screen()).toEqual([
      expect.stringMatching(/^running \d+ .*: flow \(wf-flow-.*\)$/),
      "one (user_message)",
      expect.stringMatching(/^claude \d+ .*: Bash npm test --key \*{8}$/),
      "1,500 tokens",
    ]);
    await bench.run(["abort", run]);
    await endOf(watching);
    expect(terminal.all()).toEqual(["- one (skipped)", `Run ${run} is cancelled.`]);
    expect(terminal.cursor()).toEqual({ row: 2, column: 0, isVisible: true });
  });

  test("with --jsonl every change is one document", async () => {
    const watching = begin(["--jsonl", "watch", run]);
    await watching.until(() => watching.text().includes('"type":"block"'));
    await bench.run(["abort", run]);
    const { stdout } = await endOf(watching);
    const documents = stdout
      .trimEnd()
      .split("\n")
      .map((line) => JSON.parse(line) as object);
    const at = `one (user_message): nobody works on it (waymark drive ${run})`;
    expect(documents[0]).toMatchObject({ type: "block", run_id: run, workflow: "flow", status: "running", at });
    expect(documents.at(-1)).toMatchObject({ type: "block", run_id: run, status: "cancelled" });
  });

  test("a failed run ends it with 1, one that is over is shown at once", async () => {
    await bench.run(["abort", run, "--as-failed", "--reason", "no hunter2hunter2"]);
    const { code, stdout } = await bench.run(["watch", run]);
    expect(code).toBe(1);
    expect(stdout).toContain(`Run ${run} has failed.`);
    expect(stdout).not.toContain("hunter2");
  });

  test("Ctrl-C leaves, and an error takes the block away too", async () => {
    const terminal = new FakeTerminal(70, 12);
    const left = begin(["watch", run], terminal);
    await left.until(() => terminal.screen().length > 0);
    left.stop.abort();
    expect(await left.ended).toMatchObject({ code: 0 });
    expect(terminal.all()).toEqual([`Run ${run} is running.`, `→ waymark watch ${run}`]);
    const other = new FakeTerminal(70, 12);
    const failing = begin(["watch", run], other);
    await failing.until(() => other.screen().length > 0);
    await bench.run(["rm", run, "--yes"]);
    expect(await endOf(failing)).toMatchObject({ code: 2, stderr: expect.stringContaining("ENGINE_NO_RUN") });
    expect(other.all()).toEqual([]);
  });

  test("without an open run it says so", async () => {
    await bench.run(["abort", run]);
    expect(await bench.run(["watch"])).toMatchObject({ code: 0, stdout: expect.stringContaining("No run is open in this workspace.") });
    expect(await bench.json(["watch"])).toEqual({ run_id: null });
  });
});

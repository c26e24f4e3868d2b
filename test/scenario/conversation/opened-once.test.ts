/** A command opens its run once at most, whatever the dialect of the run, over MCP, on the command line and over HTTP. */
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { Readable } from "node:stream";
import { afterEach, describe, expect, test } from "vitest";
import { openEngine } from "../../../src/bin/open-engine.ts";
import type { EngineContext } from "../../../src/engine/index.ts";
import { serveHttp } from "../../../src/http/index.ts";
import { openCliBench, type CliBench } from "../../process/cli-world.ts";
import { openClient, serverParts, type TestClient } from "../../process/mcp-client.ts";
import { oldCalls } from "../../support/checklist-sample.ts";
import { openTestEngine, type TestEngine } from "../../support/test-engine.ts";

const opened: { close(): Promise<void> }[] = [];
afterEach(async () => {
  for (const each of opened.splice(0).toReversed()) await each.close();
});

const steps = `name: steps
description: d
version: "1.0.0"
steps:
  - { id: s, type: agent_shell_command, command: x, state_update: { path: raw.out } }
  - { id: gate, type: user_input, prompt: "Ship?", state_update: { path: raw.ok } }
  - { id: tell, type: user_message, message: done }`;

const files = {
  ".waymark/workflows/steps.yaml": steps,
  ".waymark/workflows/o.workflow.yaml": oldCalls,
  "a.js": "old('x');\nold(y);\n",
  "b.js": "old('z');\n",
};

/** The engine as it is, counting how often runs are opened. */
function counting(context: EngineContext, count: () => void): EngineContext {
  const runs = new Proxy(context.runs, {
    get: (target, name) => {
      const held: unknown = Reflect.get(target, name);
      if (typeof held !== "function") return held;
      return (...given: unknown[]): unknown => {
        if (name === "open") count();
        return Reflect.apply(held, target, given);
      };
    },
  });
  return { ...context, runs };
}

interface Counted {
  readonly call: TestClient["call"];
  /** How often the call opens its run. */
  readonly openings: (tool: string, args: Record<string, unknown>) => Promise<number>;
}

async function counted(): Promise<Counted> {
  const engine: TestEngine = await openTestEngine(files);
  opened.push(engine);
  let count = 0;
  const context = counting(engine.context, () => {
    count += 1;
  });
  const client = await openClient({ context, ...serverParts, toolsets: ["seed", "state"] });
  opened.push(client);
  const openings: Counted["openings"] = async (tool, args) => {
    count = 0;
    const reply = await client.call(tool, args);
    expect(reply.isError, reply.text).toBe(false);
    return count;
  };
  return { call: client.call, openings };
}

test("workflow_next and workflow_get_next_step open a plain run once", async () => {
  const { call, openings } = await counted();
  const { run_id } = (await call("workflow_start", { workflow: "steps" })).data;
  expect([await openings("workflow_next", { run_id }), await openings("workflow_get_next_step", { workflow_id: run_id })]).toEqual([1, 1]);
});

test("the report of a plain step opens its run once", async () => {
  const { call, openings } = await counted();
  const { run_id, action_id } = (await call("workflow_start", { workflow: "steps" })).data;
  expect(await openings("workflow_progress", { run_id, action_id, result: "x" })).toBe(1);
});

test("the answer of a gate opens its run once", async () => {
  const { call, openings } = await counted();
  const { run_id, action_id } = (await call("workflow_start", { workflow: "steps" })).data;
  const gate = (await call("workflow_progress", { run_id, action_id, result: "x" })).data;
  expect(await openings("workflow_decide", { run_id, decision_id: gate.action_id, answer: "yes" })).toBe(1);
});

test("the report of a checklist entry opens no run that the process knows", async () => {
  const { call, openings } = await counted();
  const { session_id } = (await call("workflow_start", { workflow_type: "old-calls" })).data;
  await call("workflow_progress", { session_id, answer: "review_by_file" });
  const { next_call, next_action } = (await call("workflow_next", { session_id })).data;
  const skipped = { status: "skipped", skip_reason: "fine", action_id: next_action.action_id ?? next_call?.arguments.action_id };
  expect(await openings("workflow_progress", { session_id, ...skipped })).toBe(0);
});

test("a batch opens its run once for the preview and once for the confirmation", async () => {
  const { call, openings } = await counted();
  const { session_id } = (await call("workflow_start", { workflow_type: "old-calls" })).data;
  await call("workflow_progress", { session_id, answer: "apply_auto_first" });
  const preview = { session_id, operation: "apply_fixes", filter: { auto_fixable_only: true }, dry_run: true };
  expect(await openings("workflow_batch", preview)).toBe(1);
  const text = (await call("workflow_batch", preview)).text;
  const confirmation_token = /batch-[\w-]+/.exec(text)?.[0];
  expect(await openings("workflow_batch", { session_id, operation: "apply_fixes", confirmation_token })).toBe(1);
});

interface CountedLines {
  readonly bench: CliBench;
  /** How often the command opens runs. */
  readonly openings: (...line: string[]) => Promise<number>;
  /** What a command prints as JSON. */
  readonly shown: (...line: string[]) => Promise<Printed>;
}

interface Printed {
  readonly run_id: string;
  readonly action_id: string;
  readonly confirmation_token: string;
  readonly state: unknown;
}

async function countedLines(): Promise<CountedLines> {
  const bench = await openCliBench(files);
  opened.push(bench);
  const openings: CountedLines["openings"] = async (...line) => {
    let count = 0;
    const counted = async (place: Parameters<typeof openEngine>[0]): ReturnType<typeof openEngine> => {
      const engine = await openEngine(place);
      return { ...engine, context: counting(engine.context, () => (count += 1)) };
    };
    const env = { PATH: process.env["PATH"] ?? "", HOME: bench.home };
    const { code, stdout, stderr } = await bench.run(line, { world: { openEngine: (flags) => counted({ ...flags, env }) } });
    expect(code, stdout + stderr).toBe(0);
    return count;
  };
  return { bench, openings, shown: (...line) => bench.json(line) };
}

describe("on the command line", () => {
  test("each command about a plain step opens its run once", async () => {
    const { openings, shown } = await countedLines();
    const { run_id: run } = await shown("start", "steps");
    const counts: Record<string, number> = {};
    for (const line of [
      ["next", run],
      ["resume", run],
      ["status", run],
      ["state", run],
      ["done", run, "--result", "x"],
    ])
      counts[line[0] ?? ""] = await openings(...line);
    expect(counts).toEqual({ next: 1, resume: 1, status: 1, state: 1, done: 1 });
  });

  test("a plain step that fails opens its run once", async () => {
    const { openings, shown } = await countedLines();
    const { run_id: run, action_id: action } = await shown("start", "steps");
    expect(await openings("fail", run, "--action", action, "--error", "later", "--blocked-until", "30m")).toBe(1);
  });

  test("each command about a gate opens its run once", async () => {
    const { openings, shown } = await countedLines();
    const { run_id: run } = await shown("start", "steps");
    const { action_id: question } = await shown("done", run, "--result", "x");
    expect([await openings("next", run), await openings("status", run), await openings("decide", run, question, "yes")]).toEqual([1, 1, 1]);
    expect(await openings("decide", run, question, "yes")).toBe(1);
  });

  test("a report that answers a gate opens its run once", async () => {
    const { openings, shown } = await countedLines();
    const { run_id: run } = await shown("start", "steps");
    const { action_id: question } = await shown("done", run, "--result", "x");
    expect(await openings("done", run, "--action", question, "--result", "yes")).toBe(1);
  });

  test("each command about an entry of a checklist opens its run once", async () => {
    const { openings, shown } = await countedLines();
    const { run_id: run, action_id: question } = await shown("start", "old-calls");
    expect(await openings("decide", run, question, "review_by_file")).toBe(1);
    const counts: Record<string, number> = {};
    for (const line of [
      ["next", run],
      ["status", run],
      ["items", run],
      ["skip", run, "--reason", "fine"],
      ["fail", run, "--error", "no"],
      ["done", run],
    ])
      counts[line[0] ?? ""] = await openings(...line);
    expect(counts).toEqual({ next: 1, status: 1, items: 1, skip: 1, fail: 1, done: 1 });
  });

  test("a batch opens its run once for the dry run, for the confirmation and for the counts", async () => {
    const { openings, shown } = await countedLines();
    const { run_id: run, action_id: question } = await shown("start", "old-calls");
    await shown("decide", run, question, "apply_auto_first");
    const preview = ["batch", run, "apply_fixes", "--auto-only"];
    expect([await openings(...preview), await openings("batch", run, "group_by_type")]).toEqual([1, 1]);
    const { confirmation_token: token } = await shown(...preview);
    expect(await openings("batch", run, "apply_fixes", "--confirm", token)).toBe(1);
  });
});

test("what another process changes while a person is asked counts when they have answered", async () => {
  const { bench, shown } = await countedLines();
  const { run_id: run } = await shown("start", "steps");
  const typed = async function* (): AsyncGenerator<string> {
    await bench.json(["state", run, "--set", "raw.out=written meanwhile"]);
    yield "\n";
  };
  const { stdout } = await bench.run(["run", run, "--by-hand"], { terminal: true, world: { stdin: Readable.from(typed()) } });
  expect(stdout).toContain("Ship?");
  expect((await shown("state", run)).state).toEqual({ out: "written meanwhile" });
});

test("over HTTP the status of a run and the answer of a gate open it once", async () => {
  const engine = await openTestEngine(files);
  opened.push(engine);
  let count = 0;
  const context = counting(engine.context, () => (count += 1));
  const service = await serveHttp({ context, ...serverParts, folder: join(engine.folder, "../servers") });
  opened.push(service);
  const { person_token: token = "" } = JSON.parse(await readFile(service.file, "utf8")) as Record<string, string>;
  const headers = { authorization: `Bearer ${token}`, "content-type": "application/json" };
  const client = await openClient({ context: engine.context, ...serverParts });
  opened.push(client);
  const { run_id, action_id } = (await client.call("workflow_start", { workflow: "steps" })).data;
  const { action_id: decision_id } = (await client.call("workflow_progress", { run_id, action_id, result: "x" })).data;
  const openings = async (path: string, init: RequestInit): Promise<number> => {
    count = 0;
    expect((await fetch(`${service.url}${path}`, { headers, ...init })).status).toBe(200);
    return count;
  };
  expect(await openings(`/api/status?run_id=${run_id}`, {})).toBe(1);
  const body = JSON.stringify({ run_id, decision_id, answer: "yes" });
  expect(await openings("/api/decide", { method: "POST", body })).toBe(1);
});

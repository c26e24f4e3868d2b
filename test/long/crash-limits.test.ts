import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeAll, beforeEach, expect, test } from "vitest";
import { answer, doctor, next, progress, readState, status } from "../../src/engine/index.ts";
import { bundleChild } from "../crash/bundle-child.ts";
import { composeEngine, type ComposedEngine } from "../crash/compose-engine.ts";
import type { LimitsLine, LimitsTask } from "../crash/limits-child.ts";
import { openClient, serverParts } from "../process/mcp-client.ts";

let program = "";
let base = "";
const engines: ComposedEngine[] = [];
beforeAll(async () => {
  program = await bundleChild("limits-child.ts");
});
beforeEach(() => {
  base = mkdtempSync(join(tmpdir(), "waymark-limits-"));
});
afterEach(async () => {
  for (const engine of engines.splice(0)) await engine.close();
  rmSync(base, { recursive: true, force: true });
});

async function run(task: LimitsTask): Promise<{ readonly lines: readonly LimitsLine[]; readonly end: string; readonly errors: string }> {
  const child = spawn(process.execPath, [program, JSON.stringify(task)], { stdio: ["ignore", "pipe", "pipe"] });
  let out = "";
  let errors = "";
  child.stdout.setEncoding("utf8").on("data", (text: string) => (out += text));
  child.stderr.setEncoding("utf8").on("data", (text: string) => (errors += text));
  const [code, signal] = (await once(child, "close")) as [number | null, string | null];
  return {
    lines: out
      .split("\n")
      .filter((line) => line !== "")
      .map((line) => JSON.parse(line) as LimitsLine),
    end: String(signal ?? code),
    errors,
  };
}

const budget = `
name: limits
budget: { steps: 10 }
default_state: { raw: { count: 0 } }
steps:
  - id: rounds
    type: while
    condition: "{{ count < 15 }}"
    body:
      - { id: act, type: mcp_call, mcp: { method: act, params: {} }, state_update: { path: raw.count, operation: increment, value: 1 } }
  - { id: after, type: user_message, message: done }
`;

test.each([
  ["at once", []],
  ["killed and resumed at 7", [7]],
  ["killed and resumed at 3, 5 and 9", [3, 2, 4]],
])("a run with a budget of 10 steps stops at 10 with a decision to raise it, %s", async (_how, kills) => {
  const reported: string[] = [];
  for (const killAfter of kills) {
    const { lines, end, errors } = await run({ do: "budget", base, yaml: budget, killAfter });
    expect([end, errors]).toEqual(["SIGKILL", ""]);
    reported.push(...lines.flatMap((line) => line.reported ?? []));
  }
  const { lines, end, errors } = await run({ do: "budget", base, yaml: budget, killAfter: Infinity });
  reported.push(...lines.flatMap((line) => line.reported ?? []));
  expect([end, errors, reported.length]).toEqual(["0", "", 10]);
  const last = lines.at(-1);
  expect(last).toMatchObject({
    used: 10,
    standing: {
      kind: "question",
      decision: { kind: "budget", answerBy: "person", status: "pending", question: expect.stringContaining("10 steps") },
    },
  });

  const engine = await composeEngine({ base });
  engines.push(engine);
  const id = last?.run ?? "";
  expect((await readState(engine.context, id)).state["count"]).toBe(10);
  const decision = last?.standing?.kind === "question" ? last.standing.decision.id : "";
  await answer(engine.context, engine.person(), { run: id, decision, answer: 12, relayed: false });
  const caller = engine.caller();
  let at = await next(engine.context, caller, { run: id, takeOver: true });
  for (let more = 0; at.standing.kind === "action"; more += 1) {
    ({ position: at } = await progress(engine.context, caller, { run: id, result: 1 }));
    expect(more).toBeLessThan(2);
  }
  expect(at).toMatchObject({ standing: { kind: "question", decision: { kind: "budget" } }, state: { budget: { used: { steps: 12 } } } });
  expect((await doctor(engine.context)).problems).toEqual([]);
});

const outputBytes = 200 * 1024 * 1024;
const valueBytes = 50 * 1024 * 1024;
const large = `
name: limits
default_state: { raw: {} }
steps:
  - { id: print, type: shell_command, command: "head -c ${outputBytes} /dev/zero | tr '\\\\0' x", state_update: { path: raw.out } }
  - { id: show, type: user_message, message: "{{ out.bytes }}" }
  - { id: after, type: user_message, message: "{{ big.length }}" }
`;

test("a 200 MB command output and a 50 MB state value survive a kill; replies show their size and where they are", async () => {
  const { lines, end, errors } = await run({ do: "large", base, yaml: large, valueBytes });
  expect([end, errors]).toEqual(["SIGKILL", ""]);
  const [told] = lines;
  expect(told).toMatchObject({ out: { large: true, bytes: outputBytes, path: expect.any(String), sha256: expect.any(String) } });

  const engine = await composeEngine({ base });
  engines.push(engine);
  const id = told?.run ?? "";
  const { state } = await readState(engine.context, id);
  expect(state["out"]).toEqual(told?.out);
  expect(statSync((state["out"] as { path: string }).path).size).toBe(outputBytes);
  expect(state["big"]).toHaveLength(valueBytes);
  expect((await doctor(engine.context)).problems).toEqual([]);

  const client = await openClient({ context: engine.context, ...serverParts, toolsets: ["state"] });
  const read = await client.call("workflow_state_read", { workflow_id: id });
  expect(read.isError).toBe(false);
  for (const part of [read.text, JSON.stringify(read.data)]) {
    expect(part.length).toBeLessThan(8_000);
    expect(part).toContain(String(outputBytes));
    expect(part).toContain(String(valueBytes));
    expect(part, "the call that brings the rest").toContain("workflow_state_read");
  }
  expect(read.data.truncated).toContainEqual(expect.objectContaining({ path: "big", total: valueBytes }));
  await client.close();

  const caller = engine.caller();
  expect((await next(engine.context, caller, { run: id, takeOver: true })).standing).toMatchObject({
    kind: "action",
    action: { step: "show", args: { message: String(outputBytes) } },
  });
  const { position } = await progress(engine.context, caller, { run: id });
  expect(position.standing).toMatchObject({ kind: "action", action: { args: { message: String(valueBytes) } } });
  expect((await status(engine.context, id)).handle.state.status).toBe("running");
  await progress(engine.context, caller, { run: id });
  expect((await doctor(engine.context)).problems).toEqual([]);
}, 240_000);

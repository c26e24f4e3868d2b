/** Seed 002, graphs: the log of a run in `.archon/logs/<uuid>.jsonl`. */
import { afterEach, expect, test } from "vitest";
import { textOf, type Json } from "../../src/base/index.ts";
import { logOf } from "../../src/dialects/prompts/run/index.ts";
import { end, report, type ReportRequest } from "../../src/engine/index.ts";
import type { TranscriptEntry } from "../../src/ports/index.ts";
import { DrivenTime } from "../support/driven-time.ts";
import { GraphRun } from "../support/graph-run.ts";
import { openTestEngine, type TestEngine } from "../support/test-engine.ts";

let engine: TestEngine | undefined;
afterEach(async () => {
  await engine?.close();
  engine = undefined;
});

async function begin(nodes: string, time = new DrivenTime()): Promise<GraphRun> {
  engine = await openTestEngine({}, {}, time);
  return GraphRun.start(engine, "graph", nodes);
}

type Line = Readonly<Record<string, unknown>> & { readonly type: string };

async function logged({ id, engine }: GraphRun): Promise<readonly Line[]> {
  return ((await logOf(engine.context, id))?.lines ?? []).map((line) => JSON.parse(line) as Line);
}

/** Lines in short: type, node and what is said of it. */
async function shortly(run: GraphRun): Promise<readonly string[]> {
  return (await logged(run)).map(({ type, step, iteration, attempt, reason, error, content }) =>
    [type, step, iteration, attempt, reason ?? error ?? (type === "assistant" ? content : undefined)]
      .flatMap((each) => (each === undefined ? [] : [textOf(each as Json)]))
      .join(" | "),
  );
}

test("nodes have lines of their own, with how long they took, and why one was skipped", async () => {
  const time = new DrivenTime();
  const run = await begin(
    `  - { id: a, prompt: A }
  - { id: b, prompt: B, depends_on: [a], when: "$a.output == 'never'" }
  - { id: c, prompt: C, depends_on: [b], trigger_rule: all_done }`,
    time,
  );
  await time.advance(1500);
  await run.done("a");
  await time.advance(500);
  await run.done("c");
  const lines = await logged(run);
  const id = lines[0]?.["workflow_id"];
  expect(id).toMatch(/^[0-9a-f-]{36}$/);
  expect(lines.every((line) => line["workflow_id"] === id && new Date(String(line["ts"])).toISOString() === line["ts"])).toBe(true);
  expect(lines.map(({ workflow_id: _id, ts: _ts, ...line }) => line)).toEqual([
    { type: "workflow_start", workflow_name: "graph", content: "me" },
    { type: "node_start", step: "a" },
    { type: "node_complete", step: "a", duration_ms: 1500 },
    { type: "node_skipped", step: "b", reason: "its condition `$a.output == 'never'` does not hold" },
    { type: "node_start", step: "c" },
    { type: "node_complete", step: "c", duration_ms: 500 },
    { type: "workflow_complete" },
  ]);
});

test("a failed node is an error of its own before that of the run; what a retry does again follows it in the same log", async () => {
  const run = await begin(`  - { id: a, prompt: A }
  - { id: b, prompt: B }
  - { id: c, prompt: C, depends_on: [a, b] }
  - { id: d, prompt: D, depends_on: [b], always_run: true }`);
  await run.done("b");
  await run.done("d");
  await run.fail("a", "does not compile");
  const before = await logged(run);
  await run.retry();
  await run.done("a");
  await run.done("c");
  await run.done("d");
  expect((await shortly(run)).slice(3)).toEqual([
    "node_complete | b",
    "node_start | d",
    "node_complete | d",
    "node_error | a | does not compile",
    "node_skipped | c | `a` failed",
    "workflow_error | Node `a`: does not compile",
    "workflow_resume",
    "node_start | a",
    "node_start | d | done again at every retry",
    "node_complete | a",
    "node_start | c | `a` is done again",
    "node_complete | c",
    "node_complete | d",
    "workflow_complete",
  ]);
  expect((await logged(run)).slice(0, before.length)).toEqual(before);
});

test("a node that fails before it begins is begun and failed in the log", async () => {
  const run = await begin(`  - { id: a, prompt: A }
  - { id: b, prompt: B, depends_on: [a], trigger_rule: all_done, when: "$a.output == 'x'" }`);
  await run.fail("a");
  expect((await shortly(run)).slice(2)).toEqual([
    "node_error | a | broken",
    "node_start | b",
    "node_error | b | `$a.output` cannot be read: `a` failed.",
    "workflow_error | 2 of 2 nodes failed: a, b. `a`: broken",
  ]);
});

test("each try of a node begins and fails for itself", async () => {
  const time = new DrivenTime();
  const run = await begin(`  - { id: a, prompt: A, retry: { max_attempts: 1, delay_ms: 1000, on_error: all } }`, time);
  await run.fail("a", "first");
  await time.advance(1000);
  await run.fail("a", "second");
  expect(await shortly(run)).toEqual([
    "workflow_start",
    "node_start | a",
    "node_error | a | first",
    "node_start | a | 2",
    "node_error | a | second",
    "workflow_error | Node `a`: second",
  ]);
});

test("rounds of a loop and nodes of a group have lines between those of their node", async () => {
  const run = await begin(`  - { id: polish, loop: { prompt: P, until: FINE, max_iterations: 3 } }
  - id: rework
    depends_on: [polish]
    loop_group:
      until: GOOD
      max_iterations: 3
      nodes: [{ id: improve, prompt: I }, { id: check, prompt: C, depends_on: [improve] }]`);
  await run.done("polish", "more");
  await run.done("polish", "<promise>FINE</promise>");
  await run.done("improve");
  await run.done("check", "GOOD");
  await run.settle();
  expect(await shortly(run)).toEqual([
    "workflow_start",
    "node_start | polish",
    "node_start | polish | 1",
    "node_complete | polish | 1",
    "node_start | polish | 2",
    "node_complete | polish | 2",
    "node_complete | polish",
    "node_start | rework",
    "node_start | rework | 1",
    "node_start | rework/improve",
    "node_complete | rework/improve",
    "node_start | rework/check",
    "node_complete | rework/check",
    "node_complete | rework | 1",
    "node_complete | rework",
    "workflow_complete",
  ]);
  expect((await logged(run)).filter(({ iterations }) => iterations !== undefined)).toMatchObject([
    { type: "node_complete", step: "polish", iterations: 2 },
    { type: "node_complete", step: "rework", iterations: 1 },
  ]);
});

test("what a node used is with its end, a node that says nothing has no zero, and what is known later has a line of its own", async () => {
  const run = await begin(`  - { id: a, prompt: A }\n  - { id: b, prompt: B }\n  - { id: c, prompt: C }`);
  const { context, caller } = run.engine;
  const used = async (node: string, usage: ReportRequest["usage"]): Promise<void> => {
    await run.hold(node);
    await report(context, caller, { run: run.id, task: node, result: "ok", ...(usage === undefined ? {} : { usage }) });
  };
  const later = await run.hold("b");
  await used("a", { tokens: 1200, money: 0.25 });
  await used("b", undefined);
  await run.used(later, { tokens: 70 });
  await used("c", { tokens: 5 });
  expect((await logged(run)).filter(({ type }) => type === "node_complete" || type === "node_usage")).toMatchObject([
    { step: "a", tokens: 1200, cost_usd: 0.25 },
    { type: "node_complete", step: "b" },
    { type: "node_usage", step: "b", tokens: 70 },
    { step: "c", tokens: 5 },
  ]);
  const [, b, , c] = (await logged(run)).filter(({ type }) => type === "node_complete" || type === "node_usage");
  expect(b).not.toHaveProperty("tokens");
  expect(c).not.toHaveProperty("cost_usd");
});

test("what agents say and which tools they use is logged with their node, without the signal of its loop", async () => {
  const time = new DrivenTime();
  const run = await begin(`  - { id: a, loop: { prompt: P, until: FINE, max_iterations: 3 } }`, time);
  const action = await run.hold("a");
  await time.advance(10);
  const about: Omit<TranscriptEntry, "event"> = { at: time.now(), run: run.id, action, step: "a", strand: "s", agent: "claude" };
  await run.engine.context.transcripts.append([
    { ...about, event: { type: "message", text: "All is well.\n<promise>FINE</promise>" } },
    { ...about, event: { type: "tool", id: "t1", name: "Read", status: "running", input: { path: "a.ts" } } },
  ]);
  await time.advance(10);
  await run.done("a", "<promise>FINE</promise>");
  expect((await logged(run)).filter(({ type }) => type === "assistant" || type === "tool")).toMatchObject([
    { type: "assistant", step: "a", content: "All is well." },
    { type: "tool", step: "a", tool_name: "Read", tool_input: { path: "a.ts" } },
  ]);
});

test("a run that a cancel node ends, and one that a person ends, have their reason as the last line", async () => {
  const run = await begin(`  - { id: a, prompt: A }
  - { id: stop, cancel: Nothing to do., depends_on: [a] }
  - { id: b, prompt: B }
  - { id: c, prompt: C, depends_on: [stop, b] }`);
  await run.done("a");
  await run.done("b");
  expect((await shortly(run)).slice(3)).toEqual([
    "node_complete | a",
    "node_start | stop",
    "node_complete | stop",
    "node_complete | b",
    "node_skipped | c | Nothing to do.",
    "workflow_error | Nothing to do.",
  ]);
  const other = await GraphRun.start(run.engine, "other", "  - { id: a, prompt: A }");
  await end(run.engine.context, run.engine.caller, { run: other.id, status: "cancelled", reason: "not now" });
  expect((await shortly(other)).slice(2)).toEqual(["node_skipped | a | not now", "workflow_error | not now"]);
});

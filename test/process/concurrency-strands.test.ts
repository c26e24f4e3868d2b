import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, expect, test } from "vitest";
import { doctor, journal, next, readState, start, type JournalEntry } from "../../src/engine/index.ts";
import { bundleChild } from "../crash/bundle-child.ts";
import { composeEngine, type ComposedEngine } from "../crash/compose-engine.ts";
import type { WorkerLine, WorkerTask } from "../crash/worker-child.ts";

const processes = 4;
const strands = 64;
const reports = 20;
const names = Array.from({ length: strands }, (_, index) => `t${index}`);

const workflow = `
name: many:strands
default_state: { raw: { total: 0, per: {} } }
steps:
  - id: all
    type: parallel_foreach
    items: [${names.map((name) => `{ id: ${name} }`).join(", ")}]
    sub_agent_task: work
    max_parallel: ${strands}
sub_agent_tasks:
  work:
    steps:
      - id: rounds
        type: foreach
        items: [${Array.from({ length: reports }, (_, index) => index + 1).join(", ")}]
        steps:
          - id: act
            type: mcp_call
            mcp: { method: act, params: { n: "{{ item }}" } }
            state_update:
              - { path: raw.total, operation: increment, value: 1 }
              - { path: "raw.per.{{ task_id }}", operation: append }
`;

const base = mkdtempSync(join(tmpdir(), "waymark-strands-"));
let engine: ComposedEngine | undefined;
afterEach(async () => {
  await engine?.close();
  rmSync(base, { recursive: true, force: true });
});

interface Worker {
  readonly acknowledged: { readonly action: string; readonly task: string }[];
  readonly ended: Promise<{ readonly code: number | null; readonly signal: string | null; readonly errors: string }>;
}

function startWorker(program: string, task: WorkerTask, killAfter: number): Worker {
  const child = spawn(process.execPath, [program, JSON.stringify(task)], { stdio: ["ignore", "pipe", "pipe"] });
  const acknowledged: Worker["acknowledged"] = [];
  let rest = "";
  let errors = "";
  child.stderr.setEncoding("utf8").on("data", (text: string) => (errors += text));
  child.stdout.setEncoding("utf8").on("data", (text: string) => {
    const parts = `${rest}${text}`.split("\n");
    rest = parts.pop() ?? "";
    for (const line of parts.map((part) => JSON.parse(part) as WorkerLine)) if ("action" in line) acknowledged.push(line);
    if (acknowledged.length >= killAfter) child.kill("SIGKILL");
  });
  return {
    acknowledged,
    ended: once(child, "close").then(([code, signal]) => ({ code: code as number | null, signal: signal as string | null, errors })),
  };
}

async function wholeJournal({ context }: ComposedEngine, run: string): Promise<JournalEntry[]> {
  const all: JournalEntry[] = [];
  for (;;) {
    const page = await journal(context, run, all.at(-1)?.position ?? 0, 500);
    all.push(...page);
    if (page.length < 500) return all;
  }
}

test("four processes report on 64 strands of one run and one of them is killed half-way: nothing is lost and nothing doubled", async () => {
  const program = await bundleChild("worker-child.ts");
  engine = await composeEngine({ base });
  await engine.define("many:strands", workflow);
  const caller = engine.caller("main");
  const { run } = await start(engine.context, caller, { workflow: "many:strands" });
  const began = performance.now();
  const workers = Array.from({ length: processes }, (_, at) => {
    const own = names.filter((_name, index) => index % processes === at);
    const half = (own.length * reports) / 2;
    return startWorker(program, { base, run, own, all: names }, at === processes - 1 ? half : Infinity);
  });
  const ends = await Promise.all(workers.map(({ ended }) => ended));
  expect(ends.map(({ code, signal, errors }) => `${code ?? signal} ${errors}`.trim())).toEqual(["0", "0", "0", "SIGKILL"]);

  expect((await next(engine.context, caller, { run })).state.status).toBe("completed");
  const { state } = await readState(engine.context, run);
  const expected = Array.from({ length: reports }, (_, index) => index + 1);
  expect(state["total"]).toBe(strands * reports);
  expect(state["per"]).toEqual(Object.fromEntries(names.map((name) => [name, expected])));

  const keys = new Set<string>();
  for (let after = 0; ;) {
    const records = await engine.context.store.readRecords(run, after, 500);
    for (const { key } of records) if (key?.startsWith("report:") === true) keys.add(key);
    if (records.length < 500) break;
    after = records.at(-1)?.position ?? after;
  }
  const acknowledged = workers.flatMap((worker) => worker.acknowledged);
  expect(keys.size).toBe(strands * reports);
  expect(acknowledged.filter(({ action }) => !keys.has(`report:${action}`))).toEqual([]);
  expect(new Set(acknowledged.map(({ action }) => action)).size).toBe(acknowledged.length);

  const events = (await wholeJournal(engine, run)).flatMap((entry) => entry.events);
  const lost = events.filter((event) => event.type === "released" && event.why === "lost").length;
  expect(lost).toBeGreaterThan(0);
  const counts = await engine.context.store.countItems(run, (await engine.context.store.itemLists(run))[0] ?? "", {});
  expect(counts).toMatchObject({ count: strands, byStatus: { completed: strands, pending: 0, in_progress: 0, failed: 0, skipped: 0 } });
  expect((await doctor(engine.context)).problems).toEqual([]);
  process.stdout.write(
    `${processes} processes, ${strands} strands, ${strands * reports} reports in ${((performance.now() - began) / 1000).toFixed(1)} s: ` +
      `${acknowledged.length} acknowledged, ${keys.size} recorded, 0 lost, 0 doubled, ${lost} strands taken over.\n`,
  );
}, 240_000);

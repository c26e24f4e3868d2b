import { afterEach, expect, test } from "vitest";
import { next } from "../../src/engine/index.ts";
import { DrivenTime } from "../support/driven-time.ts";
import { GraphBench, type GraphRun, type Says } from "../support/graph-bench.ts";

let bench: GraphBench;
afterEach(() => bench.close());

const failed = (error: string) => ({ stop: "error" as const, error, text: "" });

/** Drives to the end and rings the timers of tries on the way; answers the pauses before them in milliseconds. */
async function pauses(nodes: string, says: Says = () => "done"): Promise<{ readonly run: GraphRun; readonly waited: readonly number[] }> {
  const time = new DrivenTime();
  bench = await GraphBench.open({}, time);
  const run = await bench.begin(nodes);
  const waited: number[] = [];
  let isOver = false;
  const driving = run.drive(says, { waits: true }).finally(() => (isOver = true));
  while (!isOver) {
    const { state } = await bench.engine.context.runs.open(run.id);
    const timer = Object.values(state.timers).find(({ why, due }) => why === "retry" && due > time.now());
    if (timer !== undefined) {
      waited.push(timer.due - time.now());
      await time.advance(timer.due - time.now());
    }
    await new Promise((next) => setImmediate(next));
  }
  await driving;
  return { run, waited };
}

test("AI nodes without retry: two retries of what passes by itself, with a pause that doubles", async () => {
  let tries = 0;
  const { run, waited } = await pauses("- id: a\n  prompt: Do.", () => ((tries += 1), failed("503 overloaded")));
  expect(run.end).toMatchObject({ kind: "failed" });
  expect(tries).toBe(3);
  expect(waited).toEqual([3000, 6000]);
});

test("what does not pass by itself is not tried again without retry", async () => {
  let tries = 0;
  const { run } = await pauses("- id: a\n  prompt: Do.", () => ((tries += 1), failed("the file is not there")));
  expect([run.end?.kind, tries]).toEqual(["failed", 1]);
});

test("max_attempts counts the retries after the first try; all also tries what does not pass by itself", async () => {
  let tries = 0;
  const { run, waited } = await pauses("- id: a\n  prompt: Do.\n  retry: { max_attempts: 2, delay_ms: 1000, on_error: all }", () =>
    (tries += 1) < 3 ? failed("the file is not there") : "done",
  );
  expect([run.end?.kind, tries]).toEqual(["completed", 3]);
  expect(waited).toEqual([1000, 2000]);
});

test("refused credentials are never tried again, also with all", async () => {
  let tries = 0;
  const { run } = await pauses(
    "- id: a\n  prompt: Do.\n  retry: { max_attempts: 2, on_error: all }",
    () => ((tries += 1), failed("401 unauthorized")),
  );
  expect([run.end?.kind === "failed" || run.end?.kind === "parked", tries]).toEqual([true, 1]);
});

const counting = (error: string): string => `|\n    echo x >> tries; echo '${error}' >&2; exit 1`;

test.each([
  ["without retry not at all", "timeout of the server", "", 1],
  ["what its stderr says passes by itself", "timeout of the server", "retry: { max_attempts: 2 }", 3],
  ["nothing else", "no such file", "retry: { max_attempts: 2 }", 1],
  ["everything with all", "no such file", "retry: { max_attempts: 2, on_error: all }", 3],
  ["but never what is fatal", "403 forbidden", "retry: { max_attempts: 2, on_error: all }", 1],
])("a shell node is tried again: %s", async (_what, error, retry, tries) => {
  const { run } = await pauses(
    `- id: a\n  ${retry}\n  bash: ${counting(error)}\n- id: b\n  depends_on: [a]\n  trigger_rule: all_done\n  bash: wc -l < tries`,
  );
  expect(run.end?.kind).toBe("failed");
  expect((await run.output("b"))?.trim()).toBe(String(tries));
});

const trace = 'for i in $(seq 40); do echo "   at some module line $i" >&2; done; exit 1';

test.each([
  ["401 Unauthorized", "all", 1],
  ["connection timed out", "transient", 2],
])("the class of a failure is looked for in front of a long trace too: %s", async (error, on, tries) => {
  const { run } = await pauses(
    `- id: a\n  retry: { max_attempts: 1, on_error: ${on} }\n  bash: |\n    echo x >> tries; echo '${error}' >&2; ${trace}\n- id: b\n  depends_on: [a]\n  trigger_rule: all_done\n  bash: wc -l < tries`,
  );
  expect((await run.output("b"))?.trim()).toBe(String(tries));
  expect((await run.nodes())["a"]?.error).toContain(error);
});

test("always_run: a node runs again when a failed run is taken up; finished ones do not", async () => {
  bench = await GraphBench.open();
  const run = await bench.run(`- id: once
  bash: echo x >> once; wc -l < once
- id: always
  always_run: true
  bash: echo x >> always; wc -l < always
- id: b
  depends_on: [once, always]
  bash: test -e fixed`);
  expect(run.end).toMatchObject({ kind: "failed" });
  await bench.engine.write("fixed", "");
  await run.retry();
  await run.drive();
  expect(run.end).toMatchObject({ kind: "completed" });
  expect([(await run.output("once"))?.trim(), (await run.output("always"))?.trim()]).toEqual(["1", "2"]);
});

test("always_run: nodes run again in their order, also where a node between them stays done, and so does what failed behind them", async () => {
  bench = await GraphBench.open();
  const run = await bench.run(`- id: first
  always_run: true
  bash: echo x >> first; wc -l < first
- id: between
  depends_on: [first]
  bash: echo x >> between; wc -l < between
- id: second
  always_run: true
  depends_on: [between]
  bash: echo $first.output
- id: behind
  depends_on: [second]
  bash: echo x >> behind; wc -l < behind
- id: broken
  depends_on: [between]
  bash: test -e fixed && echo $first.output`);
  expect(run.end).toMatchObject({ kind: "failed" });
  await bench.engine.write("fixed", "");
  await run.retry();
  await run.drive();
  expect(run.end).toMatchObject({ kind: "completed" });
  const outputs = await Promise.all(["first", "between", "second", "behind", "broken"].map((node) => run.output(node)));
  expect(outputs.map((output) => output?.trim())).toEqual(["2", "1", "2", "1", "2"]);
});

test.each(["prompt: Do.", "loop: { prompt: Do., until: X, max_iterations: 2 }", "approval: { message: Sure? }"])(
  "timeout counts beside %s, and the message has the name of the node and the number",
  async (does) => {
    const time = new DrivenTime();
    bench = await GraphBench.open({}, time);
    expect(await bench.problems(`- id: p\n  timeout: 1500\n  ${does}`)).toEqual([]);
    const run = await bench.begin(`- id: p\n  timeout: 1500\n  ${does}`);
    await time.advance(1500);
    await next(bench.engine.context, bench.engine.caller, { run: run.id, waitMs: 10_000 }).catch(() => undefined);
    expect((await run.nodes())["p"]).toMatchObject({ status: "failed", error: "`p` took longer than its limit of 1500 ms." });
  },
);

test("timeout ends a command with all that it started, and its node has failed", async () => {
  bench = await GraphBench.open();
  const run = await bench.run("- id: a\n  timeout: 50\n  bash: sleep 60 & sleep 60; echo late");
  expect((await run.nodes())["a"]).toMatchObject({ status: "failed", error: expect.stringContaining("stopped after 50 ms") as string });
});

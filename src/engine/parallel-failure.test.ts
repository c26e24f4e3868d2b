import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { retry } from "./commands/resume.ts";
import { SeedBench, SeedRun } from "../../test/support/seed-bench.ts";

let bench: SeedBench;
beforeAll(async () => {
  bench = await SeedBench.open();
});
afterAll(() => bench.close());

const steps = (more = "") => `
default_state: { raw: { done: [] } }
steps:
  - { id: all, type: parallel_foreach, items: [{ id: A }, { id: B }, { id: C }], sub_agent_task: work${more} }
  - { id: after, type: user_message, message: m }
sub_agent_tasks:
  work:
    steps:
      - { id: one, type: mcp_call, mcp: { method: m }, state_update: { path: raw.done, operation: append, value: "{{ item.id }}1" } }
      - { id: two, type: mcp_call, mcp: { method: m }, state_update: { path: raw.done, operation: append, value: "{{ item.id }}2" } }
`;

/** A is done, C is half-way, B fails at its first step. */
async function failed(run: SeedRun): Promise<SeedRun> {
  await (await (await run.open("A")).done("x")).done("x");
  await (await run.open("C")).done("x");
  await (await run.open("B")).fail("no");
  return run.next();
}

/** Lets every open task go on to its end, then the run; answers the steps that were handed out on the way. */
async function finish(run: SeedRun): Promise<string[]> {
  const seen: string[] = [];
  for (let guard = 0; guard < 20 && run.position.state.status === "running"; guard += 1) {
    const tasks = Object.values(run.position.state.strands).flatMap(({ task }) => task ?? []);
    for (const task of tasks.sort()) {
      const opened = await run.open(task);
      if (opened.step === null) continue;
      seen.push(`${task} ${opened.step.id.split(".").at(-1) ?? ""}`);
      await opened.done("x");
    }
    await run.next();
    if (tasks.length === 0 && run.step !== null && run.step.type !== "parallel_tasks") await run.done("x");
  }
  return seen;
}

const again = async (run: SeedRun): Promise<SeedRun> => {
  run.position = await retry(run.engine.context, run.caller, { run: run.id, waitMs: 0 });
  return run;
};

async function counts(run: SeedRun): Promise<unknown> {
  const [list] = Object.keys(run.position.state.lists);
  return run.position.state.lists[list ?? ""]?.by;
}

const allDone = { pending: 0, in_progress: 0, completed: 3, skipped: 0, failed: 0 };

describe("a task of parallel work that fails", () => {
  test.each([
    ["waited for", ""],
    ["not waited for", ", wait_for_all: false"],
    ["without a policy of its own", ", on_sub_agent_error: { strategy: fail_all }"],
  ])("keeps what its siblings have done: %s", async (_title, more) => {
    const run = await failed(await bench.run(steps(more)));
    expect(run.status).toBe("failed");
    await again(run);
    expect(await finish(run)).toEqual(["B one", "C two", "B two"]);
    expect(run.status).toBe("completed");
    expect(await counts(run)).toEqual(allDone);
    expect(await run.read("raw.done")).toEqual(["A1", "A2", "C1", "B1", "C2", "B2"]);
  });

  test("keeps what its siblings have done when another process retries the run", async () => {
    const first = await failed(await bench.run(steps()));
    await bench.engine.context.holding.release(bench.engine.caller.leaseOwner);
    const engine = await bench.engine.again();
    const run = new SeedRun(engine, engine.caller, first.position);
    await again(run);
    expect(await finish(run)).toEqual(["B one", "C two", "B two"]);
    expect(run.status).toBe("completed");
    expect(await run.read("raw.done")).toEqual(["A1", "A2", "C1", "B1", "C2", "B2"]);
    await engine.close();
  });

  test("is tried again alone when the step around it says retry", async () => {
    const run = await failed(await bench.run(steps(", on_error: retry, retry_count: 1, retry_delay: 0")));
    expect(run.status).toBe("running");
    expect(await finish(run)).toEqual(["B one", "C two", "B two"]);
    expect(await counts(run)).toEqual(allDone);
  });

  test("keeps what is done when it fails again after a retry", async () => {
    const run = await failed(await bench.run(steps()));
    await again(run);
    await (await run.open("B")).fail("no again");
    await run.next();
    expect(run.status).toBe("failed");
    await again(run);
    expect(await finish(run)).toEqual(["B one", "C two", "B two"]);
    expect(await counts(run)).toEqual(allDone);
  });

  test("is tried again alone when the others were let end first", async () => {
    const run = await bench.run(steps(", on_sub_agent_error: { strategy: retry_failed, max_retries: 0 }"));
    await failed(run);
    expect(run.status).toBe("running");
    await (await run.open("C")).done("x");
    await run.next();
    expect(run.error).toMatchObject({ code: "TASKS_FAILED" });
    await again(run);
    expect(await finish(run)).toEqual(["B one", "B two"]);
    expect(await counts(run)).toEqual(allDone);
  });

  test("in one strand after the other keeps what came before it", async () => {
    const run = await bench.run(steps(), { serial: true });
    await (await run.done("x")).done("x");
    await run.fail("no");
    expect(run.status).toBe("failed");
    await again(run);
    const seen: string[] = [];
    while (run.step !== null) {
      seen.push(run.step.id);
      await run.done("x");
    }
    expect(seen).toHaveLength(5);
    expect(await run.read("raw.done")).toEqual(["A1", "A2", "B1", "B2", "C1", "C2"]);
    expect(await counts(run)).toEqual(allDone);
  });

  test("in one strand after the other is tried again alone when the step says retry", async () => {
    const run = await bench.run(steps(", on_error: retry, retry_count: 1, retry_delay: 0"), { serial: true });
    await (await run.done("x")).done("x");
    await run.fail("no");
    expect(run.status).toBe("running");
    await run.toEnd("x");
    expect(await run.read("raw.done")).toEqual(["A1", "A2", "B1", "B2", "C1", "C2"]);
  });
});

const nested = (outer = "", inner = "") => `
default_state: { raw: { done: [] } }
steps:
  - { id: all, type: parallel_foreach, items: [{ id: X }, { id: Y }], sub_agent_task: outer${outer} }
sub_agent_tasks:
  outer:
    steps:
      - { id: zero, type: mcp_call, mcp: { method: m }, state_update: { path: raw.done, operation: append, value: "{{ item.id }}0" } }
      - { id: in, type: parallel_foreach, items: "{{ [{ id: item.id + 'a' }, { id: item.id + 'b' }] }}", sub_agent_task: work${inner} }
  work:
    steps:
      - { id: one, type: mcp_call, mcp: { method: m }, state_update: { path: raw.done, operation: append, value: "{{ item.id }}1" } }
      - { id: two, type: mcp_call, mcp: { method: m }, state_update: { path: raw.done, operation: append, value: "{{ item.id }}2" } }
`;

/** Xa is half-way when Xb fails. */
async function failedInside(run: SeedRun): Promise<SeedRun> {
  await (await run.open("X")).done("x", { waitMs: 0 });
  await (await run.open("Y")).done("x", { waitMs: 0 });
  await run.next({ waitMs: 0 });
  const idOf = (name: string): string => Object.values(run.position.state.strands).find(({ task }) => task === name)?.id ?? "";
  const [done, fails] = [idOf("Xa"), idOf("Xb")];
  await (await run.open(done)).done("x");
  await (await run.open(fails)).fail("no");
  return run.next({ waitMs: 0 });
}

/** Ends everything that is open; gives what the steps of the whole run have written, sorted. */
async function finishInside(run: SeedRun): Promise<string[]> {
  for (let guard = 0; guard < 30 && run.position.state.status === "running"; guard += 1) {
    for (const { id } of Object.values(run.position.state.strands).filter(({ task }) => task !== undefined)) {
      const opened = await run.open(id);
      if (opened.step !== null && opened.step.type !== "parallel_tasks") await opened.done("x", { waitMs: 0 });
    }
    await run.next({ waitMs: 0 });
  }
  return ((await run.read("raw.done")) as string[]).toSorted();
}

const everythingOnce = ["X", "Y"].flatMap((id) => [`${id}0`, `${id}a1`, `${id}a2`, `${id}b1`, `${id}b2`]);

describe("a task that fails in tasks of its own", () => {
  const failAll = ", on_sub_agent_error: { strategy: fail_all }";
  const others = ", on_sub_agent_error: { strategy: retry_failed, max_retries: 0 }";
  test.each([
    ["as it comes", nested()],
    ["with a policy", nested(failAll, failAll)],
    ["not waited for", nested(", wait_for_all: false")],
    ["with tasks that are not waited for", nested("", ", wait_for_all: false")],
  ])("keeps what those have done for a retry: %s", async (_title, workflow) => {
    const run = await failedInside(await bench.run(workflow));
    expect(run.status).toBe("failed");
    await again(run);
    expect(await finishInside(run)).toEqual(everythingOnce);
    expect(run.status).toBe("completed");
  });

  test.each([
    ["of the outer step", nested(", on_sub_agent_error: { strategy: retry_failed, max_retries: 1 }")],
    ["of both steps", nested(", on_sub_agent_error: { strategy: retry_failed, max_retries: 1 }", others)],
    ["around the outer step", nested(", on_error: retry, retry_count: 1, retry_delay: 0")],
  ])("keeps what those have done when a policy tries it again: %s", async (_title, workflow) => {
    const run = await failedInside(await bench.run(workflow));
    expect(await finishInside(run)).toEqual(everythingOnce);
    expect(run.status).toBe("completed");
  });

  test("keeps what those have done when another process retries the run", async () => {
    const first = await failedInside(await bench.run(nested()));
    await bench.engine.context.holding.release(bench.engine.caller.leaseOwner);
    const engine = await bench.engine.again();
    const run = new SeedRun(engine, engine.caller, first.position);
    await again(run);
    expect(await finishInside(run)).toEqual(everythingOnce);
    expect(run.status).toBe("completed");
    await engine.close();
  });
});

test("tasks that nobody waits for go on when the run fails elsewhere and is retried", async () => {
  const run = await bench.run(steps(", wait_for_all: false"));
  await (await run.open("C")).done("x");
  await run.fail("no");
  expect(run.status).toBe("failed");
  await again(run);
  expect(await finish(run)).toEqual(["A one", "B one", "C two", "A two", "B two"]);
  expect(run.status).toBe("completed");
  expect(await counts(run)).toEqual(allDone);
});

test("a task that is tried again does not begin the tasks twice that it did not wait for", async () => {
  const run = await bench.run(`
steps:
  - { id: all, type: parallel_foreach, items: [{ id: A }], sub_agent_task: outer, on_sub_agent_error: { strategy: retry_failed, max_retries: 1 } }
sub_agent_tasks:
  outer:
    steps:
      - { id: beside, type: parallel_foreach, items: [{ id: a1 }, { id: a2 }], sub_agent_task: inner, wait_for_all: false }
      - { id: check, type: user_message, message: m }
  inner: { steps: [{ id: work, type: mcp_call, mcp: { method: m } }] }
`);
  const work = async (): Promise<number> => {
    const { state } = await run.engine.context.runs.open(run.id);
    return Object.values(state.actions).filter(({ step }) => step.endsWith("work")).length;
  };
  const task = await (await run.open("A")).continueBesideTasks();
  expect([task.step?.id, await work()]).toEqual([expect.stringContaining("check"), 2]);
  await task.fail("no");
  expect(await work()).toBe(2);
});

test("the workflow's on_failure steps run also when a task fails that nobody waits for", async () => {
  const clean = "error_handling: { on_failure: [{ id: clean, type: user_message, message: 'because {{ error.message }}' }] }";
  const run = await bench.run(`${steps(", wait_for_all: false")}${clean}`);
  await (await run.open("B")).fail("no B");
  await run.next();
  expect([run.status, run.step?.id]).toEqual(["running", "on_failure.clean"]);
  expect(JSON.stringify(run.step?.definition)).toContain("no B");
  await run.done();
  expect(run.error?.message).toContain("no B");
  await again(run);
  expect(await finish(run)).toEqual(["A one", "B one", "C one", "A two", "B two", "C two"]);
  expect(await counts(run)).toEqual(allDone);
});

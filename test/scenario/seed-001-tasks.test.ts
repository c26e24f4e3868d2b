/** Sub-agent tasks: hand-out, context, refill, joining, failures, and the serial switch. */
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { report } from "../../src/engine/index.ts";
import { standardTaskPrompt } from "../../src/program/index.ts";
import { SeedBench, subAgent, type SeedRun } from "../support/seed-bench.ts";

let bench: SeedBench;
beforeAll(async () => {
  bench = await SeedBench.open();
});
afterAll(() => bench.close());

const task = `
sub_agent_tasks:
  work:
    steps:
      - { id: do, type: mcp_call, mcp: { method: work, params: { files: "{{ files }}" } }, state_update: { path: "raw.results.{{ task_id }}" } }`;
const batches = (count: number): string =>
  JSON.stringify(Array.from({ length: count }, (_entry, index) => ({ id: `batch_${index}`, files: [`f${index}.ts`] })));

function taskIds(run: SeedRun): string[] {
  return (run.step?.definition["tasks"] as { task_id: string }[] | undefined)?.map((entry) => entry.task_id) ?? [];
}

/** What the sub-agent of a task is told beside the prompt for all. */
const promptOf = (run: SeedRun, id: string): string => `Your run_id is ${run.id}, your task_id is ${id}.`;

async function finish(run: SeedRun, id: string, result: string): Promise<void> {
  const open = await run.open(id);
  await open.done(result);
  expect(open.step).toBeNull();
}

describe("hand-out", () => {
  test("one step tells the parent about all tasks, with the standard prompt and each context", async () => {
    const run = await bench.run(`steps: [{ id: all, type: parallel_foreach, items: ${batches(2)}, sub_agent_task: work }]${task}`);
    expect(run.step).toMatchObject({ id: "all", type: "parallel_tasks" });
    expect(run.step?.definition).toEqual({
      sub_agent_prompt: standardTaskPrompt,
      tasks: [
        {
          task_id: "batch_0",
          prompt: promptOf(run, "batch_0"),
          context: { id: "batch_0", batch_id: "batch_0", files: ["f0.ts"], index: 0, total: 2, workflow_id: run.id },
        },
        {
          task_id: "batch_1",
          prompt: promptOf(run, "batch_1"),
          context: { id: "batch_1", batch_id: "batch_1", files: ["f1.ts"], index: 1, total: 2, workflow_id: run.id },
        },
      ],
    });
    expect(run.step?.instructions).toMatch(/all at once.*Without sub-agents do each task yourself/s);
  });

  test("the standard prompt says to fetch, do, report and repeat until nothing is left", () => {
    for (const word of ["task_id", "workflow_next", "workflow_progress", "exactly", "no step"]) expect(standardTaskPrompt).toContain(word);
  });

  test("sub_agent_prompt_override replaces the prompt", async () => {
    const run = await bench.run(
      `steps: [{ id: all, type: parallel_foreach, items: [a], sub_agent_task: work, sub_agent_prompt_override: "Only look, never write." }]${task.replace("{{ files }}", "{{ item }}")}`,
    );
    expect(run.step?.definition["sub_agent_prompt"]).toBe("Only look, never write.");
  });

  test("items without a unique id are numbered below the step", async () => {
    const run = await bench.run(
      `steps: [{ id: all, type: parallel_foreach, items: [a, a], sub_agent_task: work }]${task.replace("{{ files }}", "{{ item }}")}`,
    );
    expect(taskIds(run)).toEqual(["all.0", "all.1"]);
    expect((await run.open("all.1")).step?.definition["params"]).toEqual({ files: "a" });
  });

  test("each sub-agent walks its own strand and writes the shared state", async () => {
    const run = await bench.run(
      `steps: [{ id: all, type: parallel_foreach, items: ${batches(2)}, sub_agent_task: work }, { id: after, type: user_message, message: "{{ Object.keys(results).length }}" }]${task}`,
    );
    const one = await run.open("batch_0", subAgent(run.caller, "one"));
    const two = await run.open("batch_1", subAgent(run.caller, "two"));
    expect([one.step?.id, two.step?.id]).toEqual(["all.do", "all.do"]);
    expect(one.step?.definition["params"]).toEqual({ files: ["f0.ts"] });
    await two.done("b");
    expect(two.position.standing).toMatchObject({ kind: "task_ended", task: "batch_1", status: "completed" });
    expect((await run.next()).at).toBe("parallel_tasks all");
    await one.done("a");
    expect((await run.next()).message).toBe("2");
    expect(await run.read("results")).toEqual({ batch_0: "a", batch_1: "b" });
  });

  test("a task sees item, index, total, task_id, context and parent", async () => {
    const run = await bench.run(`
steps: [{ id: all, type: parallel_foreach, items: [{ id: t1, name: x }], sub_agent_task: work }]
sub_agent_tasks: { work: { steps: [{ id: say, type: user_message, message: "{{ item.name }} {{ name }} {{ index }} {{ total }} {{ task_id }} {{ context.batch_id }} {{ parent.workflow.id }}" }] } }`);
    expect((await run.open("t1")).message).toBe(`x x 0 1 t1 t1 ${run.id}`);
  });

  test("inputs of the task are part of its context: values, templates and fields of the item", async () => {
    const run = await bench.run(`
default_state: { raw: { rules: [r1, r2] } }
steps: [{ id: all, type: parallel_foreach, items: [{ id: t1, file: a.ts }, { id: t2 }], sub_agent_task: work }]
sub_agent_tasks:
  work:
    inputs: { mode: strict, rules: "{{ rules }}", label: "{{ task_id }} {{ index }}", file: { type: string, default: none } }
    steps: [{ id: say, type: user_message, message: "{{ mode }} {{ rules.length }} {{ label }} {{ context.file }}" }]`);
    const tasks = run.step?.definition["tasks"] as { context: Record<string, unknown> }[];
    expect(tasks.map(({ context }) => [context["mode"], context["rules"], context["label"], context["file"]])).toEqual([
      ["strict", ["r1", "r2"], "t1 0", "a.ts"],
      ["strict", ["r1", "r2"], "t2 1", "none"],
    ]);
    expect((await run.open("t1")).message).toBe("strict 2 t1 0 a.ts");
    expect((await run.open("t2")).message).toBe("strict 2 t2 1 none");
  });

  test("an early report of the parent's step is refused and names the open tasks", async () => {
    const run = await bench.run(`steps: [{ id: all, type: parallel_foreach, items: ${batches(2)}, sub_agent_task: work }]${task}`);
    await expect(report(run.engine.context, run.caller, { run: run.id, step: "all", status: "success" })).rejects.toMatchObject({
      code: "TASKS_OPEN",
      details: { open_tasks: ["batch_0", "batch_1"] },
    });
  });

  test("an unknown task id is refused with the open ones", async () => {
    const run = await bench.run(`steps: [{ id: all, type: parallel_foreach, items: ${batches(1)}, sub_agent_task: work }]${task}`);
    await expect(run.open("batch_9")).rejects.toMatchObject({
      code: "ENGINE_NO_TASK",
      message: expect.stringContaining("batch_0") as string,
    });
  });

  test("an empty list is passed over with a note", async () => {
    const run = await bench.run(`steps: [{ id: all, type: parallel_foreach, items: [], sub_agent_task: work }]${task}`);
    expect(run.status).toBe("completed");
    expect((await run.warnings()).join()).toContain("ITEMS_EMPTY");
  });

  test("something that is not a list is a step error", async () => {
    const run = await bench.run(
      `default_state: { raw: { n: 1 } }\nsteps: [{ id: all, type: parallel_foreach, items: "{{ n }}", sub_agent_task: work }]${task}`,
    );
    expect(run.error).toMatchObject({ code: "ITEMS_NOT_A_LIST" });
  });

  test("a task that is not defined is refused at load", async () => {
    expect(
      (await bench.problems(`steps: [{ id: all, type: parallel_foreach, items: [1], sub_agent_task: wrok }]${task}`)).join("\n"),
    ).toMatch(/^error .*wrok/m);
  });
});

describe("max_parallel", () => {
  test("at most that many tasks are open, and the next follow when some end", async () => {
    const run = await bench.run(
      `steps: [{ id: all, type: parallel_foreach, items: ${batches(5)}, max_parallel: 2, sub_agent_task: work }]${task}`,
    );
    expect(taskIds(run)).toEqual(["batch_0", "batch_1"]);
    await expect(run.open("batch_4")).rejects.toThrow(/not been handed out yet/);
    await finish(run, "batch_1", "x");
    expect(taskIds(await run.next())).toEqual(["batch_0", "batch_2"]);
    for (const id of ["batch_0", "batch_2", "batch_3", "batch_4"]) await finish(run, id, "x");
    expect((await run.next()).status).toBe("completed");
  });

  test("ten at once unless said otherwise", async () => {
    const run = await bench.run(`steps: [{ id: all, type: parallel_foreach, items: ${batches(12)}, sub_agent_task: work }]${task}`);
    expect(taskIds(run)).toHaveLength(10);
  });

  test("in a second round of a loop the same task ids mean the new tasks", async () => {
    const run = await bench.run(
      `steps: [{ id: w, type: while, condition: "iteration <= 2", body: [{ id: all, type: parallel_foreach, items: ${batches(1)}, sub_agent_task: work }] }]${task}`,
    );
    await finish(run, "batch_0", "first");
    await run.next();
    expect(taskIds(run)).toEqual(["batch_0"]);
    await finish(run, "batch_0", "second");
    expect((await run.next()).status).toBe("completed");
    expect(await run.read("results.batch_0")).toBe("second");
  });
});

describe("wait_for_all", () => {
  const yaml = (wait: boolean): string =>
    `steps: [{ id: all, type: parallel_foreach, items: ${batches(2)}, wait_for_all: ${wait}, sub_agent_task: work }, { id: after, type: user_message, message: m }]${task}`;

  test("true holds the next step back until every task has ended", async () => {
    const run = await bench.run(yaml(true));
    await finish(run, "batch_0", "x");
    expect((await run.next()).at).toBe("parallel_tasks all");
    await finish(run, "batch_1", "x");
    expect((await run.next()).step?.id).toBe("after");
  });

  test("false goes on at once, and the run ends only when the tasks have", async () => {
    const run = await bench.run(yaml(false));
    expect([run.at, taskIds(run)], "the tasks are handed out first").toEqual(["parallel_tasks all", ["batch_0", "batch_1"]]);
    expect((await run.continueBesideTasks()).step?.id).toBe("after");
    await run.done();
    expect(run.status).toBe("running");
    expect(taskIds(run), "the parent is shown the tasks when it has nothing else to do").toEqual(["batch_0", "batch_1"]);
    await finish(run, "batch_0", "x");
    await finish(run, "batch_1", "x");
    expect((await run.next()).status).toBe("completed");
  });
});

describe("on_sub_agent_error", () => {
  const yaml = (policy: string, more = ""): string => `
default_state: { raw: { errors: [] } }
steps:
  - { id: all, type: parallel_foreach, items: ${batches(3)}, sub_agent_task: work ${policy === "" ? "" : `, on_sub_agent_error: ${policy}`} }
  - { id: after, type: user_message, message: m }${task}${more}`;

  async function failTask(run: SeedRun, id: string): Promise<void> {
    const open = await run.open(id);
    await open.fail(`${id} broke`).catch(() => undefined);
    await run.next();
  }

  test("without a policy a failed task fails the step and stops the others", async () => {
    const run = await bench.run(yaml(""));
    await failTask(run, "batch_0");
    expect(run.status).toBe("failed");
    expect(run.error?.message).toContain("batch_0 broke");
  });

  test("strategy: fail_all does the same by name", async () => {
    const run = await bench.run(yaml("{ strategy: fail_all }"));
    await failTask(run, "batch_1");
    expect(run.status).toBe("failed");
    expect(Object.values(run.position.state.strands).filter((strand) => strand.task !== undefined)).toEqual([]);
  });

  test("strategy: continue lets the others end and goes on", async () => {
    const run = await bench.run(yaml("{ strategy: continue }"));
    await failTask(run, "batch_0");
    expect(run.status).toBe("running");
    for (const id of ["batch_1", "batch_2"]) await finish(run, id, "ok");
    expect((await run.next()).step?.id).toBe("after");
    expect(await run.read("results")).toEqual({ batch_1: "ok", batch_2: "ok" });
  });

  test("strategy: retry_failed tries a task again, max_retries times, before the step fails at its end", async () => {
    const run = await bench.run(yaml("{ strategy: retry_failed, max_retries: 1 }"));
    await failTask(run, "batch_0");
    expect(taskIds(run)).toContain("batch_0");
    await failTask(run, "batch_0");
    expect(run.status, "the others may still end").toBe("running");
    for (const id of ["batch_1", "batch_2"]) await finish(run, id, "ok");
    await run.next();
    expect(run.status).toBe("failed");
    expect(run.error).toMatchObject({ code: "TASKS_FAILED" });
  });

  test("a task that succeeds on its second try counts as done", async () => {
    const run = await bench.run(yaml("{ strategy: retry_failed, max_retries: 2 }"));
    await failTask(run, "batch_0");
    for (const id of ["batch_0", "batch_1", "batch_2"]) await finish(run, id, "ok");
    expect((await run.next()).step?.id).toBe("after");
  });

  test("max_retries works with continue too", async () => {
    const run = await bench.run(yaml("{ strategy: continue, max_retries: 1 }"));
    await failTask(run, "batch_0");
    expect(taskIds(run)).toContain("batch_0");
  });

  test("collect_errors appends each final failure to error_state_path", async () => {
    const run = await bench.run(yaml("{ strategy: continue, collect_errors: true, error_state_path: raw.errors }"));
    await failTask(run, "batch_1");
    expect(await run.read("errors")).toEqual([{ task_id: "batch_1", message: "batch_1 broke", type: "STEP_FAILED", attempts: 1 }]);
  });

  test("collect_errors without a path uses raw.sub_agent_errors, and without collect_errors nothing is kept", async () => {
    const kept = await bench.run(yaml("{ strategy: continue, collect_errors: true }"));
    await failTask(kept, "batch_1");
    expect(await kept.read("sub_agent_errors")).toHaveLength(1);
    const none = await bench.run(yaml("{ strategy: continue, collect_errors: false }"));
    await failTask(none, "batch_1");
    expect(await none.read("sub_agent_errors")).toBeNull();
  });
});

describe("error_handling of a task", () => {
  const yaml = (handling: string): string => `
default_state: { raw: { batch_status: {} } }
steps:
  - { id: all, type: parallel_foreach, items: ${batches(2)}, sub_agent_task: work, on_sub_agent_error: { strategy: continue, collect_errors: true, error_state_path: raw.errors } }
  - { id: after, type: user_message, message: m }
sub_agent_tasks:
  work:
    steps: [{ id: do, type: mcp_call, mcp: { method: work } }, { type: state_update, path: "raw.batch_status.{{ batch_id }}", value: done }]
    error_handling: ${handling}`;

  test("cleanup_on_error runs before the error is returned", async () => {
    const run = await bench.run(
      yaml(
        `{ return_on_error: true, cleanup_on_error: [{ type: state_update, path: "raw.batch_status.{{ batch_id }}", value: "failed: {{ error.message }}" }] }`,
      ),
    );
    const open = await run.open("batch_0");
    await open.fail("no disk");
    await finish(run, "batch_1", "x");
    expect(await run.read("batch_status")).toEqual({ batch_0: "failed: no disk", batch_1: "done" });
    expect(await run.read("errors")).toMatchObject([{ task_id: "batch_0", message: "no disk" }]);
  });

  test("cleanup steps may be the agent's too", async () => {
    const run = await bench.run(yaml(`{ cleanup_on_error: [{ id: tell, type: user_message, message: "cleaning {{ task_id }}" }] }`));
    const open = await run.open("batch_0");
    await open.fail("no disk");
    expect(open.message).toBe("cleaning batch_0");
    await open.done();
    expect(open.position.standing).toMatchObject({ kind: "task_ended", status: "failed" });
  });

  test("return_on_error: false counts the task as done after the cleanup", async () => {
    const run = await bench.run(
      yaml(
        `{ return_on_error: false, cleanup_on_error: [{ type: state_update, path: "raw.batch_status.{{ batch_id }}", value: given up }] }`,
      ),
    );
    await (await run.open("batch_0")).fail("x");
    await finish(run, "batch_1", "x");
    expect((await run.next()).step?.id).toBe("after");
    expect(await run.read("errors")).toBeNull();
    expect(await run.read("batch_status.batch_0")).toBe("given up");
  });

  test("cleanup after a failure in an included workflow writes to the task's own state", async () => {
    const child = await bench.define(
      `default_state: { raw: { batch_status: hidden } }\nsteps: [{ id: bad, type: mcp_call, mcp: { method: bad } }]`,
    );
    const run = await bench.run(`
steps: [{ id: all, type: parallel_foreach, items: ${batches(1)}, sub_agent_task: work, on_sub_agent_error: { strategy: continue } }]
sub_agent_tasks:
  work:
    steps: [{ id: inc, type: include_workflow, workflow: "${child}" }]
    error_handling: { cleanup_on_error: [{ type: state_update, path: "raw.batch_status.{{ task_id }}", value: "{{ error.message }}" }] }`);
    await (await run.open("batch_0")).fail("deep");
    expect((await run.next()).status).toBe("completed");
    expect(await run.state()).toEqual({ batch_status: { batch_0: "deep" } });
  });
});

describe("serial", () => {
  test("tasks run one after another in the parent's own strand, with the same names in scope", async () => {
    const run = await bench.run(
      `steps: [{ id: all, type: parallel_foreach, items: ${batches(2)}, sub_agent_task: work }, { id: after, type: user_message, message: "{{ Object.keys(results) }}" }]${task}`,
      { serial: true },
    );
    expect(run.at).toBe("mcp_call all.do");
    expect(run.step?.definition["params"]).toEqual({ files: ["f0.ts"] });
    await run.done("a");
    expect(run.step?.definition["params"]).toEqual({ files: ["f1.ts"] });
    await run.done("b");
    expect(run.message).toBe('["batch_0","batch_1"]');
  });

  test("the policy for failed tasks holds there too", async () => {
    const run = await bench.run(
      `steps: [{ id: all, type: parallel_foreach, items: ${batches(2)}, sub_agent_task: work, on_sub_agent_error: { strategy: retry_failed, max_retries: 1 } }]${task}`,
      { serial: true },
    );
    await run.fail("once");
    const second = run.step?.definition["params"];
    await run.done("x");
    await run.done("y");
    expect(second).toEqual({ files: ["f0.ts"] });
    expect(run.status).toBe("completed");
  });

  test("inputs of the task are evaluated there too", async () => {
    const run = await bench.run(
      `steps: [{ id: all, type: parallel_foreach, items: [a], sub_agent_task: work }]\nsub_agent_tasks: { work: { inputs: { label: "<{{ item }}>" }, steps: [{ id: say, type: user_message, message: "{{ label }}" }] } }`,
      { serial: true },
    );
    expect(run.message).toBe("<a>");
  });
});

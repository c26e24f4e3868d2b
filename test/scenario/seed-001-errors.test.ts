/** Failure of a step: every key that says what happens then. Tasks and transformations have files of their own. */
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { journal, next, progress } from "../../src/engine/index.ts";
import { SeedBench, SeedRun, textOf } from "../support/seed-bench.ts";

let bench: SeedBench;
beforeAll(async () => {
  bench = await SeedBench.open();
});
afterAll(() => bench.close());

/** A command that fails until it was tried `times` times; it counts in a file of its own. */
const fails = (file: string, times: number): string =>
  `n=$(cat ${file} 2>/dev/null || echo 0); n=$((n+1)); echo $n > ${file}; echo try $n; test $n -gt ${times}`;

async function tries(file: string): Promise<number> {
  return Number(await readFile(join(bench.engine.folder, file), "utf8"));
}

describe("on_error of a command", () => {
  test("fail is the default and ends the run", async () => {
    const run = await bench.run(
      `steps: [{ id: c, type: shell_command, command: "exit 1" }, { type: state_update, path: raw.after, value: 1 }]`,
    );
    expect(run.status).toBe("failed");
    expect(run.position.state.error).toMatchObject({ code: "COMMAND_FAILED", block: "c" });
    expect(await run.read("after")).toBeNull();
  });

  test("on_error: continue goes on without a result", async () => {
    const run = await bench.run(
      `steps: [{ id: c, type: shell_command, command: "exit 1", on_error: continue, state_update: { path: raw.out } }, { type: state_update, path: raw.after, value: 1 }]`,
    );
    expect(await run.state()).toEqual({ after: 1 });
  });

  test("on_error: retry tries again and uses the result of the try that works", async () => {
    const run = await bench.run(
      `steps: [{ id: c, type: shell_command, command: "${fails("retry", 2)}", on_error: retry, retry_count: 3, retry_delay: 1, state_update: { path: raw.out } }]`,
    );
    expect(run.status).toBe("completed");
    expect(await run.read("out")).toBe("try 3");
  });

  test("retry_count limits the tries", async () => {
    const run = await bench.run(
      `steps: [{ id: c, type: shell_command, command: "${fails("count", 9)}", on_error: retry, retry_count: 1, retry_delay: 1 }]`,
    );
    expect(run.status).toBe("failed");
    expect(await tries("count")).toBe(2);
  });

  test("without retry_count there are three further tries", async () => {
    const run = await bench.run(
      `steps: [{ id: c, type: shell_command, command: "${fails("default-count", 9)}", on_error: retry, retry_delay: 0 }]`,
    );
    expect(run.status).toBe("failed");
    expect(await tries("default-count")).toBe(4);
  });

  test("retry_delay doubles from try to try, and a second is the default", async () => {
    const run = await bench.run(
      `steps: [{ id: c, type: shell_command, command: "${fails("delay", 9)}", on_error: retry, retry_count: 3, retry_delay: 4 }]`,
    );
    expect(run.status).toBe("failed");
    expect(await delays(run)).toEqual([4, 8, 16]);
    const plain = await bench.run(`steps: [{ id: c, type: shell_command, command: "exit 1", on_error: retry, retry_count: 1 }]`, {
      waitMs: 300,
    });
    expect(await delays(plain)).toEqual([1000]);
  });

  async function delays(run: SeedRun): Promise<number[]> {
    const at: number[] = [];
    let failedAt = 0;
    for (const entry of await journal(run.engine.context, run.id, 0, 1000)) {
      for (const event of entry.events) {
        if (event.type === "failed") failedAt = Date.parse(entry.at);
        if (event.type === "timer_set" && event.timer.why === "retry") at.push(event.timer.due - failedAt);
      }
    }
    return at;
  }

  test("fallback_value is the result when a step that continues has failed", async () => {
    const run = await bench.run(
      `steps: [{ id: c, type: shell_command, command: "exit 1", output_format: json, on_error: continue, fallback_value: { success: false, why: none }, state_update: { path: raw.out } }]`,
    );
    expect(await run.read("out")).toEqual({ success: false, why: "none" });
  });

  test("fallback_value is the result when the retries are spent", async () => {
    const run = await bench.run(
      `steps: [{ id: c, type: shell_command, command: "${fails("spent", 9)}", on_error: retry, retry_count: 1, retry_delay: 1, fallback_value: [], state_update: { path: raw.out } }]`,
    );
    expect(run.status).toBe("completed");
    expect(await run.read("out")).toEqual([]);
    expect(await tries("spent")).toBe(2);
  });

  test("error_state_update writes with the error in scope, whatever happens then", async () => {
    const run = await bench.run(`
default_state: { raw: { errors: {} } }
steps:
  - { id: a, type: shell_command, command: "exit 1", on_error: continue, error_state_update: { path: raw.errors.a, value: true } }
  - { id: b, type: shell_command, command: "exit 2", on_error: continue, error_state_update: [{ path: raw.errors.b, value: "{{ error.type }} in {{ error.step_id }}" }, { path: raw.log, operation: append, value: "{{ error.message }}" }] }
  - { id: c, type: shell_command, command: "exit 3", error_state_update: { path: raw.errors.c } }`);
    expect(run.status).toBe("failed");
    expect(await run.read("errors")).toMatchObject({ a: true, b: "COMMAND_FAILED in b", c: { type: "COMMAND_FAILED", step_id: "c" } });
    expect(await run.read("log")).toHaveLength(1);
  });
});

describe("on_error of other steps", () => {
  test("mcp_call: continue with error_state_update", async () => {
    const run = await bench.run(`
default_state: { raw: { errors: {} } }
steps: [{ id: lint, type: mcp_call, mcp: { method: lint_project, params: {} }, on_error: continue, error_state_update: { path: raw.errors.lint_failed, value: true } }, { id: after, type: user_message, message: m }]`);
    await run.fail("no linter");
    expect(run.step?.id).toBe("after");
    expect(await run.read("errors")).toEqual({ lint_failed: true });
  });

  test("mcp_call: retry hands the step out again, then fallback_value stands in", async () => {
    const run = await bench.run(
      `steps: [{ id: lint, type: mcp_call, mcp: { method: lint_project }, on_error: retry, retry_count: 1, retry_delay: 1, fallback_value: { issues: 0 }, state_update: { path: raw.lint } }]`,
    );
    await run.fail("once");
    expect(run.step?.id).toBe("lint");
    await run.fail("twice");
    expect(run.status).toBe("completed");
    expect(await run.read("lint")).toEqual({ issues: 0 });
  });

  test.each([
    ["agent_shell_command", "command: x"],
    ["apply_hints", "file: a.ts, hints: []"],
    ["user_input", "prompt: p"],
  ])("%s: a reported failure follows the step's policy", async (type, keys) => {
    const run = await bench.run(
      `steps: [{ id: s, type: ${type}, ${keys}, on_error: continue, fallback_value: none, state_update: { path: raw.out }, error_state_update: { path: raw.why, value: "{{ error.message }}" } }]`,
    );
    await run.fail("it would not");
    expect(run.status).toBe("completed");
    expect(await run.state()).toEqual({ out: "none", why: "it would not" });
  });

  test.each([
    ["user_message", "message: m"],
    ["state_update", "path: raw.x, value: 1, by: agent"],
    ["batch_state_update", "updates: [{ path: raw.x, value: 1 }], by: agent"],
  ])("%s: a reported failure follows the step's policy too", async (type, keys) => {
    const run = await bench.run(
      `steps: [{ id: s, type: ${type}, ${keys}, on_error: retry, retry_count: 1, retry_delay: 1, error_state_update: { path: raw.why, value: "{{ error.message }}" } }]`,
    );
    await run.fail("once");
    expect(run.step?.id).toBe("s");
    await run.fail("twice");
    expect(run.status).toBe("failed");
    expect(await run.state()).toEqual({ why: "twice" });
  });

  test.each([
    ["conditional", "condition: true, then: [BAD]"],
    ["while", "condition: 'true', body: [BAD]"],
    ["foreach", "items: [1], steps: [BAD]"],
    ["sequential", "steps: [BAD]"],
  ])("%s: the step around a failing one may retry as a whole", async (type, keys) => {
    const bad = `{ type: shell_command, command: "${fails(`whole-${type}`, 1)}" }, { type: ${type === "while" ? "break" : "state_update, path: raw.done, value: true"} }`;
    const run = await bench.run(
      `steps: [{ id: s, type: ${type}, ${keys.replace("BAD", bad)}, on_error: retry, retry_count: 2, retry_delay: 1 }]`,
    );
    expect(run.error).toBeUndefined();
    expect(run.status).toBe("completed");
    expect(await tries(`whole-${type}`)).toBe(2);
  });

  test("parallel_foreach: the step around failed tasks may continue", async () => {
    const run = await bench.run(
      `steps: [{ id: all, type: parallel_foreach, items: [a], sub_agent_task: t, on_error: continue, error_state_update: { path: raw.why, value: "{{ error.message }}" } }]\nsub_agent_tasks: { t: { steps: [{ id: x, type: mcp_call, mcp: { method: m } }] } }`,
    );
    await (await run.open("all.0")).fail("gone");
    expect((await run.next()).status).toBe("completed");
    expect(textOf(await run.read("why"))).toContain("gone");
  });

  test("include_workflow: retry begins the included workflow again with a fresh state", async () => {
    const child = await bench.define(
      `default_state: { raw: { n: 0 } }\nsteps: [{ type: state_update, path: raw.n, operation: increment }, { type: shell_command, command: "${fails("include", 1)}" }]`,
    );
    const run = await bench.run(
      `steps: [{ id: c, type: include_workflow, workflow: "${child}", on_error: retry, retry_count: 1, retry_delay: 1 }, { id: say, type: user_message, message: "{{ c.n }}" }]`,
    );
    expect(run.message).toBe("1");
    expect(await tries("include")).toBe(2);
  });

  test("an unusable value in a step is a failure of that step", async () => {
    const run = await bench.run(
      `default_state: { raw: { x: null } }\nsteps: [{ id: s, type: state_update, path: raw.y, value: "{{ x.deep }}", on_error: continue, error_state_update: { path: raw.why, value: "{{ error.type }}" } }]`,
    );
    expect(run.status).toBe("completed");
    expect(await run.read("why")).toBe("EXPRESSION_FAILED");
  });
});

/** One step of each type that can fail, and what makes it fail: the agent's report, or a command inside. */
const failingSteps: Readonly<Record<string, string>> = {
  shell_command: `command: "exit 1"`,
  agent_shell_command: "command: x",
  mcp_call: "mcp: { method: m }",
  apply_hints: "file: a.ts, hints: []",
  user_message: "message: m",
  user_input: "prompt: p",
  state_update: `path: raw.x, value: "{{ nothing.deep }}"`,
  batch_state_update: `updates: [{ path: raw.x, value: "{{ nothing.deep }}" }]`,
  conditional: `condition: true, then: [{ type: shell_command, command: "exit 1" }]`,
  while: `condition: "true", body: [{ type: shell_command, command: "exit 1" }]`,
  foreach: `items: [1], steps: [{ type: shell_command, command: "exit 1" }]`,
  parallel_foreach: "items: [1], sub_agent_task: bad",
  include_workflow: `workflow: "fails:always"`,
  sequential: `steps: [{ type: shell_command, command: "exit 1" }]`,
};
const tasks = `sub_agent_tasks: { bad: { steps: [{ type: shell_command, command: "exit 1" }] } }`;

describe("every type of step that can fail", () => {
  beforeAll(() => bench.define(`steps: [{ id: no, type: shell_command, command: "exit 1" }]`, "fails:always"));

  async function failAll(run: SeedRun): Promise<SeedRun> {
    while (run.step !== null && run.step.id !== "after") {
      if (run.step.type === "parallel_tasks") await new Promise((resolve) => setTimeout(resolve, 5)).then(() => run.next());
      else await run.fail("reported");
    }
    return run;
  }

  test.each(Object.keys(failingSteps))("%s takes on_error: retry, retry_count, retry_delay and error_state_update", async (type) => {
    const run = await bench.run(`
default_state: { raw: { nothing: null, retry_counts: {} } }
steps: [{ id: s, type: ${type}, ${failingSteps[type] ?? ""}, on_error: retry, retry_count: 2, retry_delay: 1, error_state_update: { path: raw.why, value: "{{ error.message }}" } }]
${tasks}`);
    await failAll(run);
    expect(run.status).toBe("failed");
    expect(await run.read("retry_counts.s")).toBe(2);
    expect(textOf(await run.read("why"))).toBe(run.error?.message);
  });

  test.each(Object.keys(failingSteps))("%s takes on_error: continue", async (type) => {
    const run = await bench.run(
      `default_state: { raw: { nothing: null } }\nsteps: [{ id: s, type: ${type}, ${failingSteps[type] ?? ""}, on_error: continue }, { id: after, type: user_message, message: m }]\n${tasks}`,
    );
    expect((await failAll(run)).step?.id).toBe("after");
  });

  test.each(["shell_command", "agent_shell_command", "mcp_call", "apply_hints", "user_input"])("%s takes fallback_value", async (type) => {
    const run = await bench.run(
      `steps: [{ id: s, type: ${type}, ${failingSteps[type] ?? ""}, on_error: continue, fallback_value: { n: 1 }, state_update: { path: raw.out } }, { id: after, type: user_message, message: m }]`,
    );
    await failAll(run);
    expect(await run.read("out")).toEqual({ n: 1 });
  });
});

describe("every type of step with a time limit", () => {
  const slow = "{ id: slow, type: mcp_call, mcp: { method: m } }";
  beforeAll(() => bench.define(`steps: [${slow}]`, "never:done"));
  const slowSteps: Readonly<Record<string, string>> = {
    shell_command: `command: "sleep 20"`,
    mcp_call: "mcp: { method: m }",
    apply_hints: "file: a.ts, hints: []",
    user_message: "message: m",
    user_input: "prompt: p",
    conditional: `condition: true, then: [${slow}]`,
    while: `condition: "true", body: [${slow}]`,
    foreach: `items: [1], steps: [${slow}]`,
    parallel_foreach: "items: [1, 2], sub_agent_task: slow",
    include_workflow: `workflow: "never:done"`,
    sequential: `steps: [${slow}]`,
  };

  test.each(Object.keys(slowSteps))("%s takes timeout", async (type) => {
    const run = await bench.run(`
steps: [{ id: s, type: ${type}, ${slowSteps[type] ?? ""}, timeout: 60, on_error: continue, error_state_update: { path: raw.why, value: "{{ error.type }}" } }, { id: after, type: user_message, message: m }]
sub_agent_tasks: { slow: { steps: [${slow}] } }`);
    for (let round = 0; round < 300 && run.step?.id !== "after"; round += 1) {
      await new Promise((resolve) => setTimeout(resolve, 10));
      await run.next({ waitMs: 20 });
    }
    expect(await run.read("why")).toBe("TIMEOUT");
    expect(Object.values(run.position.state.actions).map((action) => action.step)).toEqual(["after"]);
  });

  test("the error has its code, and a late report is told that the time ran out", async () => {
    const run = await bench.run(`
steps: [{ id: s, type: user_message, message: m, timeout: 60, on_error: continue, error_state_update: { path: raw.why, value: "{{ error.code }}" } }, { id: after, type: user_message, message: m }]`);
    const late = run.position.standing.kind === "action" ? run.position.standing.action.id : "";
    for (let round = 0; round < 300 && run.step?.id !== "after"; round += 1) {
      await new Promise((resolve) => setTimeout(resolve, 10));
      await run.next({ waitMs: 20 });
    }
    expect(await run.read("why")).toBe("TIMEOUT");
    const { context } = run.engine;
    const report = (): Promise<unknown> => progress(context, run.caller, { run: run.id, action: late, status: "success", waitMs: 0 });
    await expect(report()).rejects.toMatchObject({
      code: "ENGINE_WRONG_STEP",
      message: expect.stringContaining(`The time of \`${late}\` ran out before this report (TIMEOUT)`) as string,
      fix: expect.stringContaining("do `after`") as string,
    });
    await run.done();
    await expect(report()).rejects.toMatchObject({
      code: "ENGINE_NO_ACTION",
      message: expect.stringContaining(`The time of \`${late}\` ran out`) as string,
    });
  });
});

describe("on_lost of a command whose process died", () => {
  /** The command's lease is found in the hands of a process that is gone, as after a crash. */
  async function afterCrash(policy: string): Promise<SeedRun> {
    const yaml = `steps: [{ id: begin, type: user_message, message: m }, { id: c, type: shell_command, command: "echo x >> lost-${policy}; echo ran", on_lost: ${policy}, state_update: { path: raw.out } }, { id: after, type: user_message, message: m }]`;
    const twin = await bench.run(yaml.replace("echo x >>", "echo y >"));
    await twin.done();
    const effect = (await twin.events()).flatMap((event) => (event.type === "effect_opened" ? [event.effect.id] : []))[0] ?? "";
    const run = await bench.run(yaml);
    await run.engine.context.store.acquire(`effect/${run.id}/${effect}`, "dead-process", 1, 1);
    await new Promise((resolve) => setTimeout(resolve, 5));
    return run.done();
  }
  const times = async (policy: string): Promise<number> =>
    (await readFile(join(bench.engine.folder, `lost-${policy}`), "utf8")).split("\n").filter((line) => line === "x").length;

  test("shell_command: retry runs it again", async () => {
    const run = await afterCrash("retry");
    expect(run.step?.id).toBe("after");
    expect(await run.read("out")).toBe("ran");
    expect(await times("retry")).toBe(1);
  });

  test("shell_command: continue takes it for done and fail fails it, neither runs it", async () => {
    expect((await afterCrash("continue")).step?.id).toBe("after");
    expect((await afterCrash("fail")).error).toMatchObject({ code: "EFFECT_LOST" });
    expect([await times("continue"), await times("fail")]).toEqual([0, 0]);
  });

  test("shell_command: ask asks first", async () => {
    const run = await afterCrash("ask");
    expect(run.step).toMatchObject({ type: "user_input", definition: { options: [{ value: "retry" }, { value: "continue" }] } });
    await run.done("retry");
    expect(run.step?.id).toBe("after");
    expect(await times("ask")).toBe(1);
  });
});

describe("on_lost", () => {
  async function takeOver(policy: string, step = "type: mcp_call, mcp: { method: m }, state_update: { path: raw.out }"): Promise<SeedRun> {
    const run = await bench.run(`steps: [{ id: s, ${step}, on_lost: ${policy} }, { id: after, type: user_message, message: m }]`);
    const other = { ...run.caller, holder: { kind: "agent" as const, name: "second", session: `second-${policy}` } };
    return new SeedRun(run.engine, other, await next(run.engine.context, other, { run: run.id, takeOver: true }));
  }

  test("retry hands the step out again under a new action id", async () => {
    const run = await takeOver("retry");
    expect(run.step?.id).toBe("s");
    expect(run.position.standing).toMatchObject({ kind: "action", action: { taken: 1 } });
  });

  test("continue takes the step for done", async () => {
    expect((await takeOver("continue")).step?.id).toBe("after");
  });

  test.each([
    ["agent_shell_command", "command: x"],
    ["apply_hints", "file: a.ts, hints: []"],
    ["user_message", "message: m"],
  ])("%s takes it too", async (type, keys) => {
    expect((await takeOver("continue", `type: ${type}, ${keys}`)).step?.id).toBe("after");
  });

  test("fail fails the step", async () => {
    expect((await takeOver("fail")).error).toMatchObject({ code: "HOLDER_LOST" });
  });

  test("ask asks whether to do it again or to go on", async () => {
    const run = await takeOver("ask");
    expect(run.step).toMatchObject({ type: "user_input", definition: { options: [{ value: "retry" }, { value: "continue" }] } });
    await run.done("continue");
    expect(run.step?.id).toBe("after");
  });
});

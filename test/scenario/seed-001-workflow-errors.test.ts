/** Failure of a whole workflow: policies, collection, notifications, tracked fields, and taking a run up again. */
import { freeHolders } from "../support/free-holders.ts";
import { access, readFile, rm } from "node:fs/promises";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { answer, checkpoint, end, resume, retryRun } from "../../src/engine/index.ts";
import { lastCheckpoint } from "../../src/views/index.ts";
import { SeedBench, type SeedRun } from "../support/seed-bench.ts";

let bench: SeedBench;
beforeAll(async () => {
  bench = await SeedBench.open();
});
afterAll(() => bench.close());

const failing = `steps: [{ type: state_update, path: raw.before, operation: increment }, { id: bad, type: shell_command, command: "test -e FILE" }, { type: state_update, path: raw.after, operation: increment }]`;
const failingOn = (file: string): string => failing.replace("FILE", file);

async function takeUp(run: SeedRun): Promise<SeedRun> {
  run.position = await resume(run.engine.context, run.caller, { run: run.id });
  return run;
}

describe("error_handling.on_error", () => {
  test("checkpoint_and_fail is the default: the run fails and its place is marked", async () => {
    for (const policy of ["", "error_handling: { on_error: checkpoint_and_fail }\n"]) {
      const run = await bench.run(`${policy}${failingOn("never")}`);
      expect(run.status).toBe("failed");
      expect(run.position.state.mark).toMatchObject({ step: "bad", reason: expect.stringContaining("failed") as string });
      expect(await run.read("after")).toBeNull();
    }
  });

  test("continue goes on with the next step, however deep the failing one lies", async () => {
    const run = await bench.run(`
error_handling: { on_error: continue }
steps:
  - { id: c, type: conditional, condition: true, then: [{ id: bad, type: shell_command, command: "exit 1" }, { type: state_update, path: raw.beside, value: 1 }] }
  - { type: state_update, path: raw.after, value: 1 }`);
    expect(run.status).toBe("completed");
    expect(await run.state()).toEqual({ beside: 1, after: 1 });
  });

  test("retry_workflow starts a new run linked to the failed one, once", async () => {
    const run = await bench.run(
      `inputs: { n: { type: number, default: 1 } }\nerror_handling: { on_error: retry_workflow }\n${failingOn("never")}`,
      { inputs: { n: 5 } },
    );
    expect(run.status).toBe("failed");
    const second = await retryRun(run.engine.context, run.caller, run.id);
    expect(second?.state).toMatchObject({ status: "failed", retryOf: run.id });
    expect(second?.state.scopes["run"]?.inputs).toEqual({ n: 5 });
    expect(await retryRun(run.engine.context, run.caller, second?.run ?? ""), "no third run").toBeUndefined();
  });

  test("max_retries allows more linked runs", async () => {
    const run = await bench.run(`error_handling: { on_error: retry_workflow, max_retries: 2 }\n${failingOn("never")}`);
    const third = await retryRun(run.engine.context, run.caller, run.id);
    const second = await run.engine.context.runs.open(third?.state.retryOf ?? "");
    expect(second.state.retryOf).toBe(run.id);
    expect(await retryRun(run.engine.context, run.caller, third?.run ?? "")).toBeUndefined();
  });

  test("a workflow that does not ask for it is never started again", async () => {
    const run = await bench.run(failingOn("never"));
    expect(await retryRun(run.engine.context, run.caller, run.id)).toBeUndefined();
  });

  test("a failed run hands out nothing more", async () => {
    const run = await bench.run(failingOn("never"));
    expect((await run.next()).step).toBeNull();
    await expect(run.done()).rejects.toMatchObject({ code: "ENGINE_NO_ACTION" });
  });
});

describe("error_collection", () => {
  const twoErrors = `steps: [{ id: a, type: shell_command, command: "exit 1", on_error: continue }, { id: b, type: mcp_call, mcp: { method: m }, on_error: continue }]`;

  test("enabled: every failure is appended to state_path, handled ones too", async () => {
    const run = await bench.run(`error_handling: { error_collection: { enabled: true, state_path: raw.problems } }\n${twoErrors}`);
    await run.fail("no tool");
    expect(await run.read("problems")).toEqual([
      { type: "COMMAND_FAILED", message: expect.stringContaining("exit code 1") as string, step_id: "a" },
      { type: "STEP_FAILED", message: "no tool", step_id: "b" },
    ]);
  });

  test("without state_path they go to raw.workflow_errors", async () => {
    const run = await bench.run(`error_handling: { error_collection: {} }\n${twoErrors}`);
    expect(await run.read("workflow_errors")).toHaveLength(1);
  });

  test("enabled: false collects nothing, also when the field is declared", async () => {
    const run = await bench.run(
      `default_state: { raw: { workflow_errors: [] } }\nerror_handling: { error_collection: { enabled: false } }\n${twoErrors}`,
    );
    expect(await run.read("workflow_errors")).toEqual([]);
  });

  test("include_stack_traces keeps where in the workflow it happened", async () => {
    const yaml = (flag: boolean): string => `
error_handling: { error_collection: { enabled: true, state_path: raw.problems, include_stack_traces: ${flag} } }
steps: [{ id: outer, type: foreach, items: [1], on_error: continue, steps: [{ id: inner, type: shell_command, command: "exit 1" }] }]`;
    const [traced] = (await (await bench.run(yaml(true))).read("problems")) as { stack?: string }[];
    expect(traced?.stack).toMatch(/^at outer\.inner \(.*:\d+:\d+\)\nat outer \(.*:\d+:\d+\)$/);
    const [plain] = (await (await bench.run(yaml(false))).read("problems")) as { stack?: string }[];
    expect(plain).not.toHaveProperty("stack");
  });
});

describe("on_failure", () => {
  test("its steps run with the error in scope before the run fails", async () => {
    const run = await bench.run(`
error_handling:
  on_failure:
    - { id: tell, type: user_message, message: "Stopped: {{ error.message }}" }
    - { type: state_update, path: raw.outcome, value: failed }
${failingOn("never")}`);
    expect(run.status).toBe("running");
    expect(run.message).toContain("Stopped: The command of `bad`");
    await run.done();
    expect(run.status).toBe("failed");
    expect(await run.read("outcome")).toBe("failed");
    expect(run.error).toMatchObject({ code: "COMMAND_FAILED" });
  });

  test("a failure inside on_failure does not hide the first one", async () => {
    const run = await bench.run(`error_handling: { on_failure: [{ type: shell_command, command: "exit 9" }] }\n${failingOn("never")}`);
    expect(run.status).toBe("failed");
    expect(run.error?.message).toContain("`bad` ended with exit code 1");
  });

  test("an included workflow runs its own on_failure steps", async () => {
    const child = await bench.define(
      `default_state: { raw: { who: child } }\nerror_handling: { on_failure: [{ id: tell, type: user_message, message: "{{ who }}: {{ error.message }}" }] }\nsteps: [{ id: bad, type: shell_command, command: "exit 1" }]`,
    );
    const run = await bench.run(
      `default_state: { raw: { who: parent } }\nsteps: [{ id: c, type: include_workflow, workflow: "${child}", on_error: continue }, { id: after, type: user_message, message: m }]`,
    );
    expect(run.message).toContain("child: ");
    await run.done();
    expect(run.step?.id).toBe("after");
  });
});

describe("tracked fields", () => {
  const tracked = `
default_state: { raw: { steps_completed: [], steps_failed: [], retry_counts: {}, last_error: null, workflow_errors: [] } }
state_schema:
  raw: { steps_completed: array, steps_failed: array, retry_counts: object, last_error: object, workflow_errors: array }
  computed:
    can_retry: { from: [raw.steps_failed, raw.retry_counts], transform: "input[0].some(step =>\\n  (input[1][step] || 0) < 3\\n)" }
    error_summary:
      from: [raw.steps_failed, raw.workflow_errors]
      transform: |
        {
          failed_count: input[0].length,
          error_types: [...new Set(input[1].map(e => e.type))],
          first_error: input[1][0]
        }
`;

  test("steps_completed, steps_failed, retry_counts, last_error and workflow_errors follow by themselves", async () => {
    const run = await bench.run(`${tracked}
steps:
  - { id: init, type: state_update, path: raw.x, value: 1 }
  - { id: flaky, type: mcp_call, mcp: { method: m }, on_error: retry, retry_count: 2, retry_delay: 1 }
  - { id: bad, type: shell_command, command: "exit 4", on_error: continue }
  - { id: end, type: user_message, message: m }`);
    await run.fail("first");
    expect(await run.state()).toMatchObject({
      steps_failed: ["flaky"],
      retry_counts: { flaky: 1 },
      last_error: { message: "first", step_id: "flaky" },
      can_retry: true,
    });
    await run.done("ok");
    expect(await run.state()).toMatchObject({
      steps_completed: ["init", "flaky"],
      steps_failed: ["bad"],
      retry_counts: { flaky: 1 },
      last_error: { type: "COMMAND_FAILED", step_id: "bad" },
      workflow_errors: [{ step_id: "flaky" }, { step_id: "bad" }],
      can_retry: true,
      error_summary: { failed_count: 1, error_types: ["STEP_FAILED", "COMMAND_FAILED"], first_error: { message: "first" } },
    });
  });

  test("at the start they read as the workflow declares them", async () => {
    const run = await bench.run(`${tracked}\nsteps: [{ id: hold, type: user_message, message: m }]`);
    expect(await run.state()).toEqual({
      steps_completed: [],
      steps_failed: [],
      retry_counts: {},
      last_error: null,
      workflow_errors: [],
      can_retry: false,
      error_summary: { failed_count: 0, error_types: [] },
    });
  });

  test("a failure inside an included workflow is a failure of the including step", async () => {
    const child = await bench.define(`steps: [{ id: bad, type: shell_command, command: "exit 1" }]`);
    const run = await bench.run(`${tracked}\nsteps: [{ id: c, type: include_workflow, workflow: "${child}", on_error: continue }]`);
    expect(await run.state()).toMatchObject({
      steps_failed: ["c"],
      last_error: { step_id: "c", type: "COMMAND_FAILED" },
      workflow_errors: [{ step_id: "c" }],
    });
  });

  test("a workflow that does not declare them has none", async () => {
    const run = await bench.run(failingOn("never"));
    expect(await run.state()).toEqual({ before: 1 });
  });
});

describe("on_resume", () => {
  const mend = (file: string): Promise<void> => bench.engine.write(file, "");

  test("retry_failed_steps opens the failed step again, and completed ones are not repeated", async () => {
    const run = await bench.run(failingOn("mend-1"));
    await mend("mend-1");
    await takeUp(run);
    expect(run.status).toBe("completed");
    expect(await run.state()).toEqual({ before: 1, after: 1 });
  });

  test("retry_failed_steps: false leaves a failed run as it is", async () => {
    const run = await bench.run(`on_resume: { retry_failed_steps: false }\n${failingOn("mend-2")}`);
    await mend("mend-2");
    expect((await takeUp(run)).status).toBe("failed");
  });

  test("skip_completed_steps: false begins again at the first step, with the state as it is", async () => {
    const run = await bench.run(`on_resume: { skip_completed_steps: false }\n${failingOn("mend-3")}`);
    await mend("mend-3");
    await takeUp(run);
    expect(run.status).toBe("completed");
    expect(await run.state()).toEqual({ before: 2, after: 1 });
  });

  test.each([
    [false, 1],
    [true, 3],
  ])("reset_error_counts: %s decides whether spent retries count", async (reset, expected) => {
    const file = `reset-${reset}`;
    const run = await bench.run(
      `on_resume: { reset_error_counts: ${reset} }\nsteps: [{ id: c, type: shell_command, command: "echo x >> ${file}; exit 1", on_error: retry, retry_count: 2, retry_delay: 1 }]`,
    );
    expect(run.status).toBe("failed");
    await rm(join(bench.engine.folder, file));
    await takeUp(run);
    expect(run.status).toBe("failed");
    expect((await readFile(join(bench.engine.folder, file), "utf8")).trim().split("\n")).toHaveLength(expected);
  });

  test("a failed task is tried again when the run is taken up", async () => {
    const run = await bench.run(
      `steps: [{ id: all, type: parallel_foreach, items: [a, b], sub_agent_task: t, on_sub_agent_error: { strategy: retry_failed, max_retries: 0 } }]\nsub_agent_tasks: { t: { steps: [{ id: x, type: mcp_call, mcp: { method: m } }] } }`,
    );
    await (await run.open("all.0")).fail("gone");
    await (await run.open("all.1")).done(1);
    expect((await run.next()).status).toBe("failed");
    await takeUp(run);
    expect(run.at).toBe("parallel_tasks all");
    await (await run.open("all.0")).done(2);
    expect((await run.next()).status).toBe("completed");
  });

  test("an open run whose driver is gone continues with the same step, and the old driver is refused", async () => {
    const run = await bench.run(`steps: [{ id: hold, type: user_message, message: m }]`);
    const other = await run.engine.again();
    await freeHolders(run.engine.context);
    const position = await resume(other.context, other.caller, { run: run.id });
    expect(position.standing).toMatchObject({ kind: "action", action: { step: "hold", taken: 1 } });
    await expect(run.done()).rejects.toMatchObject({ code: "HOLDER_LOST" });
    await other.close();
  });
});

describe("checkpoints", () => {
  test("a checkpoint names a file that exists and holds the state, and is the last one afterwards", async () => {
    const run = await bench.run(
      `default_state: { raw: { n: 3 } }\nstate_schema: { computed: { twice: { from: raw.n, transform: "input * 2" } } }\nsteps: [{ id: hold, type: user_message, message: m }]`,
    );
    const { mark, statePath, handle } = await checkpoint(run.engine.context, run.caller, { run: run.id, reason: "context nearly full" });
    await access(statePath);
    expect(JSON.parse(await readFile(statePath, "utf8"))).toMatchObject({
      run_id: run.id,
      step: "hold",
      reason: "context nearly full",
      state: { n: 3, twice: 6 },
    });
    expect(mark.id).not.toBe("");
    expect(lastCheckpoint(handle.program, handle.state)).toMatchObject({
      step_id: "hold",
      reason: "context nearly full",
      timestamp: expect.stringMatching(/^\d{4}-/) as string,
    });
  });

  test("a step of one's own may be named", async () => {
    const run = await bench.run(`steps: [{ id: hold, type: user_message, message: m }]`);
    expect((await checkpoint(run.engine.context, run.caller, { run: run.id, step: "elsewhere", reason: "r" })).mark).toMatchObject({
      step: "elsewhere",
      reason: "r",
    });
  });

  test("without a checkpoint the open step is the last one, since every step is kept", async () => {
    const run = await bench.run(`steps: [{ id: hold, type: user_message, message: m }]`);
    expect(lastCheckpoint(run.position.program, run.position.state)).toMatchObject({ step_id: "hold" });
  });
});

describe("budget", () => {
  const three =
    "steps: [{ id: a, type: user_message, message: m }, { id: b, type: user_message, message: m }, { id: c, type: user_message, message: m }]";

  test("steps: the run stops at the limit and asks a person", async () => {
    const run = await bench.run(`budget: { steps: 2 }\n${three}`);
    await run.done();
    await run.done();
    expect(run.position.standing).toMatchObject({ kind: "question", decision: { kind: "budget", answerBy: "person" } });
    await expect(run.done("double")).rejects.toMatchObject({ code: "DECISION_FOR_PERSON" });
    const decision = run.position.standing.kind === "question" ? run.position.standing.decision.id : "";
    const person = { ...run.caller, surface: "cli-terminal", holder: { kind: "person" as const, name: "ada", session: "t" } };
    await answer(run.engine.context, person, { run: run.id, decision, answer: "double", relayed: false });
    expect((await run.next()).step?.id).toBe("c");
  });

  test.each(["tokens", "money"] as const)("%s: what the driver reports as spent counts", async (what) => {
    const run = await bench.run(`budget: { ${what}: 10 }\n${three}`);
    await run.done(undefined, { usage: { [what]: 4 } });
    expect(run.step?.id).toBe("b");
    await run.done(undefined, { usage: { [what]: 6 } });
    expect(run.position.standing).toMatchObject({ kind: "question", decision: { kind: "budget" } });
  });

  test("minutes: time counts from the start", async () => {
    const run = await bench.run(
      "budget: { minutes: 0.0005 }\nsteps: [{ id: pause, type: wait, duration_ms: 60 }, { id: late, type: user_message, message: m }]",
    );
    expect(run.position.standing).toMatchObject({ kind: "question", decision: { kind: "budget" } });
  });
});

describe("ending by request", () => {
  const open = `default_state: { raw: { n: 1 } }\nsteps: [{ id: hold, type: user_message, message: m }]`;

  test("a run with open steps cannot be completed", async () => {
    const run = await bench.run(open);
    await expect(end(run.engine.context, run.caller, { run: run.id, status: "completed" })).rejects.toMatchObject({
      code: "RUN_NOT_DONE",
      details: { open_steps: ["hold"] },
    });
  });

  test.each(["failed", "cancelled"] as const)("it can be ended as %s, and the final state is given", async (status) => {
    const run = await bench.run(open);
    expect(await end(run.engine.context, run.caller, { run: run.id, status })).toEqual({ status, final: { n: 1 } });
    expect((await run.next()).step).toBeNull();
  });

  test("completing a completed run gives its final state", async () => {
    const run = await bench.run(open);
    await run.done();
    expect(await end(run.engine.context, run.caller, { run: run.id, status: "completed" })).toEqual({
      status: "completed",
      final: { n: 1 },
    });
  });
});

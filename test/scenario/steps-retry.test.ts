/** What a retry comes to, and what a refusal says when the run went on all the same. */
import { freeHolders } from "../support/free-holders.ts";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { isWaymarkError, type WaymarkError } from "../../src/base/index.ts";
import { progress, resume, retry } from "../../src/engine/index.ts";
import { SeedBench, type SeedRun } from "../support/seed-bench.ts";

let bench: SeedBench;
beforeAll(async () => {
  bench = await SeedBench.open();
});
afterAll(() => bench.close());

async function refusal(of: Promise<unknown>): Promise<WaymarkError> {
  try {
    await of;
  } catch (error) {
    if (isWaymarkError(error)) return error;
    throw error;
  }
  throw new Error("It was not refused.");
}

async function settled(run: SeedRun): Promise<SeedRun> {
  for (let round = 0; round < 200 && run.status === "running" && run.position.standing.kind === "working"; round += 1)
    await run.next({ waitMs: 50 });
  return run;
}

describe.each([
  ["retry", retry],
  ["resume", resume],
] as const)("%s after an exit as failed", (_name, takeUp) => {
  const guarded = (behind: string): string => `
default_state: { raw: { ok: false } }
steps:
  - { id: guard, type: conditional, condition: "{{ !ok }}", then: [{ id: stop, type: exit, status: failed, message: "Not ok." }] }
${behind}`;

  test.each([
    ["a command behind it", `  - { id: deploy, type: agent_shell_command, command: "true" }`],
    ["nothing behind it", ""],
  ])("fails again while nothing has changed, with %s", async (_behind, behind) => {
    const run = await bench.run(guarded(behind));
    expect(run.status).toBe("failed");
    run.position = await takeUp(bench.engine.context, run.caller, { run: run.id });
    expect(run.status).toBe("failed");
    expect(run.error).toMatchObject({ code: "STEP_EXIT", message: "Not ok." });
    expect(run.step).toBeNull();
  });

  test("goes on behind it when its condition does not hold any more", async () => {
    const run = await bench.run(`
default_state: { raw: { ok: false } }
error_handling: { on_failure: [{ id: mend, type: state_update, path: raw.ok, value: true }] }
steps:
  - { id: hold, type: user_message, message: m }
  - { id: guard, type: conditional, condition: "{{ !ok }}", then: [{ id: told, type: user_message, message: bad }, { type: exit, status: failed }] }
  - { id: deploy, type: agent_shell_command, command: "true" }`);
    await run.done();
    await run.done();
    expect(run.status).toBe("failed");
    run.position = await takeUp(bench.engine.context, run.caller, { run: run.id });
    expect(run.at).toBe("agent_shell_command deploy");
    await run.done("");
    expect(run.status).toBe("completed");
  });
});

test("the time limit of a step with steps inside counts again after a retry", async () => {
  const run = await bench.run(`steps: [{ id: s, type: sequential, timeout: 60, steps: [{ type: wait, seconds: 60 }] }]`);
  await settled(run);
  expect(run.error).toMatchObject({ code: "TIMEOUT" });
  run.position = await retry(bench.engine.context, run.caller, { run: run.id, waitMs: 0 });
  expect(run.status).toBe("running");
  await settled(run);
  expect(run.status).toBe("failed");
  expect(run.error).toMatchObject({ code: "TIMEOUT" });
});

test("a report on a task that nobody has taken counts, and takes it", async () => {
  const run = await bench.run(
    `steps: [{ id: all, type: parallel_foreach, items: [a], sub_agent_task: t }]\nsub_agent_tasks: { t: { steps: [{ id: x, type: mcp_call, mcp: { method: m } }] } }`,
  );
  await run.done(1, { task: "all.0" });
  expect((await run.next()).status).toBe("completed");
});

describe("the last wrong answer", () => {
  const colours = (onError: string): string => `
steps:
  - { id: colour, type: user_input, prompt: "Which colour?", options: [blue], attempts: 1, on_error: ${onError} }
  - { id: wipe, type: user_input, prompt: "Delete everything?", state_update: { path: raw.wipe } }`;

  test("says that the question is closed and where the run is, and is not taken for the next one", async () => {
    const run = await bench.run(colours("continue"));
    const error = await refusal(run.done("red"));
    expect(error.code).toBe("ANSWER_REFUSED");
    expect(error.message).toContain("the question of `colour` is closed, and the run continued with `wipe`");
    expect(error.fix).not.toContain("Ask again");
    expect(error.fix).toContain(`waymark next ${run.id}`);
    const unnamed = await refusal(run.done("red"));
    expect(unnamed.code).toBe("ENGINE_WRONG_STEP");
    await run.next();
    expect(run.at).toBe("user_input wipe");
    expect(await run.read("wipe")).toBeNull();
    const { standing } = run.position;
    const action = standing.kind === "question" ? standing.decision.id : "";
    expect(unnamed.fix).toContain(action);
    await run.done("no", { action });
    expect(await run.read("wipe")).toBe("no");
    expect(run.status).toBe("completed");
  });

  test("says that the run has failed and how to be asked again", async () => {
    const run = await bench.run(colours("fail"));
    const error = await refusal(run.done("red"));
    expect(error.message).toContain("is closed, and the run has failed");
    expect(error.fix).toContain(`waymark retry ${run.id}`);
    run.position = await retry(bench.engine.context, run.caller, { run: run.id });
    expect(run.at).toBe("user_input colour");
    await run.done("blue");
    expect(run.at).toBe("user_input wipe");
  });

  test("whoever takes the run over afterwards is shown the open question and need not name it", async () => {
    const run = await bench.run(colours("continue"));
    await refusal(run.done("red"));
    const other = await bench.engine.again();
    await freeHolders(other.context);
    run.position = await resume(other.context, other.caller, { run: run.id });
    expect(run.at).toBe("user_input wipe");
    const { position } = await progress(other.context, other.caller, { run: run.id, result: "no" });
    expect(position.state.status).toBe("completed");
    await other.close();
  });

  test("an answer that leaves a try still says to ask again", async () => {
    const run = await bench.run(`steps: [{ id: colour, type: user_input, prompt: "Which colour?", options: [blue], attempts: 2 }]`);
    const error = await refusal(run.done("red"));
    expect(error.fix).toBe("Ask again: Which colour?");
    expect(error.message).toContain("1 try is left");
    await run.done("blue");
    expect(run.status).toBe("completed");
  });
});

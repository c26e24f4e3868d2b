/** Seed 002: one id for a run, by which every surface knows it, and what a run of a chain shows. */
import { afterEach, describe, expect, test } from "vitest";
import { report, retryRun, start, status } from "../../src/engine/index.ts";
import { openCliBench, type CliBench } from "../process/cli-world.ts";
import { openClient, serverParts } from "../process/mcp-client.ts";
import { seedChain } from "../support/prompt-files.ts";
import { openTestEngine } from "../support/test-engine.ts";

let close: (() => Promise<void>) | undefined;
afterEach(async () => {
  await close?.();
  close = undefined;
});

async function openCli(): Promise<CliBench> {
  const bench = await openCliBench(seedChain);
  close = () => bench.close();
  return bench;
}

const input = ["--input", "user_message=dark mode"];

describe("the command line", () => {
  test("shows the uuid as workflow_id, and takes it wherever it takes a run", async () => {
    const cli = await openCli();
    const json = <T>(argv: readonly string[]): Promise<T> => cli.json<T>(argv);
    const run: CliBench["run"] = (argv, call) => cli.run(argv, call);
    const { run_id: id } = await json<{ readonly run_id: string }>(["start", "feature-development", ...input]);
    const { runs } = await json<{ readonly runs: readonly { readonly run_id: string; readonly workflow_id: string }[] }>(["runs"]);
    const uuid = runs[0]?.workflow_id ?? "";
    expect(uuid).toMatch(/^[0-9a-f-]{36}$/);
    expect(await json(["status", uuid])).toMatchObject({ run_id: id, workflow_id: uuid, log: `.archon/logs/${uuid}.jsonl` });
    expect((await run(["next", uuid])).stdout).toContain("Plan dark mode.");
    expect((await run(["tell", uuid, "Mind the tests."])).code).toBe(0);
    expect((await run(["done", uuid, "--result", "planned"])).stdout).toContain(`Implement it for ${uuid}.`);
    expect((await run(["journal", uuid])).code).toBe(0);
    expect((await run(["checkpoint", uuid])).code).toBe(0);
    expect((await run(["fail", uuid, "--error", "no"])).code).toBe(1);
    expect((await run(["retry", uuid])).stdout).toContain("Implement it for");
    expect((await run(["doctor", uuid])).code).toBe(0);
    expect((await run(["export", uuid])).stdout).toContain(id);
    expect((await run(["abort", uuid, "--reason", "enough"])).code).toBe(0);
    expect((await run(["--log-file", "removed.log", "rm", uuid, "--yes"], { terminal: true })).code).toBe(0);
    expect(await cli.read("removed.log").catch(() => "")).not.toContain("WARN");
    expect((await run(["status", uuid])).stderr).toContain("ENGINE_NO_RUN");
  });

  test("no step of a chain can be passed over", async () => {
    const cli = await openCli();
    const { run_id: run } = await cli.json<{ readonly run_id: string }>(["start", "feature-development", ...input]);
    expect(await cli.run(["skip", run, "--reason", "It is planned."])).toMatchObject({
      code: 2,
      stderr: expect.stringContaining("This step cannot be skipped. Nothing was changed.") as string,
    });
    expect((await cli.run(["next", run])).stdout).toContain("Plan dark mode.");
  });

  test("explains a chain, and says what it would run", async () => {
    const cli = await openCli();
    expect((await cli.run(["explain", "feature-development"])).stdout).toContain(
      "1. plan: fresh context\n2. implement: fresh context\n3. create-pr: continues the context",
    );
    expect((await cli.run(["info", "feature-development"])).stdout).toContain("agent: Plan $USER_MESSAGE.");
    expect(JSON.parse((await cli.run(["schema", "--dialect", "prompts"])).stdout)).toMatchObject({ type: "object" });
  });
});

test("over MCP a chain is started, walked and looked at, by its run id and by its uuid", async () => {
  const engine = await openTestEngine(seedChain);
  const client = await openClient({ context: engine.context, ...serverParts });
  close = async () => {
    await client.close();
    await engine.close();
  };
  const { call } = client;
  const listed = await call("workflow_list", {});
  expect(listed.text).toContain("feature-development");
  const started = await call("workflow_start", { workflow: "feature-development", inputs: { user_message: "dark mode" } });
  expect(started.data).toMatchObject({ step: { type: "agent_task", definition: { prompt: "Plan dark mode." } } });
  const { run_id: id } = started.data;
  const status = await call("workflow_status", { run_id: id });
  const { workflow_id: uuid } = status.data as { readonly workflow_id: string };
  expect(status.data).toMatchObject({ run_id: id, artifacts: { folder: `.archon/artifacts/${uuid}`, files: [] } });
  await engine.write(`.archon/artifacts/${uuid}/plan.md`, "# Plan\n");
  const again = await call("workflow_status", { workflow_id: uuid });
  expect(again.data).toMatchObject({ run_id: id, artifacts: { files: [{ path: "plan.md", bytes: 7 }] } });
  expect(again.text).toContain("plan.md (7 bytes)");
  const next = await call("workflow_next", { run_id: uuid });
  const done = await call("workflow_progress", { run_id: uuid, action_id: next.data["action_id"], result: "planned" });
  expect(done.data).toMatchObject({ step: { definition: { prompt: `Implement it for ${uuid}.` } } });
  const skipped = await call("workflow_progress", { run_id: uuid, action_id: done.data["action_id"], status: "skipped" });
  expect(skipped.text).toContain("this step cannot be skipped");
  expect((await call("workflow_next", { run_id: uuid })).data).toMatchObject({ action_id: done.data["action_id"] });
});

test("the status of a run that calls a chain lists the chain's artifacts", async () => {
  const outer = `name: outer
description: Calls a chain.
version: "1.0.0"
steps: [{ id: call, type: include_workflow, workflow: feature-development, inputs: { user_message: x } }]
`;
  const engine = await openTestEngine({ ...seedChain, ".waymark/workflows/outer.yaml": outer });
  const client = await openClient({ context: engine.context, ...serverParts });
  close = async () => {
    await client.close();
    await engine.close();
  };
  const { run_id: id } = (await client.call("workflow_start", { workflow: "outer" })).data;
  const { uuid = "" } = (await engine.context.runs.open(String(id))).state.options;
  await engine.write(`.archon/artifacts/${uuid}/plan.md`, "# Plan\n");
  const { data, text } = await client.call("workflow_status", { run_id: id });
  expect(data).toMatchObject({ workflow: "outer", artifacts: { files: [{ path: "plan.md", bytes: 7 }] } });
  expect(text).toContain(`Artifacts in .archon/artifacts/${uuid}: plan.md (7 bytes).`);
});

test("a run that is started again has a uuid of its own", async () => {
  const steps = `name: again
description: x
version: "1.0.0"
error_handling: { on_error: retry_workflow }
steps: [{ id: hi, type: user_message, message: Hi. }]
`;
  const engine = await openTestEngine({ ".waymark/workflows/again.yaml": steps });
  close = () => engine.close();
  const first = await start(engine.context, engine.caller, { workflow: "again" });
  await report(engine.context, engine.caller, { run: first.run, status: "failed", error: "no" });
  const again = await retryRun(engine.context, engine.caller, first.run);
  const uuids = [first.state.options.uuid, again?.state.options.uuid];
  expect(new Set(uuids).size).toBe(2);
  expect((await status(engine.context, uuids[1] ?? "")).handle.id).toBe(again?.run);
});

test("runs of other dialects keep the meaning of workflow_id in their replies", async () => {
  const steps = 'name: hello\ndescription: x\nversion: "1.0.0"\nsteps:\n  - { id: hi, type: user_message, message: "{{ workflow_id }}" }\n';
  const engine = await openTestEngine({ ".waymark/workflows/hello.yaml": steps });
  const client = await openClient({ context: engine.context, ...serverParts });
  close = async () => {
    await client.close();
    await engine.close();
  };
  const { data } = await client.call("workflow_start", { workflow: "hello" });
  expect(data).toMatchObject({ workflow_id: data["run_id"], step: { definition: { message: data["run_id"] } } });
  expect((await client.call("workflow_status", { run_id: data["run_id"] })).data).toMatchObject({ workflow_id: data["run_id"] });
});

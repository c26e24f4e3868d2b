/** Seed 002, graphs: what `waymark items` and `waymark status` say of the nodes. */
import { afterEach, expect, test } from "vitest";
import { openCliBench, type CliBench } from "../process/cli-world.ts";
import { openClient, serverParts } from "../process/mcp-client.ts";
import { openTestEngine } from "../support/test-engine.ts";
import { GraphRun } from "../support/graph-run.ts";

let close: (() => Promise<void>) | undefined;
afterEach(async () => {
  await close?.();
  close = undefined;
});

const nodes = `  - { id: plan, prompt: Plan. }
  - { id: never, prompt: N, depends_on: [plan], when: "$plan.output == 'never'" }
  - id: rework
    depends_on: [plan]
    loop_group:
      until: GOOD
      max_iterations: 2
      nodes:
        - { id: improve, prompt: I }
        - { id: check, prompt: C, depends_on: [improve] }
  - id: idle
    depends_on: [never]
    loop_group: { until: X, max_iterations: 2, nodes: [{ id: inner, prompt: I }] }
  - { id: last, command: last, depends_on: [rework] }`;

const files = {
  ".archon/workflows/graph.yaml": `name: graph\ndescription: A case.\nnodes:\n${nodes}\n`,
  ".archon/steps/last.md": "Finish.\n",
};

async function begin(): Promise<{ readonly cli: CliBench; readonly run: string }> {
  const cli = await openCliBench(files);
  close = () => cli.close();
  const { run_id: run } = await cli.json<{ readonly run_id: string }>(["start", "graph"]);
  await cli.run(["done", run, "--task", "plan", "--result", "the plan"]);
  return { cli, run };
}

test("`waymark items` lists the nodes of a graph in the order of its file, those of groups too, with why one was skipped", async () => {
  const { cli, run } = await begin();
  const { stdout, code } = await cli.run(["--jsonl", "items", run]);
  expect(code).toBe(0);
  const off = "its condition `$plan.output == 'never'` does not hold";
  const inner = { group: "rework", kind: "prompt" };
  expect(
    stdout
      .trim()
      .split("\n")
      .map((line) => JSON.parse(line) as object),
  ).toEqual([
    { id: "plan", kind: "prompt", status: "completed" },
    { id: "never", kind: "prompt", status: "skipped", reason: off, depends_on: ["plan"], trigger_rule: "all_success" },
    { id: "rework", kind: "loop_group", status: "in_progress", depends_on: ["plan"], trigger_rule: "all_success" },
    { id: "rework/improve", ...inner, status: "pending" },
    { id: "rework/check", ...inner, status: "pending", depends_on: ["improve"], trigger_rule: "all_success" },
    {
      id: "idle",
      kind: "loop_group",
      status: "skipped",
      reason: "`never` was skipped",
      depends_on: ["never"],
      trigger_rule: "all_success",
    },
    { id: "idle/inner", group: "idle", kind: "prompt", status: "skipped", reason: "`idle` was skipped" },
    { id: "last", kind: "command", status: "pending", depends_on: ["rework"], trigger_rule: "all_success" },
  ]);
});

test("`waymark items` is a table for people, of one status where that is asked for", async () => {
  const { cli, run } = await begin();
  const { stdout } = await cli.run(["items", run]);
  expect(stdout).toMatch(/ITEM +STATUS +WHY/);
  expect(stdout).toMatch(/never +skipped +its condition `\$plan\.output == 'never'` does not hold/);
  const skipped = await cli.run(["items", run, "--status", "skipped"]);
  expect(skipped.stdout).toContain("idle/inner");
  expect(skipped.stdout).not.toContain("rework");
  expect(await cli.run(["items", run, "--file", "x"])).toMatchObject({
    code: 2,
    stderr: expect.stringContaining("`--file` does not fit the items of this run.") as string,
  });
});

test("a group shows what its last round left, and nothing of an earlier try while it waits to be done again", async () => {
  const engine = await openTestEngine();
  close = () => engine.close();
  const run = await GraphRun.start(engine, "graph", nodes.replace("command: last", "prompt: L"));
  await run.done("plan");
  await run.done("improve");
  await run.done("check", "no");
  await run.settle();
  expect(await run.statuses()).toMatchObject({ "rework/improve": "in_progress", "rework/check": "pending" });
  await run.done("improve");
  await run.fail("check");
  await run.settle();
  expect(await run.statuses()).toMatchObject({ rework: "failed", "rework/improve": "completed", "rework/check": "failed" });
});

test("`waymark status` says how many nodes are done, and why some were skipped", async () => {
  const { cli, run } = await begin();
  const { stdout } = await cli.run(["status", run]);
  expect(stdout).toContain("1 of 5 nodes done, 1 waiting, 1 under way, 2 skipped.");
  expect(stdout).toContain("  never skipped: its condition `$plan.output == 'never'` does not hold");
  expect(await cli.json(["status", run])).toMatchObject({
    nodes: { total: 5, completed: 1, pending: 1, in_progress: 1, skipped: 2, failed: 0, passed: [{ id: "never" }, { id: "idle" }] },
  });
});

test("workflow_status says the same to agents", async () => {
  const engine = await openTestEngine();
  const run = await GraphRun.start(engine, "graph", nodes.replace("command: last", "prompt: L"));
  await run.done("plan");
  const client = await openClient({ context: engine.context, ...serverParts });
  close = async () => {
    await client.close();
    await engine.close();
  };
  const reply = await client.call("workflow_status", { run_id: run.id });
  expect(reply.text).toContain("1 of 5 nodes done, 1 waiting, 1 under way, 2 skipped.");
});

test("a run of another dialect lists the rows of what it works through, and nothing where there is nothing", async () => {
  const tasks = `name: many\ndescription: x\nversion: "1.0.0"\nsteps:
  - id: each
    type: parallel_foreach
    items: ["one", "two"]
    sub_agent_task: task
sub_agent_tasks: { task: { steps: [{ id: do, type: user_message, message: Do it. }] } }\n`;
  const hello = 'name: hello\ndescription: x\nversion: "1.0.0"\nsteps: [{ id: hi, type: user_message, message: Hi. }]\n';
  const cli = await openCliBench({ ".waymark/workflows/many.yaml": tasks, ".waymark/workflows/hello.yaml": hello });
  close = () => cli.close();
  const { run_id: many } = await cli.json<{ readonly run_id: string }>(["start", "many"]);
  expect((await cli.run(["items", many])).stdout).toMatch(/each\.0 +in_progress/);
  const { run_id: none } = await cli.json<{ readonly run_id: string }>(["start", "hello"]);
  expect(await cli.run(["items", none])).toMatchObject({ code: 0, stdout: "" });
});

test("a node that is ready waits until somebody begins it", async () => {
  const all = "nodes:\n  - { id: a, prompt: A }\n  - { id: b, prompt: B }\n  - { id: c, prompt: C }\n";
  const cli = await openCliBench({ ".archon/workflows/three.yaml": `name: three\ndescription: A case.\n${all}` });
  close = () => cli.close();
  const { run_id: run } = await cli.json<{ readonly run_id: string }>(["start", "three"]);
  await cli.run(["next", run, "--task", "a"]);
  const { stdout } = await cli.run(["--jsonl", "items", run]);
  const statuses = stdout.trim().split("\n");
  expect(statuses.map((line) => (JSON.parse(line) as { readonly status: string }).status)).toEqual(["in_progress", "pending", "pending"]);
  expect((await cli.run(["status", run])).stdout).toContain("0 of 3 nodes done, 2 waiting, 1 under way.");
});

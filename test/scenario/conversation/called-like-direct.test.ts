/** A checklist that a workflow of steps calls says the same as in a run of its own: what became of a report, what to do, and how far it is. */
import { afterEach, describe, expect, test } from "vitest";
import { openCliBench, type CliBench } from "../../process/cli-world.ts";
import { openClient, serverParts } from "../../process/mcp-client.ts";
import { openTestEngine } from "../../support/test-engine.ts";

const opened: { close(): Promise<void> }[] = [];
afterEach(async () => {
  for (const each of opened.splice(0).toReversed()) await each.close();
});

const waits = `type: waits
name: Waits
description: No fixed waits.
file_patterns: ["*.ts"]
phases:
  - { id: inventory, name: Files }
  - { id: scan, name: Scan }
  - { id: review, name: Review, mode: guided, available_actions: [convert_instance, skip_instance] }
  - { id: summary, name: Report }
per_file_checklist:
  - { id: clean, type: validation, description: No fixed wait is left. }
pattern_discovery:
  patterns:
    - id: fixed-wait
      regex: "\\\\bsleep\\\\("
      in: code
      instance_classifier: { rules: [{ name: wait, pattern: "^sleep", suggested_action: Wait. }] }
topic_discovery: { enabled: false }
`;

const names = `type: names
name: Names
description: Names are good.
file_patterns: ["*.ts"]
phases:
  - { id: inventory, name: Files }
  - { id: review, name: Review, mode: guided }
  - { id: summary, name: Report }
per_file_checklist:
  - { id: names, type: analysis, description: Names are good. }
  - { id: clean, type: validation, description: Look at it. }
topic_discovery: { enabled: false }
`;

const steps = (calls: string): string =>
  `name: outer\ndescription: Calls it.\nversion: "1.0.0"\nsteps:\n  - { id: call, type: include_workflow, workflow: ${calls} }\n`;

const withWaits = {
  ".waymark/workflows/waits.workflow.yaml": waits,
  ".waymark/workflows/outer.yaml": steps("waits"),
  "a.ts": "sleep(5)\n",
};

const withNames = {
  ".waymark/workflows/names.workflow.yaml": names,
  ".waymark/workflows/outer.yaml": steps("names"),
  "a.ts": "a\n",
  "b.ts": "b\n",
};

async function atCli(files: Record<string, string>, workflow: string): Promise<{ readonly bench: CliBench; readonly run: string }> {
  const bench = await openCliBench(files);
  opened.push(bench);
  return { bench, run: String((await bench.json(["start", workflow]))["run_id"]) };
}

/** Comes to what is found in the file. */
async function toInstance({ bench, run }: Awaited<ReturnType<typeof atCli>>): Promise<void> {
  const { stdout } = await bench.run(["next", run]);
  if (!stdout.includes("sleep(5)")) await bench.json(["done", run, "--result", "review_by_file"]);
  expect((await bench.run(["next", run])).stdout).toContain("sleep(5)");
}

describe.each(["waits", "outer"])("a false report in a run of %s", (workflow) => {
  test("is told on the command line that the instance is still there, and then that it is set aside", async () => {
    const at = await atCli(withWaits, workflow);
    await toInstance(at);
    const firstLine = async (): Promise<string> => (await at.bench.run(["done", at.run])).stdout.split("\n")[0] ?? "";
    for (let times = 0; times < 2; times += 1)
      expect(await firstLine()).toMatch(/^Recorded your report on `i\w+@a\d+`, but the instance is still there, so it stays open\.$/);
    expect(await firstLine()).toMatch(/^Recorded your report on `i\w+@a\d+`, but it is set aside as failed: It is still there/);
  });

  test("is told over MCP that the instance is still there, and then that it is set aside", async () => {
    const engine = await openTestEngine(withWaits);
    const client = await openClient({ context: engine.context, ...serverParts });
    opened.push(engine, client);
    let { data, text } = await client.call("workflow_start", { workflow });
    if (data.next_call.tool !== "workflow_progress" || JSON.stringify(data).includes("review_by_file"))
      ({ data, text } = await client.call("workflow_progress", { run_id: data.run_id, result: "review_by_file" }));
    for (let claim = 0; claim < 3; claim += 1) {
      expect(text.includes("You reported it as converted, but it is still there.")).toBe(claim > 0);
      ({ data, text } = await client.call("workflow_progress", { ...data.next_call.arguments, status: "completed" }));
    }
    expect(text.split("\n")[0]).toMatch(/^`i\w+` in a\.ts is set aside as failed: It is still there .+ workflow_retry opens it again\.$/);
    expect(data.set_aside).toMatchObject({ file: "a.ts", line: 1, status: "failed" });
  });
});

describe.each(["names", "outer"])("an entry in a run of %s", (workflow) => {
  test("is told in words for who has no such tool, with the line that skips it", async () => {
    // With topics, an analysis is for the tool that finds them.
    const topics = names.replace("enabled: false", "enabled: true");
    const { bench, run } = await atCli({ ...withNames, ".waymark/workflows/names.workflow.yaml": topics }, workflow);
    const { stdout, stderr } = await bench.run(["next", run]);
    const all = stdout + stderr;
    expect(all).toContain("call analyze_al_code if your client offers it (waymark mcp --tools knowledge), else read the file");
    expect(all).not.toMatch(/expand_checklist|tool_call/);
    const skip = /^→ (waymark skip .+ --action a\d+) --reason '<why>'$/m.exec(all)?.[1] ?? "no line";
    const skipped = await bench.run([...skip.split(" ").slice(1), "--reason", "generated"]);
    expect(skipped.stdout).toMatch(/^Recorded `a\.ts#names@a\d+` as skipped\.$/m);
  });
});

test("findings are no items: status, the step and the list of runs count what `items` lists", async () => {
  const { bench, run } = await atCli(withNames, "outer");
  const finding = { file: "a.ts", line: 1, severity: "warning", description: "odd" };
  const result = JSON.stringify({ findings: [finding, { ...finding, description: "odder" }] });
  const reported = await bench.run(["done", run, "--result", result]);
  expect(reported.stdout).toContain(", 1 of 6 items done");
  expect((await bench.run(["items", run, "--kind", "all"])).stderr).toContain("6 items.");
  expect((await bench.run(["items", run, "--kind", "all", "--status", "completed"])).stderr).toContain("1 item.");
  expect((await bench.run(["status", run])).stdout).toContain("Items: 1 done, 6 total.");
  expect((await bench.json(["status", run]))["progress"]).toEqual({ done: 1, total: 6 });
  expect((await bench.run(["runs"])).stdout).toContain("(1/6)");
});

test("over MCP findings are no items either", async () => {
  const engine = await openTestEngine(withNames);
  const client = await openClient({ context: engine.context, ...serverParts });
  opened.push(engine, client);
  const { data: first } = await client.call("workflow_start", { workflow: "outer" });
  expect(first.progress).toEqual({ done: 0, total: 6 });
  const findings = [{ file: "a.ts", severity: "warning", description: "odd" }];
  const { data } = await client.call("workflow_progress", { ...first.next_call.arguments, status: "completed", findings });
  expect(data.progress).toEqual({ done: 1, total: 6 });
  expect((await client.call("workflow_status", { run_id: data.run_id })).data.progress).toEqual({ done: 1, total: 6 });
});

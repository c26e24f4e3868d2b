/** An entry of a checklist that another dialect calls is shown and taken by its own rules, whatever tool reports it. */
import { afterEach, describe, expect, test } from "vitest";
import type { Json } from "../../../src/base/index.ts";
import { openCliBench, type CliBench } from "../../process/cli-world.ts";
import { openClient, serverParts, type TestClient, type ToolReply } from "../../process/mcp-client.ts";
import { calling, type SampleDialect } from "../../support/calling-samples.ts";
import { reported } from "../../support/scripted-team.ts";
import { openTestEngine } from "../../support/test-engine.ts";
import type { Call } from "../../support/whole-data.ts";

const opened: { close(): Promise<void> }[] = [];
afterEach(async () => {
  for (const each of opened.splice(0).toReversed()) await each.close();
});

interface Entry {
  readonly call: TestClient["call"];
  readonly run: string;
  readonly action: string;
  readonly data: ToolReply["data"];
}

/** What a caller's own work is reported with. */
const results: Readonly<Record<string, Json>> = { bot_action: { summary: "Done." }, role: reported("OK", "Done."), user_input: "area" };

/** Does what the caller asks for by itself, and comes to the entry of what it calls. */
async function entryOf(caller: SampleDialect): Promise<Entry> {
  const engine = await openTestEngine(calling(caller, "checklist"));
  const client = await openClient({ context: engine.context, ...serverParts, toolsets: ["seed"] });
  opened.push(engine, client);
  const { call } = client;
  let { data } = await call("workflow_start", { workflow: "outer" });
  const run = data.run_id as string;
  for (let turn = 0; turn < 10 && data.step?.type !== "check"; turn += 1) {
    const result = results[data.step?.type];
    data = (await call("workflow_progress", { run_id: run, action_id: data.action_id, ...(result === undefined ? {} : { result }) })).data;
  }
  return { call, run, action: data.action_id, data };
}

describe.each(["steps", "bots", "machine"] as const)("called by %s", (caller) => {
  test("it says which file it is about, and what the report must say", async () => {
    const { data } = await entryOf(caller);
    expect(data["step"]).toMatchObject({
      type: "check",
      instructions: expect.stringContaining("Analyse it."),
      definition: { action: "analyze_file", file: "a.js", checklist_item_id: "analyze" },
    });
    expect(data["fill_in"]).toEqual({ status: expect.stringContaining("completed"), result: expect.stringContaining("what you found") });
  });

  test("it is not done by a next_call that is sent back word for word", async () => {
    const { call, data, action, run } = await entryOf(caller);
    const { tool, arguments: args } = data.next_call as Call;
    expect((await call(tool, args)).data.error).toMatchObject({ code: "ENGINE_NO_RESULT" });
    expect((await call("workflow_next", { run_id: run })).data.action_id).toBe(action);
  });

  test.each(["analyze", "a.js#analyze"])("`%s` means it, and said twice it counts once", async (name) => {
    const { call, run } = await entryOf(caller);
    const said = { run_id: run, action_id: name, status: "completed", result: "read" };
    const replies = [await call("workflow_progress", said), await call("workflow_progress", said)];
    expect(replies.map(({ data }) => data.recorded)).toEqual(["now", "before"]);
  });

  test("it is skipped with a reason and not without one", async () => {
    const { call, run, action } = await entryOf(caller);
    const skip = { run_id: run, action_id: action, status: "skipped" };
    expect((await call("workflow_progress", skip)).data.error).toMatchObject({ code: "ENGINE_OFF_COURSE", details: { kind: "skip" } });
    expect((await call("workflow_progress", { ...skip, skip_reason: "generated" })).data).toMatchObject({ status: "completed" });
  });

  test("what was found is kept with it, and a finding about another file is named", async () => {
    const { call, run, action } = await entryOf(caller);
    const report = { run_id: run, action_id: action, status: "completed", result: "read" };
    const findings = [
      { file: "b.js", description: "x" },
      { file: "a.js", severity: "warning", description: "x" },
    ];
    const found = await call("workflow_progress", { ...report, findings });
    expect(found.data).toMatchObject({ status: "completed" });
    expect(JSON.stringify(found.data)).toContain("`b.js` is not a file of this run");
    const kept = await call("workflow_status", { run_id: run });
    expect(kept.data).toMatchObject({ status: "completed" });
  });

  test("the seed's own tools complete it by the same rules", async () => {
    const { call, run } = await entryOf(caller);
    const { step } = (await call("workflow_get_next_step", { workflow_id: run })).data;
    const done = { workflow_id: run, step_id: step.id };
    expect((await call("workflow_step_complete", done)).data.error).toMatchObject({ code: "ENGINE_NO_RESULT" });
    expect((await call("workflow_step_complete", { ...done, status: "success" })).data.error).toMatchObject({ code: "ENGINE_NO_RESULT" });
    expect((await call("workflow_step_complete", { ...done, status: "success", result: "read" })).data).toMatchObject({ success: true });
    expect((await call("workflow_get_next_step", { workflow_id: run })).data).toMatchObject({ step: null });
  });
});

test("the report of a file's last entry, sent again, is answered with what is open now", async () => {
  const engine = await openTestEngine({ ...calling("steps", "checklist"), "b.js": "2;\n" });
  const client = await openClient({ context: engine.context, ...serverParts });
  opened.push(engine, client);
  const { call } = client;
  const { data: hello } = await call("workflow_start", { workflow: "outer" });
  const { data: first } = await call(hello.next_call.tool, hello.next_call.arguments);
  const report = { ...first.next_call.arguments, status: "completed", result: "read" };
  const { data: second } = await call("workflow_progress", report);
  expect(second.step.definition).toMatchObject({ file: "b.js" });
  const again = await call("workflow_progress", report);
  expect(again.data).toEqual({ ...second, recorded: "before" });
  expect(again.text).toContain("was reported before");
  const asked = await call("workflow_next", { run_id: hello.run_id, task_id: first.next_call.arguments.task_id });
  expect(asked.data).toMatchObject({ action_id: second.action_id, next_call: second.next_call });
});

test("a checklist that is called twice hands out its entries twice", async () => {
  const files = calling("steps", "checklist");
  const path = ".waymark/workflows/outer.yaml";
  const again = "  - { id: again, type: include_workflow, workflow: inner }\n";
  const engine = await openTestEngine({ ...files, [path]: `${files[path] ?? ""}${again}` });
  const client = await openClient({ context: engine.context, ...serverParts });
  opened.push(engine, client);
  let { data } = await client.call("workflow_start", { workflow: "outer" });
  const seen: string[] = [];
  for (let turn = 0; turn < 10 && data.action_id !== undefined; turn += 1) {
    seen.push(data.step.type);
    const status = data.step.type === "check" ? { status: "completed", result: "read" } : {};
    data = (await client.call(data.next_call.tool, { ...data.next_call.arguments, ...status })).data;
  }
  expect(seen).toEqual(["user_message", "check", "check"]);
  expect(data).toMatchObject({ status: "completed" });
});

describe("on the command line", () => {
  const entry = async (): Promise<{ readonly bench: CliBench; readonly run: string; readonly line: string }> => {
    const bench = await openCliBench(calling("steps", "checklist"));
    opened.push(bench);
    const shown = await bench.json<{ run_id: string; next_command: string }>(["start", "outer"]);
    const next = await bench.json<{ next_command: string; step: unknown }>(shown.next_command.split(" ").slice(1));
    expect(next.step).toMatchObject({ type: "check", definition: { file: "a.js" } });
    const [line = "", wanted = ""] = next.next_command.split(" --result ");
    expect(wanted, "what it found is asked for").toContain("what you found");
    return { bench, run: shown.run_id, line };
  };

  test("the printed line completes it", async () => {
    const { bench, run, line } = await entry();
    expect((await bench.run([...line.split(" ").slice(1), "--text", "read"])).code).toBe(0);
    expect(await bench.json(["status", run])).toMatchObject({ status: "completed" });
  });

  test("it is skipped with a reason", async () => {
    const { bench, run } = await entry();
    expect((await bench.run(["skip", run, "--reason", "generated"])).code).toBe(0);
    expect(await bench.json(["status", run])).toMatchObject({ status: "completed" });
  });

  test("it is skipped by the names that the printed line gives it", async () => {
    const { bench, run, line } = await entry();
    const [, ...named] = line.split(" ").slice(1);
    expect(named).toContain("--task");
    expect((await bench.run(["skip", ...named, "--reason", "generated"])).code).toBe(0);
    expect(await bench.json(["status", run])).toMatchObject({ status: "completed" });
  });
});

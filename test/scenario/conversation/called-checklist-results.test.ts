/** What failed in a checklist that another dialect calls is tried again, and what it holds is listed, as in a checklist's own run. */
import { afterEach, describe, expect, test } from "vitest";
import { openCliBench, type CliBench } from "../../process/cli-world.ts";
import { openClient, serverParts, type TestClient, type ToolReply } from "../../process/mcp-client.ts";
import { calling, samples, type SampleDialect, type SampleFiles } from "../../support/calling-samples.ts";
import { reported } from "../../support/scripted-team.ts";
import { openTestEngine } from "../../support/test-engine.ts";

const opened: { close(): Promise<void> }[] = [];
afterEach(async () => {
  for (const each of opened.splice(0).toReversed()) await each.close();
});

const last = "  - { id: bye, type: user_message, message: bye }\n";

/** A caller, the checklist that it calls, and three files; the steps have one more behind it. */
function files(caller: SampleDialect): Record<string, string> {
  const all: SampleFiles = { ...calling(caller, "checklist"), "b.js": "2;\n", "c.js": "3;\n" };
  const path = ".waymark/workflows/outer.yaml";
  return caller === "steps" ? { ...all, [path]: `${all[path] ?? ""}${last}` } : all;
}

interface Entry {
  readonly call: TestClient["call"];
  readonly client: TestClient;
  readonly run: string;
  readonly reply: ToolReply;
  readonly report: (reply: ToolReply, said: object) => Promise<ToolReply>;
}

const results: Readonly<Record<string, object>> = {
  bot_action: { result: { summary: "Done." } },
  role: { result: reported("OK", "Done.") },
};

/** Comes to the first entry of what is called. */
async function toEntry(caller: SampleDialect, all = files(caller)): Promise<Entry> {
  const engine = await openTestEngine(all);
  const client = await openClient({ context: engine.context, ...serverParts });
  opened.push(engine, client);
  const { call } = client;
  let reply = await call("workflow_start", { workflow: "outer" });
  const run = reply.data.run_id as string;
  const report: Entry["report"] = ({ data }, said) => call("workflow_progress", { ...data.next_call.arguments, ...said });
  for (let turn = 0; turn < 10 && reply.data.step?.type !== "check"; turn += 1)
    reply = await report(reply, results[reply.data.step.type] ?? (reply.data.fill_in === undefined ? {} : { result: "area" }));
  expect(reply.data.step).toMatchObject({ type: "check" });
  return { call, client, run, reply, report };
}

const file = ({ data }: ToolReply): string => data.step.definition.file as string;
const failed = { status: "failed", error: "cannot read it" };
const found = { status: "completed", findings: [{ file: "a.js", line: 1, severity: "error", description: "Secret found" }] };

describe.each(["steps", "bots", "machine"] as const)("called by %s", (caller) => {
  test("a file that failed is open again after a retry", async () => {
    const { call, run, reply, report } = await toEntry(caller);
    const second = await report(reply, failed);
    const retried = await call("workflow_retry", { run_id: run });
    expect(retried.data).toMatchObject({ reopened: 2, action_id: second.data.action_id });
    const third = await report(retried, { status: "completed", result: "read" });
    expect(third.data.error).toBeUndefined();
    const seen = [file(reply), file(second), file(third), file(await report(third, { status: "completed", result: "read" }))];
    expect(seen.toSorted()).toEqual(["a.js", "a.js", "b.js", "c.js"]);
  });

  test("where nothing has failed there is nothing to try again", async () => {
    const { call, run } = await toEntry(caller);
    expect((await call("workflow_retry", { run_id: run })).data.error).toMatchObject({ code: "NOTHING_TO_RETRY" });
  });

  test("after every file failed the run is blocked, and a retry opens them all", async () => {
    const { call, run, reply, report } = await toEntry(caller);
    const blocked = await report(await report(await report(reply, failed), failed), failed);
    expect(blocked.data).toMatchObject({ status: "blocked" });
    const retried = await call("workflow_retry", { run_id: run });
    expect(retried.data).toMatchObject({ reopened: 6, step: { type: "check" } });
  });

  test("once the run has passed the checklist, a retry is refused with the reason and the way", async () => {
    const { call, run, reply, report } = await toEntry(caller);
    const after = await report(await report(await report(reply, { status: "completed", result: "read" }), failed), {
      status: "completed",
      result: "read",
    });
    const { error } = (await call("workflow_retry", { run_id: run })).data;
    expect(error).toMatchObject({ code: "NOTHING_TO_RETRY", fix: expect.stringContaining("start another run of `inner`") });
    expect(error.message).toContain(after.data.status === "completed" ? "is completed" : "has passed `inner`");
    expect(error.message).toContain("2 files and items failed");
    expect((await call("workflow_next", { run_id: run })).data.action_id).toBe(after.data.action_id);
  });

  test("the report of the run has what the checklist holds", async () => {
    const { call, client, run, reply, report } = await toEntry(caller);
    const second = await report(reply, found);
    const interim = await call("workflow_complete", { run_id: run, interim: true });
    expect(interim.data).toMatchObject({ top_issues: [{ file: "a.js", description: "Secret found" }] });
    let last = await report(await report(second, failed), { status: "skipped", skip_reason: "generated" });
    if (last.data.status !== "completed") last = await report(last, {});
    expect(last.data).toMatchObject({ status: "completed" });
    const complete = await call("workflow_complete", { run_id: run });
    expect(complete.data).toMatchObject({
      success: true,
      status: "completed",
      final_state: {},
      report_path: expect.stringContaining(run),
      top_issues: [{ file: "a.js", description: "Secret found" }, { file: "b.js" }],
    });
    expect(complete.text).toContain("Secret found");
    const { contents } = await client.client.readResource({ uri: `waymark://runs/${run}/report` });
    expect(JSON.stringify(contents)).toContain("Secret found");
  });
});

test("in what a called checklist calls itself, only what is still gone through is open again", async () => {
  const all = { ...files("steps"), ...samples.checklist("inner", "deep"), ...samples.checklist("deep") };
  const { call, run, reply, report } = await toEntry("steps", all);
  const second = await report(await report(await report(reply, failed), { status: "completed", result: "read" }), {
    status: "completed",
    result: "read",
  });
  const { error } = (await call("workflow_retry", { run_id: run })).data;
  expect(error).toMatchObject({ code: "NOTHING_TO_RETRY", message: expect.stringContaining("has passed `inner`") });
  await report(second, failed);
  let shown = await call("workflow_retry", { run_id: run });
  expect(shown.data).toMatchObject({ reopened: 2 });
  for (let turn = 0; turn < 3; turn += 1) shown = await report(shown, { status: "completed", result: "read" });
  expect(shown.data).toMatchObject({ step: { type: "user_message" } });
});

test("the steps behind a called checklist read what came of its files, and how many findings it brought", async () => {
  const path = ".waymark/workflows/outer.yaml";
  const told = (id: string): string =>
    `${["total", "completed", "skipped", "failed"].map((key) => `{{ ${id}.outcome.files.${key} }}`).join(" ")} {{ ${id}.outcome.findings }}`;
  const steps = `  - { id: more, type: include_workflow, workflow: second }
  - { id: told, type: user_message, message: "first ${told("sub")}, second ${told("more")}" }
`;
  const all: SampleFiles = { ...calling("steps", "checklist"), ...samples.checklist("second"), "b.js": "2;\n", "c.js": "3;\n" };
  const { reply, report } = await toEntry("steps", { ...all, [path]: `${all[path] ?? ""}${steps}` });
  let shown = await report(reply, found);
  for (const said of [
    failed,
    { status: "skipped", skip_reason: "generated" },
    ...Array.from({ length: 3 }, () => ({ status: "completed", result: "read" })),
  ])
    shown = await report(shown, said);
  expect(shown.data.step.definition).toEqual({ message: "first 3 1 1 1 2, second 3 3 0 0 0" });
});

test("on the command line a file that failed is open again after a retry", async () => {
  const { bench, run } = await cliEntry();
  expect((await bench.run(["fail", run, "--error", "cannot read it"])).code).toBe(0);
  const retried = await bench.run(["retry", run]);
  expect([retried.code, retried.stdout]).toEqual([0, expect.stringContaining("Opened 2 files and items again.")]);
  for (let turn = 0; turn < 3; turn += 1) expect((await bench.run(["done", run, "--text", "read"])).code).toBe(0);
  expect(await bench.json(["next", run])).toMatchObject({ step: { type: "user_message" } });
});

/** One file with a finding, one failed, one skipped. */
async function threeOutcomes(bench: CliBench, run: string): Promise<void> {
  const { findings } = found;
  for (const argv of [
    ["done", run, "--result", JSON.stringify({ findings })],
    ["fail", run, "--error", "cannot read it"],
    ["skip", run, "--reason", "generated"],
  ])
    expect(await bench.run(argv), argv.join(" ")).toMatchObject({ code: 0 });
}

describe("what a called checklist holds, on the command line", () => {
  test("items lists its entries", async () => {
    const { bench, run } = await cliEntry();
    await threeOutcomes(bench, run);
    const lines = (await bench.run(["--jsonl", "items", run])).stdout.trim().split("\n");
    expect(lines.map((line) => JSON.parse(line) as object)).toMatchObject([
      { file: "a.js", entry: "analyze", status: "completed", workflow: "inner" },
      { file: "b.js", status: "failed", reason: "cannot read it" },
      { file: "c.js", status: "skipped", reason: "generated" },
    ]);
    expect((await bench.run(["items", run])).stdout).toContain("cannot read it");
  });

  test("report names the phase that is in progress", async () => {
    const { bench, run } = await cliEntry();
    const by_phase = [{ status: "completed" }, { phase: "analysis", status: "in_progress" }, { status: "pending" }];
    expect(await bench.json(["report", run])).toMatchObject({ interim: true, status: "in_progress", by_phase });
  });

  test("report has its findings, its counts and its reasons, while the run is open and after its end", async () => {
    const { bench, run } = await cliEntry();
    await threeOutcomes(bench, run);
    const held = {
      summary: { files_total: 3, files_completed: 1, files_blocked: 1, total_findings: 2 },
      findings: [
        { file: "a.js", severity: "error", description: "Secret found" },
        { file: "b.js", category: "blocked", description: "cannot read it" },
      ],
      skipped: [{ file: "c.js", reason: "generated" }],
      attention: [{ file: "b.js", reason: "cannot read it" }],
      by_phase: [{ status: "completed" }, { status: "completed" }, { status: "completed" }],
    };
    expect(await bench.json(["report", run])).toMatchObject({ workflow_type: "inner", interim: true, ...held });
    expect((await bench.run(["done", run, "--text", "read"])).code).toBe(0);
    expect(await bench.json(["report", run])).toMatchObject({ interim: false, ...held });
    expect((await bench.run(["report", run])).stdout).toContain("Secret found");
  });

  test("of several checklists report has the files of each, and every finding once", async () => {
    const { "b.js": _b, "c.js": _c, ...one } = files("steps");
    const path = ".waymark/workflows/outer.yaml";
    const more = "  - { id: more, type: include_workflow, workflow: second }\n";
    const bench = await openCliBench({ ...one, ...samples.checklist("second"), [path]: `${one[path] ?? ""}${more}` });
    opened.push(bench);
    const { run_id: run } = await bench.json<{ run_id: string }>(["start", "outer"]);
    const { findings } = found;
    for (const given of [
      ["--text", "read"],
      ["--result", JSON.stringify({ findings })],
      ["--text", "read"],
    ])
      await bench.run(["done", run, ...given]);
    expect((await bench.run(["fail", run, "--error", "cannot read it"])).code).toBe(0);
    expect(await bench.json(["report", run])).toMatchObject({
      workflow_type: "inner",
      summary: { files_total: 1, files_completed: 1 },
      called_workflows: [{ workflow: "second", files: 1, blocked: 1 }],
      findings: [{ description: "Secret found" }, { description: "cannot read it" }],
      attention: [{ file: "a.js", reason: "cannot read it", workflow: "second" }],
    });
    const lines = (await bench.run(["--jsonl", "items", run])).stdout.trim().split("\n");
    expect(lines.map((line) => (JSON.parse(line) as { workflow: string }).workflow)).toEqual(["inner", "second"]);
  });

  test("a checklist that has not begun has no report yet, and no items", async () => {
    const bench = await openCliBench(files("steps"));
    opened.push(bench);
    const { run_id: run } = await bench.json<{ run_id: string }>(["start", "outer"]);
    const refused = await bench.run(["report", run]);
    expect([refused.code, refused.stderr]).toEqual([2, expect.stringContaining("has not begun")]);
    expect(await bench.run(["items", run])).toMatchObject({ code: 0, stderr: expect.stringContaining("0 items.") });
  });
});

/** The first entry of what the steps call, on the command line. */
async function cliEntry(): Promise<{ readonly bench: CliBench; readonly run: string }> {
  const bench = await openCliBench(files("steps"));
  opened.push(bench);
  const { run_id: run } = await bench.json<{ run_id: string }>(["start", "outer"]);
  await bench.run(["done", run, "--text", "read"]);
  return { bench, run };
}

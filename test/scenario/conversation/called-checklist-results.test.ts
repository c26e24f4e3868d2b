/** What failed in a checklist that another dialect calls is tried again, and what it holds is listed, as in a checklist's own run. */
import { afterEach, describe, expect, test } from "vitest";
import { openCliBench, type CliBench } from "../../process/cli-world.ts";
import { openClient, serverParts, type TestClient, type ToolReply } from "../../process/mcp-client.ts";
import { calling, type SampleDialect } from "../../support/calling-samples.ts";
import { reported } from "../../support/scripted-team.ts";
import { openTestEngine } from "../../support/test-engine.ts";

const opened: { close(): Promise<void> }[] = [];
afterEach(async () => {
  for (const each of opened.splice(0).toReversed()) await each.close();
});

const last = "  - { id: bye, type: user_message, message: bye }\n";

/** A caller, the checklist that it calls, and three files; the steps have one more behind it. */
function files(caller: SampleDialect): Record<string, string> {
  const all = { ...calling(caller, "checklist"), "b.js": "2;\n", "c.js": "3;\n" };
  const path = ".waymark/workflows/outer.yaml";
  return caller === "steps" ? { ...all, [path]: `${all[path] ?? ""}${last}` } : all;
}

interface Entry {
  readonly call: TestClient["call"];
  readonly client: TestClient;
  readonly run: string;
  readonly reply: ToolReply;
  report(reply: ToolReply, said: object): Promise<ToolReply>;
}

const results: Readonly<Record<string, object>> = {
  bot_action: { result: { summary: "Done." } },
  role: { result: reported("OK", "Done.") },
};

/** Comes to the first entry of what is called. */
async function toEntry(caller: SampleDialect): Promise<Entry> {
  const engine = await openTestEngine(files(caller));
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
    const third = await report(retried, { status: "completed" });
    expect(third.data.error).toBeUndefined();
    const seen = [file(reply), file(second), file(third), file(await report(third, { status: "completed" }))];
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
    const after = await report(await report(await report(reply, { status: "completed" }), failed), { status: "completed" });
    const { error } = (await call("workflow_retry", { run_id: run })).data;
    expect(error).toMatchObject({ code: "NOTHING_TO_RETRY", fix: expect.stringContaining("start another run of `inner`") });
    expect(error.message).toContain(after.data.status === "completed" ? "is completed" : "has passed `inner`");
    expect(error.message).toContain("2 files and items failed");
    expect((await call("workflow_next", { run_id: run })).data.action_id).toBe(after.data.action_id);
  });
});

test("on the command line a file that failed is open again after a retry", async () => {
  const { bench, run } = await cliEntry();
  expect((await bench.run(["fail", run, "--error", "cannot read it"])).code).toBe(0);
  const retried = await bench.run(["retry", run]);
  expect([retried.code, retried.stdout]).toEqual([0, expect.stringContaining("Opened 2 files and items again.")]);
  for (let turn = 0; turn < 3; turn += 1) expect((await bench.run(["done", run])).code).toBe(0);
  expect(await bench.json(["next", run])).toMatchObject({ step: { type: "user_message" } });
});

/** The first entry of what the steps call, on the command line. */
async function cliEntry(): Promise<{ readonly bench: CliBench; readonly run: string }> {
  const bench = await openCliBench(files("steps"));
  opened.push(bench);
  const { run_id: run } = await bench.json<{ run_id: string }>(["start", "outer"]);
  await bench.run(["done", run]);
  return { bench, run };
}

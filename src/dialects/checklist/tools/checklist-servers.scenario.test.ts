import { freeHolders } from "../../../../test/support/free-holders.ts";
import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { afterEach, expect, test } from "vitest";
import { openClient, serverParts, type TestClient } from "../../../../test/process/mcp-client.ts";
import { oldCalls, review } from "../../../../test/support/checklist-sample.ts";
import { costOf } from "../../../../test/support/checklist-world.ts";
import { openTestEngine, type TestEngine } from "../../../../test/support/test-engine.ts";
import { answer } from "../../../engine/index.ts";
import { checklistOf, gatherFacts } from "../run/index.ts";
import { sharedSession } from "../views/index.ts";

const open: { close(): Promise<void> }[] = [];
afterEach(async () => {
  for (const each of open.splice(0).toReversed()) await each.close();
});

async function engineWith(
  text: string,
  files: Readonly<Record<string, string>> = {},
  settings: Parameters<typeof openTestEngine>[1] = {},
): Promise<TestEngine> {
  const name = /^type: (\S+)/m.exec(text)?.[1] ?? "";
  const engine = await openTestEngine({ [`.waymark/workflows/${name}.workflow.yaml`]: text, ...files }, settings);
  open.push(engine);
  return engine;
}

async function clientOf({ context }: TestEngine): Promise<TestClient["call"]> {
  const client = await openClient({ context, ...serverParts });
  open.push(client);
  return client.call;
}

async function sources(folder: string, count: number): Promise<void> {
  for (let at = 0; at < count; at += 250)
    await Promise.all(
      Array.from({ length: Math.min(250, count - at) }, (_, index) =>
        writeFile(
          join(folder, `f${String(at + index).padStart(5, "0")}.js`),
          `old('${(at + index) % 7}');\n${(at + index) % 10 === 0 ? "old(x);\n" : ""}`,
        ),
      ),
    );
}

test("the status of a run that another connection drives names the call for later, and only while nothing is handed out", async () => {
  const engine = await engineWith(review.replace("id: topics, name: Topics,", "id: topics, name: Topics, hard_stop: true,"), {
    "a.js": "1",
  });
  const [first, second] = [await clientOf(engine), await clientOf(engine)];
  const { session_id: run_id } = (await first("workflow_start", { workflow_type: "review" })).data;
  expect((await second("workflow_status", { run_id })).data).toMatchObject({ next_call: { tool: "workflow_next" } });
  await first("workflow_progress", {
    run_id,
    completed_action: { action: "analyze_file", file: "a.js", status: "completed", result: "read" },
  });
  expect((await first("workflow_next", { run_id })).data.next_action.action).toBe("answer_question");
  expect((await second("workflow_next", { run_id })).data.error.code).toBe("STRAND_HELD");
  const seen = await second("workflow_status", { run_id });
  expect(seen.data).toMatchObject({ later: { tool: "workflow_next", arguments: { run_id } } });
  expect(seen.data).not.toHaveProperty("next_call");
  expect(seen.text).not.toContain("Next: workflow_next");
  expect((await second("workflow_resume", { run_id })).data.error.code).toBe("STRAND_HELD");
  await freeHolders(engine.context);
  expect((await second("workflow_resume", { run_id })).isError).toBe(false);
});

test("a hard stop: the agent is told what a person has to do, cannot answer itself, and goes on after the person's word", async () => {
  const engine = await engineWith(review.replace("id: topics, name: Topics,", "id: topics, name: Topics, hard_stop: true,"), {
    "a.js": "1",
  });
  const call = await clientOf(engine);
  const { session_id: session } = (await call("workflow_start", { workflow_type: "review" })).data;
  const asked = await call("workflow_progress", {
    session_id: session,
    completed_action: { action: "analyze_file", file: "a.js", status: "completed", result: "read" },
  });
  const { next_action: question } = asked.data;
  expect(question).toMatchObject({
    action: "answer_question",
    instruction: expect.stringContaining(`Only a person can answer, by: waymark decide ${session}`),
    command_for_person: expect.stringContaining("waymark decide"),
    options: [{ id: "go_on" }, { id: "stop" }],
  });
  const tried = await call("workflow_progress", { session_id: session, action_id: question.action_id, answer: "go_on" });
  expect([tried.isError, tried.data.error.code]).toEqual([true, "DECISION_FOR_PERSON"]);
  expect((await call("workflow_next", { session_id: session })).data.next_action).toEqual(question);
  const status = await call("workflow_status", { session_id: session });
  expect(status.data.paused).toBe(true);
  expect(status.text).toContain("paused");
  expect((await call("workflow_complete", { session_id: session })).data.error.code).toBe("RUN_NOT_DONE");
  const person = { ...engine.caller, holder: { kind: "person" as const, name: "ada", session: "ada" }, surface: "cli-terminal" };
  await answer(engine.context, person, { run: session, decision: question.action_id, answer: "go_on", relayed: false });
  expect((await call("workflow_next", { session_id: session })).data.next_action).toMatchObject({ action: "validate_file", file: "a.js" });
});

test("a server that is closed during the scan: the next one of the workspace goes on with it, and nothing is scanned into the run twice", async () => {
  const first = await engineWith(oldCalls);
  await sources(first.folder, 1500);
  const closed = await first.again();
  const client = await openClient({ context: closed.context, ...serverParts });
  const started = await client.call("workflow_start", {
    workflow_type: "old-calls",
    initial_processing: { run_autonomous_phases: false },
  });
  const { session_id: session } = started.data;
  const handle = await closed.context.runs.open(session);
  const scanned = (): { done: boolean; cursor: number } => (checklistOf(handle)?.raw["scan"] ?? {}) as { done: boolean; cursor: number };
  while (!(scanned().cursor > 0)) await handle.changed;
  await client.close();
  await closed.close();
  expect(scanned()).toMatchObject({ done: false });
  const later = await first.again({ leaseTtlMs: 50, leaseBeatMs: 10 });
  open.push(later);
  const call = await clientOf(later);
  let next = await call("workflow_next", { session_id: session });
  while (next.data.next_action.action === "wait") next = await call("workflow_next", { session_id: session });
  expect(next.data.next_action.type).toBe("user_decision");
  const status = await call("workflow_status", { session_id: session });
  expect(status.data.progress).toMatchObject({ files_total: 1500, instances_total: 1650 });
  expect(await later.context.store.countItems(session, "files", { facets: { kind: "file" } })).toMatchObject({ count: 1500 });
});

test("files and instances of a called workflow are in the pages of files, in groups and in batches", async () => {
  const audit = oldCalls.replace("type: old-calls", "type: audit");
  const files = Object.fromEntries(
    Array.from({ length: 50 }, (_, at) => [`f${String(at).padStart(2, "0")}.js`, at < 2 ? "old('1');\n" : "1\n"]),
  );
  const calling = oldCalls
    .replace("type: old-calls", "type: caller")
    .replace("old\\\\(", "never\\\\(")
    .replace("completion_rules:", "sub_workflows: [audit]\ncompletion_rules:");
  const engine = await engineWith(calling, { ...files, ".waymark/workflows/audit.workflow.yaml": audit });
  const call = await clientOf(engine);
  const { session_id: session, next_action: asked } = (await call("workflow_start", { workflow_type: "caller" })).data;
  expect(asked).toMatchObject({ action: "batch_decision", instruction: expect.stringContaining("2 instances found in 2 files") });
  expect(asked.options[0].label).toContain("2 auto-fixes");
  const seen: string[] = [];
  for (let after: string | undefined, more = true; more;) {
    const { data } = await call("workflow_status", {
      session_id: session,
      include_all_files: true,
      ...(after === undefined ? {} : { after }),
    });
    for (const { path, workflow_type: workflow = "caller" } of data.files) seen.push(`${workflow} ${path}`);
    [after, more] = [data.next_page, data.next_page !== undefined];
  }
  expect(new Set(seen).size).toBe(seen.length);
  expect(seen.toSorted()).toEqual(["audit", "caller"].flatMap((name) => Object.keys(files).map((path) => `${name} ${path}`)));
  const groups = await call("workflow_batch", { session_id: session, operation: "group_by_type" });
  expect(groups.data).toMatchObject({ total_instances: 2, groups: [{ instance_type: "text", count: 2, files: 2 }] });
  const own = await call("workflow_batch", { session_id: session, operation: "group_by_type", filter: { workflow: "caller" } });
  expect(own.data.total_instances).toBe(0);
  const preview = await call("workflow_batch", { session_id: session });
  expect(preview.data).toMatchObject({ workflow_type: "audit", preview: { instances_affected: 2 } });
  const done = await call("workflow_batch", { session_id: session, confirmation_token: preview.data.confirmation_token });
  expect(done.data).toMatchObject({ result: { instances_modified: 2 }, note: expect.stringContaining("apply_auto_first") });
  const { data: end } = await call("workflow_next", { session_id: session });
  expect(end.next_action.action).toBe("complete_workflow");
  const completed = await call("workflow_complete", { session_id: session });
  expect(completed.data).toMatchObject({
    status: "completed",
    called_workflows: [{ workflow_type: "audit", status: "completed", files_total: 50, files_completed: 50, instances_remaining: 0 }],
  });
});

/** Windows-1252 as far as the sample needs it. */
function inAnsi(text: string): Buffer {
  return Buffer.from(text.replaceAll("€", "\u0080"), "latin1");
}

test("full_diff shows the text of files in UTF-16 and Windows-1252, and the fix keeps their bytes", async () => {
  const text = "// Größe: €\r\nold('Ärger');\r\nold('x'); // naïve\r\n";
  const utf16 = Buffer.concat([Buffer.from([0xff, 0xfe]), Buffer.from(text, "utf16le")]);
  const ansi = inAnsi(text);
  const engine = await engineWith(oldCalls);
  await writeFile(join(engine.folder, "wide.js"), utf16);
  await writeFile(join(engine.folder, "ansi.js"), ansi);
  const call = await clientOf(engine);
  const { session_id: session } = (await call("workflow_start", { workflow_type: "old-calls" })).data;
  const preview = await call("workflow_batch", { session_id: session, operation: "apply_fixes", full_diff: true });
  const diff: string = preview.data.diff ?? (await readFile(preview.data.diff_path, "utf8"));
  for (const file of ["wide.js", "ansi.js"]) expect(diff).toContain(`--- a/${file}\n+++ b/${file}\n`);
  const lines = diff.split("\n").map((line) => line.replace(/\r$/, ""));
  for (const line of [" // Größe: €", "-old('Ärger');", "+fresh('Ärger');", "-old('x'); // naïve", "+fresh('x'); // naïve"])
    expect(lines.filter((each) => each === line)).toHaveLength(2);
  const done = await call("workflow_batch", { session_id: session, confirmation_token: preview.data.confirmation_token });
  expect(done.data.result).toMatchObject({ instances_modified: 4, files_modified: 2, instances_failed: 0 });
  const fixed = text.replaceAll("old(", "fresh(");
  expect(await readFile(join(engine.folder, "wide.js"))).toEqual(Buffer.concat([Buffer.from([0xff, 0xfe]), Buffer.from(fixed, "utf16le")]));
  expect(await readFile(join(engine.folder, "ansi.js"))).toEqual(inAnsi(fixed));
});

test("specialist_handoff: each phase names whose field it is, to the agent and to the status bar", async () => {
  const handed = review
    .replace('description: "Looks at every file."', 'description: "Looks at every file."\nspecialist: roger-reviewer')
    .replace(
      "id: topics, name: Topics,",
      "id: topics, name: Topics, specialist_handoff: eva-errors, entry_conditions: [analysis phase completed],",
    );
  const engine = await engineWith(handed, { "a.js": "1" });
  const call = await clientOf(engine);
  const { session_id: session, next_action: analysis } = (await call("workflow_start", { workflow_type: "review" })).data;
  expect(analysis).toMatchObject({ action: "analyze_file" });
  expect(analysis).not.toHaveProperty("specialist");
  const before = await gatherFacts(engine.context, session);
  expect([before.specialist, before.nextSpecialist]).toEqual(["roger-reviewer", "eva-errors"]);
  const { next_action: validation } = (
    await call("workflow_progress", {
      session_id: session,
      completed_action: { action: "analyze_file", status: "completed", result: "read" },
    })
  ).data;
  expect(validation).toMatchObject({ action: "validate_file", specialist: "eva-errors" });
  const bar = sharedSession(await gatherFacts(engine.context, session));
  expect([bar.currentSpecialist, bar.nextSpecialist]).toEqual(["eva-errors", undefined]);
});

test("verify commands: nothing starts before a person has allowed them", async () => {
  const text = oldCalls.replace("completion_rules:", 'verify: [{ name: check, command: "touch ran" }]\ncompletion_rules:');
  const engine = await engineWith(text, { "a.js": "1;\n" });
  const call = await clientOf(engine);
  const refused = await call("workflow_start", { workflow_type: "old-calls" });
  expect(refused.isError).toBe(true);
  expect(refused.data.error.fix).toContain("waymark allow old-calls");
  expect(JSON.stringify(refused.data)).toContain("touch ran");
  await engine.allow("old-calls");
  expect((await call("workflow_start", { workflow_type: "old-calls" })).data.next_action.action).toBe("complete_workflow");
  expect(await readFile(join(engine.folder, "ran"), "utf8")).toBe("");
});

test("a command that only the project's configuration names is not run, and the report says so", async () => {
  const first = await engineWith(oldCalls, { "a.js": "1;\n" });
  const engine = await first.again({ verifyCommands: [{ name: "tests", command: "touch ran", fromProject: true }] });
  open.push(engine);
  const call = await clientOf(engine);
  const { session_id: session } = (await call("workflow_start", { workflow_type: "old-calls" })).data;
  const { report_path: path } = (await call("workflow_complete", { session_id: session })).data;
  expect(await readFile(path, "utf8")).toMatch(/Not run, because nobody has allowed it: .*touch ran/);
  await expect(readFile(join(engine.folder, "ran"))).rejects.toMatchObject({ code: "ENOENT" });
});

test("from start to the first decision: under 1,500 tokens, and the same for 100 and 10,000 files", async () => {
  const costs: number[] = [];
  for (const count of [100, 10_000]) {
    // A busy machine takes its time: a reply that says "still scanning" would cost tokens of its own.
    const engine = await engineWith(oldCalls, {}, { callWaitMs: 100_000 });
    await sources(engine.folder, count);
    const call = await clientOf(engine);
    let reply = await call("workflow_start", { workflow_type: "old-calls" });
    let cost = costOf(reply);
    while (reply.data.next_action.type !== "user_decision") {
      reply = await call("workflow_next", { session_id: reply.data.session_id });
      cost += costOf(reply);
    }
    expect(reply.data.progress?.files_total ?? reply.data.file_inventory.total).toBe(count);
    costs.push(cost);
  }
  const [few = 0, many = 0] = costs;
  expect(Math.max(few, many)).toBeLessThan(1500);
  expect(Math.abs(few - many)).toBeLessThan(60);
}, 120_000);

import { mkdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { afterEach, describe, expect, test } from "vitest";
import { openWorld, type McpWorld, type TestClient, type ToolReply } from "../../../../test/process/mcp-client.ts";
import { oldCalls, review } from "../../../../test/support/checklist-sample.ts";
import { costOf, openChecklistWorld, type ChecklistWorld } from "../../../../test/support/checklist-world.ts";
import { truncatedOf, wholeData } from "../../../../test/support/whole-data.ts";
import { readPath, splitPath, type Json } from "../../../base/index.ts";

let world: ChecklistWorld | undefined;
let steps: McpWorld | undefined;
afterEach(async () => {
  await world?.close();
  await steps?.close();
  [world, steps] = [undefined, undefined];
});

const definitions = { ".waymark/workflows/old-calls.workflow.yaml": oldCalls, ".waymark/workflows/review.workflow.yaml": review };

async function open(
  files: Readonly<Record<string, string>>,
  callWaitMs?: number,
): Promise<{ call: TestClient["call"]; client: TestClient }> {
  world = await openChecklistWorld({
    workflows: [],
    definitions,
    files,
    ...(callWaitMs === undefined ? {} : { settings: { callWaitMs } }),
  });
  const client = await world.client();
  return { call: client.call, client };
}

async function manyFiles(count: number): Promise<void> {
  const folder = join(world?.folder ?? "", "src");
  await mkdir(folder, { recursive: true });
  const text = (at: number): string => `old('${at % 7}');\n${at % 10 === 0 ? `old(x${at});\n` : ""}`;
  for (let at = 0; at < count; at += 200)
    await Promise.all(
      Array.from({ length: Math.min(200, count - at) }, (_, index) =>
        writeFile(join(folder, `f${String(at + index).padStart(5, "0")}.js`), text(at + index)),
      ),
    );
}

/** Entries, keys or characters of what is at a path. */
function sizeAt(data: Json, path: string): number {
  const value = readPath(data, splitPath(path) ?? []) ?? null;
  return typeof value === "string" ? value.length : Object.keys(value as object).length;
}

describe("the start of a checklist", () => {
  test("answers at once when the autonomous phases are not to be waited for; the work goes on and next says how far it is", async () => {
    const { call } = await open({});
    await manyFiles(600);
    const started = await call("workflow_start", { workflow_type: "old-calls", initial_processing: { run_autonomous_phases: false } });
    expect(started.data).toMatchObject({
      status: "initializing",
      autonomous_processing: { completed: false },
      next_action: { action: "wait", instruction: expect.stringMatching(/^The engine is (listing the files|still scanning)/) },
      next_call: { tool: "workflow_next", arguments: { run_id: started.data.session_id } },
    });
    const next = await call("workflow_next", { session_id: started.data.session_id });
    expect(next.data.next_action.type).toBe("user_decision");
    const status = await call("workflow_status", { session_id: started.data.session_id });
    expect(status.data.progress).toMatchObject({ files_total: 600, instances_total: 660 });
  });

  test("waits no longer than timeout_ms", async () => {
    const { call } = await open({});
    await manyFiles(600);
    const started = await call("workflow_start", { workflow_type: "old-calls", initial_processing: { timeout_ms: 1 } });
    expect(started.data.autonomous_processing.completed).toBe(false);
    expect((await call("workflow_next", { session_id: started.data.session_id })).data.status).toBe("analysis_complete");
  });

  test("stream_progress sends updates to a client that gave a token", async () => {
    const { client } = await open({});
    await manyFiles(400);
    const told: string[] = [];
    const args = { workflow_type: "old-calls", initial_processing: { stream_progress: true } };
    const reply = await client.client.callTool(
      { name: "workflow_start", arguments: args },
      { onprogress: ({ message }) => told.push(message ?? "") },
    );
    expect((reply.structuredContent as { status: string }).status).toBe("analysis_complete");
    const updates = told.map((text) => JSON.parse(text) as Record<string, unknown>);
    expect(updates.length).toBeGreaterThan(0);
    for (const update of updates)
      expect(update).toMatchObject({
        type: "progress_update",
        phase: expect.any(String),
        files_processed: expect.any(Number),
        files_total: expect.any(Number),
        instances_found: expect.any(Number),
      });
    expect(updates.map((update) => update["files_processed"] as number)).toEqual(
      updates.map((update) => update["files_processed"] as number).toSorted((a, b) => a - b),
    );
  });

  test("no files, a folder that is not there, and a named file that is absent are said, not hidden", async () => {
    const { call } = await open({});
    const none = await call("workflow_start", { workflow_type: "old-calls" });
    expect(none.data).toMatchObject({
      file_inventory: { total: 0 },
      next_action: { action: "complete_workflow", instruction: expect.stringContaining("No file matches") },
    });
    expect((await call("workflow_complete", { session_id: none.data.session_id })).data.status).toBe("completed");
    const absent = await call("workflow_start", { workflow_type: "old-calls", scope: "files", path: "gone.js, also-gone.js" });
    expect(JSON.stringify(absent.data)).toContain("gone.js");
  });

  test("a reply keeps to a small limit and says where the whole is", async () => {
    world = await openChecklistWorld({ workflows: [], definitions, files: { "a.js": "old('x');\nold(y);\n" } });
    const { call } = await world.client({ replyChars: 2000 });
    const started = await call("workflow_start", { workflow_type: "old-calls" });
    expect(JSON.stringify(started.raw).length).toBeLessThan(2000);
    expect(started.data).toMatchObject({
      session_id: expect.any(String),
      status: "analysis_complete",
      next_call: { tool: "workflow_progress" },
      whole: expect.stringContaining(".json"),
    });
    const cuts = truncatedOf(started.data);
    expect(cuts.length).toBeGreaterThan(0);
    const whole = JSON.parse(await readFile(started.data.whole, "utf8"));
    expect(started.text).toContain(started.data.whole);
    for (const { path, total } of cuts) expect(sizeAt(whole, path), path).toBe(total);
    // What the agent needs for its next call comes by a call too.
    const options = cuts.find(({ path }) => path === "next_action.options");
    const rest = await call(options?.next.tool ?? "", options?.next.arguments ?? {});
    expect(rest.data.value).toEqual(whole.next_action.options);
  });
});

describe("an instance whose texts have no room", () => {
  const advice = `${"Look at what calls it, and at what it gives back. ".repeat(12)}Then rename it.`;
  const long = oldCalls.replace('suggested_action: "Look at it"', `suggested_action: "${advice}"`);

  async function shown(): Promise<{ readonly call: TestClient["call"]; readonly reply: ToolReply }> {
    const workflows = { ".waymark/workflows/old-calls.workflow.yaml": long };
    world = await openChecklistWorld({ workflows: [], definitions: workflows, files: { "a.js": "old(x);\n", "b.js": "old(y);\n" } });
    const { call } = await world.client();
    const { session_id } = (await call("workflow_start", { workflow_type: "old-calls" })).data;
    return { call, reply: await call("workflow_progress", { session_id, answer: "review_by_file" }) };
  }

  test("says which, how long they are, and which call brings the rest", async () => {
    const { call, reply } = await shown();
    expect(advice.startsWith(reply.data.next_action.instruction)).toBe(true);
    expect(reply.data.truncated).toMatchObject({ path: "next_action.instruction", total: advice.length });
    expect(reply.text).toContain("get the rest of `next_action.instruction`");
    expect(reply.text).not.toMatch(/Cut:|the file has the rest/);
    expect(await wholeData(call, reply)).toMatchObject({ next_action: { instruction: advice } });
  });

  test("leaves out a fix that has no room, and names the call that brings it", async () => {
    const text = "a text that is long, and told in full ".repeat(30);
    const { call } = await open({ "a.js": `old('${text}');\n` });
    const { session_id } = (await call("workflow_start", { workflow_type: "old-calls" })).data;
    const reply = await call("workflow_progress", { session_id, answer: "review_by_file" });
    const { cut, suggested_fix } = reply.data.next_action as { cut: readonly string[]; suggested_fix?: string };
    expect([cut, suggested_fix]).toEqual([["match_text", "suggested_fix", "context"], undefined]);
    expect(costOf(reply)).toBeLessThan(400);
    expect(reply.data.truncated).toMatchObject({ path: "next_action.match_text", total: text.length + 7 });
    expect(await wholeData(call, reply)).toMatchObject({ next_action: { match_text: `old('${text}')` } });
    const named = /No room for the whole of suggested_fix, context: workflow_next with part (.*) brings it\./.exec(reply.text)?.[1] ?? "{}";
    const fix = { session_id, part: JSON.parse(named) as { path: string } };
    expect((await call("workflow_next", fix)).data.value).toBe(`fresh('${text}')`);
    const around = { session_id, part: { ...fix.part, path: "next_action.context" } };
    expect((await call("workflow_next", around)).data.value).toBe(`old('${text}');`);
  });

  test("does not give the rest of another one", async () => {
    const { call, reply } = await shown();
    const { truncated, next_call: report } = reply.data;
    await call(report.tool, { ...report.arguments, status: "skipped", skip_reason: "not now" });
    expect((await call(truncated.next.tool, truncated.next.arguments)).data.error).toMatchObject({ code: "MCP_NO_PART" });
  });
});

describe("what only checklists know", () => {
  test("is refused in runs of steps, and the tools for checklists say what they are for", async () => {
    steps = await openWorld({ "demo:one": `\nsteps: [{ id: tell, type: user_message, message: hi }]\n` });
    const { call } = await steps.client();
    const { run_id } = (await call("workflow_start", { workflow: "demo:one" })).data;
    const refused: readonly [string, Record<string, unknown>, string][] = [
      ["workflow_progress", { completed_action: { action: "x", status: "completed" } }, "MCP_BAD_ARGUMENT"],
      ["workflow_progress", { findings: [] }, "MCP_BAD_ARGUMENT"],
      ["workflow_progress", { status: "skipped" }, "MCP_BAD_ARGUMENT"],
      ["workflow_next", { worker: "w1" }, "MCP_BAD_ARGUMENT"],
      ["workflow_complete", { report_format: "html" }, "MCP_BAD_ARGUMENT"],
      ["workflow_status", { include_all_files: true }, "MCP_BAD_ARGUMENT"],
      ["workflow_batch", { operation: "apply_fixes" }, "ENGINE_NOT_A_CHECKLIST"],
    ];
    for (const [tool, args, code] of refused) expect((await call(tool, { run_id, ...args })).data.error.code, tool).toBe(code);
    expect((await call("workflow_start", { workflow: "demo:one", scope: "workspace" })).data.error.code).toBe("ENGINE_WRONG_INPUTS");
    expect((await call("workflow_progress", { run_id, status: "completed" })).data.status).toBe("completed");
  });

  test("usage is not counted in a checklist and therefore refused", async () => {
    const { call } = await open({ "a.js": "x;\n" });
    const { session_id } = (await call("workflow_start", { workflow_type: "review" })).data;
    const reply = await call("workflow_progress", {
      session_id,
      completed_action: { action: "analyze_file", status: "completed" },
      usage: { tokens: 5 },
    });
    expect(reply.data.error.message).toContain("`usage` is not counted");
  });
});

describe("pages of files", () => {
  test("include_all_files shows every file once, page by page", async () => {
    const { call } = await open({});
    await manyFiles(95);
    const { session_id } = (await call("workflow_start", { workflow_type: "review" })).data;
    const seen: string[] = [];
    for (let args: Record<string, unknown> | undefined = { session_id, include_all_files: true }; args !== undefined;) {
      const page: ToolReply = await call("workflow_status", args);
      expect(JSON.stringify(page.raw).length).toBeLessThan(8000);
      expect(page.data).not.toHaveProperty("cut");
      seen.push(...page.data.files.map(({ path }: { path: string }) => path));
      args = page.data.next_page === undefined ? undefined : { session_id, include_all_files: true, cursor: page.data.next_page };
    }
    expect(seen).toHaveLength(95);
    expect(new Set(seen).size).toBe(95);
    expect((await call("workflow_status", { session_id, after: "nowhere.js" })).data.error.code).toBe("MCP_BAD_ARGUMENT");
  });
});

describe("the end of runs", () => {
  test("abort, its alias, and cancelling everything that is open", async () => {
    world = await openChecklistWorld({ workflows: [], definitions, files: { "a.js": "old(y);\n" } });
    const { call } = await world.client({ toolsets: ["seed"] });
    const ids: string[] = [];
    for (let index = 0; index < 4; index += 1) ids.push((await call("workflow_start", { workflow_type: "old-calls" })).data.session_id);
    expect((await call("workflow_abort", { session_id: ids[0] })).data.status).toBe("cancelled");
    expect((await call("workflow_cancel", { session_id: ids[1], reason: "not now" })).data.status).toBe("cancelled");
    expect((await call("workflow_cancel", {})).data.error.code).toBe("MCP_BAD_ARGUMENT");
    expect((await call("workflow_cancel", { cancel_all: true })).data.cancelled.toSorted()).toEqual(ids.slice(2).toSorted());
    expect((await call("workflow_status")).data.runs).toEqual([]);
    const ended = await call("workflow_next", { session_id: ids[0] });
    expect(ended.data).toMatchObject({ status: "cancelled", next_action: { action: "none" } });
  });

  test("rules that ask for nothing let a run end early; others are counted as open", async () => {
    const loose = oldCalls
      .replace("type: old-calls", "type: loose")
      .replace(
        "require_all_files: true, require_all_checklist_items: true",
        "require_all_files: false, require_all_checklist_items: false",
      );
    world = await openChecklistWorld({
      workflows: [],
      definitions: { ".waymark/workflows/loose.workflow.yaml": loose },
      files: { "a.js": "old(y);\n", "b.js": "old(z);\n" },
    });
    const { call } = await world.client();
    const { session_id } = (await call("workflow_start", { workflow_type: "loose" })).data;
    await call("workflow_progress", { session_id, answer: "review_by_file" });
    await call("workflow_next", { session_id });
    await call("workflow_progress", {
      session_id,
      completed_action: { action: "convert_instance", status: "skipped", skip_reason: "fine" },
    });
    const done = await call("workflow_complete", { session_id });
    expect(done.data).toMatchObject({ status: "completed", summary: { instances_skipped: 2 } });
  });
});

import { afterEach, beforeEach, describe, expect, test } from "vitest";
import type { TestClient, ToolReply } from "../../../../test/process/mcp-client.ts";
import { openChecklistWorld, type ChecklistWorld } from "../../../../test/support/checklist-world.ts";
import { oldCalls, review } from "../../../../test/support/checklist-sample.ts";
import { createRepository, type Repository } from "../../../../test/support/repository.ts";
import type { JsonObject } from "../../../base/index.ts";

const caller = `${oldCalls.replace("type: old-calls", "type: both")}sub_workflows: [review]\n`;
/** Files of a tree of which a branch changes a few. */
const tree = Object.fromEntries(Array.from({ length: 30 }, (_, at) => [`src/f${at}.js`, `old('${at}');\nkeep(${at});\n`]));

let world: ChecklistWorld;
let repository: Repository;
let client: TestClient;
/** Every file that was read, in order. */
let read: string[];
beforeEach(async () => {
  world = await openChecklistWorld({
    workflows: [],
    definitions: {
      ".waymark/workflows/old-calls.workflow.yaml": oldCalls,
      ".waymark/workflows/review.workflow.yaml": review,
      ".waymark/workflows/both.workflow.yaml": caller,
    },
  });
  repository = createRepository(world.folder, { ...tree, ".gitignore": ".waymark/store\n" });
  repository.git("checkout", "-qb", "work");
  repository.commit({ "src/f7.js": "old('7');\nold('new');\nkeep(7);\n", "notes.md": "x\n" });
  repository.put({ "src/f9.js": "old(\n  '9',\n);\nkeep(9);\n", "lib/new.js": "old('n');\n" });
  read = [];
  const { workspace } = world.engine.context;
  const scan = workspace.scan.bind(workspace);
  Object.assign(workspace, { scan: (request: Parameters<typeof scan>[0]) => (read.push(...request.paths), scan(request)) });
  client = await world.client();
});
afterEach(() => world.close());

const start = (workflow: string, args: JsonObject): Promise<ToolReply> => client.call("workflow_start", { workflow, ...args });
const touched = ["lib/new.js", "src/f7.js", "src/f9.js"];

interface Following {
  readonly next_action?: { readonly action: string };
  readonly next_call?: { readonly tool: string; readonly arguments: JsonObject };
}

/** Makes the call that a reply names, with what it is to be filled in with. */
function follow({ data }: ToolReply, filled: JsonObject): Promise<ToolReply> {
  const { tool = "", arguments: args } = (data as Following).next_call ?? {};
  return client.call(tool, { ...args, ...filled });
}

/** Obeys the replies, which skips whatever is open, until the run is complete; answers every reply as one text. */
async function toItsEnd(first: ToolReply, beforeEnd: () => void = () => undefined): Promise<string> {
  const all: string[] = [];
  for (let reply = first; ;) {
    const { next_action: { action } = {}, next_call: call } = reply.data as Following;
    all.push(reply.text, JSON.stringify(reply.data));
    if (call === undefined) return all.join("\n");
    if (action === "complete_workflow") beforeEnd();
    const skip = { status: "skipped", skip_reason: "as it was" };
    const report = action === "batch_decision" ? { result: "review_by_file" } : call.tool === "workflow_progress" ? skip : {};
    reply = await follow(reply, report);
  }
}

describe("a run about changed files", () => {
  test("begins with those alone, says since when, and reads and shows no other, also not in its status, report and export", async () => {
    const started = await start("old-calls", { scope: "changed", since: "main" });
    const base = repository.git("rev-parse", "main");
    expect(started.data).toMatchObject({
      file_inventory: { total: 3, changed_since: { ref: "main", base, changed_lines: false } },
      analysis_summary: { total_instances: 4 },
    });
    expect(started.text).toContain(`3 files changed since main (${base.slice(0, 10)})`);
    expect([...new Set(read)].sort()).toEqual(touched);
    const run = String(started.data["run_id"]);
    const status = await client.call("workflow_status", { run_id: run, include_all_files: true });
    expect(status.data).toMatchObject({ progress: { files_total: 3 }, changed_since: { ref: "main" } });
    expect((status.data["files"] as { path: string }[]).map(({ path }) => path)).toEqual(touched);
    const report = await client.call("workflow_complete", { run_id: run, interim: true });
    expect(JSON.stringify(report.data)).toContain(`changed since main (${base.slice(0, 10)})`);
    const said = await toItsEnd(started);
    const all = [said, status.text, JSON.stringify(status.data), JSON.stringify(report.data)].join("\n");
    expect(all.match(/src\/f(?!7\.|9\.)\d+\.js/)).toBeNull();
    expect([...new Set(read)].sort()).toEqual(touched);
  });

  test("keeps what it is compared with when the branch moves on, takes in what is changed meanwhile, and keeps what is changed back", async () => {
    const base = repository.git("rev-parse", "main");
    const started = await start("review", { scope: "changed", since: "main" });
    repository.git("update-ref", "refs/heads/main", "work");
    let isOver = false;
    const said = await toItsEnd(started, () => {
      if (isOver) return;
      isOver = true;
      repository.put({ "src/f20.js": "changed(20);\n", "src/f9.js": tree["src/f9.js"] ?? "", "lib/new.js": null });
    });
    const run = String(started.data["run_id"]);
    const status = await client.call("workflow_status", { run_id: run, include_all_files: true });
    expect((status.data["files"] as { path: string }[]).map(({ path }) => path)).toEqual([...touched, "src/f20.js"]);
    expect(status.data).toMatchObject({ changed_since: { ref: "main", base } });
    expect([...new Set(said.match(/src\/f\d+\.js/g))].sort()).toEqual(["src/f20.js", "src/f7.js", "src/f9.js"]);
  });

  test("with changed lines it is about what is on them, as they are at each look", async () => {
    const started = await start("old-calls", { scope: "changed", since: "main", options: { changed_lines: true } });
    expect(started.data).toMatchObject({
      analysis_summary: { total_instances: 3 },
      file_inventory: { changed_since: { changed_lines: true } },
    });
    let reply = await follow(started, { result: "review_by_file" });
    const open = (): Record<string, unknown> => reply.data["next_action"] as Record<string, unknown>;
    expect(open()).toMatchObject({ file: "lib/new.js" });
    repository.put({ "lib/new.js": "fresh('n');\n" });
    reply = await follow(reply, { status: "completed" });
    expect(open()).toMatchObject({ file: "src/f7.js", line: 2 });
    // A line that is edited is a changed one from now on, and what is on it belongs to the run.
    repository.put({ "src/f7.js": "old('7');\nfresh('new');\nkeep(7, old(more));\n" });
    reply = await follow(reply, { status: "completed" });
    expect(open()).toMatchObject({ file: "src/f7.js", line: 3 });
    repository.put({ "src/f7.js": "old('7');\nfresh('new');\nkeep(7, more);\n" });
    reply = await follow(reply, { status: "completed" });
    expect(open()).toMatchObject({ file: "src/f9.js", line: 1 });
  });

  test("a batch fixes what is on changed lines and leaves the rest", async () => {
    const started = await start("old-calls", { scope: "changed", since: "main", path: "src, lib", options: { changed_lines: true } });
    const run_id = String(started.data["run_id"]);
    await follow(started, { result: "apply_auto_first" });
    const preview = await client.call("workflow_batch", { run_id, operation: "apply_fixes", filter: { auto_fixable_only: true } });
    expect(preview.data).toMatchObject({ preview: { instances_affected: 2, files_affected: 2 } });
    await client.call("workflow_batch", {
      run_id,
      operation: "apply_fixes",
      dry_run: false,
      confirmation_token: preview.data["confirmation_token"],
    });
    expect(await world.text("src/f7.js")).toBe("old('7');\nfresh('new');\nkeep(7);\n");
    expect(await world.text("lib/new.js")).toBe("fresh('n');\n");
  });

  test("what it calls goes through the same changed files, and a path limits both", async () => {
    const started = await start("both", { scope: "changed", since: "main", path: "src", options: { max_files: 9 } });
    expect(started.data).toMatchObject({ file_inventory: { total: 2 } });
    repository.git("update-ref", "refs/heads/main", "work");
    const run = String(started.data["run_id"]);
    await toItsEnd(started);
    const status = await client.call("workflow_status", { run_id: run, include_all_files: true });
    const files = (status.data["files"] as { path: string; workflow_type?: string }[]).map(
      ({ path, workflow_type: of }) => `${path} ${of ?? ""}`,
    );
    expect(files).toEqual(["src/f7.js ", "src/f9.js ", "src/f7.js review", "src/f9.js review"]);
  });

  test("without a name it says what it chose, and without a changed file it is over at once", async () => {
    repository.put({ "test/readme.md": "x\n" });
    const started = await start("old-calls", { scope: "changed", path: "test" });
    expect(started.data).toMatchObject({
      file_inventory: { total: 0, changed_since: { ref: "main" } },
      next_action: {
        action: "complete_workflow",
        instruction: expect.stringContaining("No changed file matches, so there is nothing to do."),
      },
    });
    expect(read).toEqual([]);
  });

  test("what cannot be is refused before anything begins", async () => {
    const wrong: readonly (readonly [JsonObject, string])[] = [
      [{ scope: "changed", since: "mian" }, "CHECKLIST_UNKNOWN_REF"],
      [{ scope: "changed", since: "main", options: { since: "work" } }, "given twice"],
      [{ scope: "changed", path: "nowhere" }, "ENGINE_WRONG_INPUTS"],
      [{ options: { changed_lines: "yes" } }, "MCP_"],
      [{ inputs: { options: { since: 7 } } }, "ENGINE_WRONG_INPUTS"],
      [{ path: "src" }, "`path` needs `scope`: directory, files or changed"],
    ];
    for (const [args, why] of wrong) {
      const refused = await start("old-calls", args);
      expect(refused.text + JSON.stringify(refused.data)).toContain(why);
    }
    expect(await world.engine.context.store.listRuns({ limit: 9 })).toEqual([]);
  });
});

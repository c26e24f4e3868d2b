/** In a run of a checklist an entry may be reported by the author's id too, where it means the one that the caller was shown. */
import { afterEach, expect, test } from "vitest";
import type { TestClient, ToolReply } from "../../process/mcp-client.ts";
import { review } from "../../support/checklist-sample.ts";
import { openChecklistWorld, type ChecklistWorld } from "../../support/checklist-world.ts";

let world: ChecklistWorld | undefined;
afterEach(async () => {
  await world?.close();
  world = undefined;
});

const onlyAnalyze = review.replace(/ {2}- \{ id: review_complete.*\n/, "");

interface Opened {
  readonly call: TestClient["call"];
  readonly run: string;
  readonly first: ToolReply;
  /** Reports what is named so. */
  readonly report: (action_id: string, more?: object) => Promise<ToolReply>;
}

async function opened(definition = review): Promise<Opened> {
  const definitions = { ".waymark/workflows/r.workflow.yaml": definition };
  world = await openChecklistWorld({ workflows: [], definitions, files: { "a.js": "1;\n", "b.js": "2;\n" } });
  const { call } = await world.client({ toolsets: ["seed"] });
  const first = await call("workflow_start", { workflow: "review" });
  const run = first.data.run_id as string;
  return {
    call,
    run,
    first,
    report: (action_id, more = {}) => call("workflow_progress", { run_id: run, action_id, status: "completed", result: "read", ...more }),
  };
}

const open = (file: string, item: string): object => ({ next_action: { file, checklist_item_id: item } });

test("an entry shows its action_id beside the next action, as steps do", async () => {
  const { call, run, first, report } = await opened();
  expect(first.data.action_id).toBe(first.data.next_call.arguments.action_id);
  const second = await report(first.data.action_id);
  expect(second.data).toMatchObject({ action_id: second.data.next_call.arguments.action_id, ...open("a.js", "review_complete") });
  expect((await call("workflow_next", { run_id: run })).data.action_id).toBe(second.data.action_id);
});

test.each(["analyze", "a.js#analyze"])("`%s` reports the entry that is open, and sent again it was reported before", async (name) => {
  const { report } = await opened();
  const done = await report(name);
  expect(done.data).toMatchObject(open("a.js", "review_complete"));
  expect(done.data).not.toHaveProperty("recorded");
  const again = await report(name);
  expect(again.data).toMatchObject({ recorded: "before", ...open("a.js", "review_complete") });
});

test("the whole id of a hand-out reports it, and sent again it was reported before", async () => {
  const { first, report } = await opened();
  const whole = `a.js#analyze@${first.data.next_call.arguments.action_id as string}`;
  expect((await report(whole)).data).toMatchObject(open("a.js", "review_complete"));
  expect((await report(whole)).data).toMatchObject({ recorded: "before", ...open("a.js", "review_complete") });
});

test("the same words again never close the entry of that id in the next file, whatever was asked for since", async () => {
  const { call, run, report } = await opened(onlyAnalyze);
  expect((await report("analyze")).data).toMatchObject(open("b.js", "analyze"));
  const again = await report("analyze");
  expect(again.data).toMatchObject({ recorded: "before", ...open("b.js", "analyze") });
  expect(again.text).toContain("To report what is open now, name its action_id.");
  await call("workflow_next", { run_id: run });
  expect((await report("analyze")).data).toMatchObject({ recorded: "before", ...open("b.js", "analyze") });
  const other = await report("analyze", { status: "skipped", skip_reason: "generated" });
  expect(other.data).toMatchObject({ next_action: { action: "complete_workflow" } });
});

test("the same words about an earlier file's entry stay known when others were reported since", async () => {
  const { report } = await opened();
  for (const name of ["analyze", "review_complete"]) await report(name);
  expect((await report("analyze")).data).toMatchObject({ recorded: "before", ...open("b.js", "analyze") });
  expect((await report("a.js#analyze")).data).toMatchObject({ recorded: "before", ...open("b.js", "analyze") });
});

test("an entry that was not shown is not meant by its author's id", async () => {
  const { call, run, first, report } = await opened();
  const done = await call("workflow_step_complete", {
    workflow_id: run,
    step_id: first.data.next_call.arguments.action_id,
    status: "completed",
    result: "read",
  });
  expect(done.data).toMatchObject({ success: true });
  const unseen = await report("review_complete");
  expect(unseen.data.error).toMatchObject({ code: "ENGINE_OFF_COURSE" });
  expect(unseen.data.error.message).not.toContain("is not open");
  await call("workflow_next", { run_id: run });
  expect((await report("review_complete")).data).toMatchObject(open("b.js", "analyze"));
});

test("an entry that is not open is refused with what is", async () => {
  const { report } = await opened();
  const { error } = (await report("review_complete")).data;
  expect(error).toMatchObject({ code: "ENGINE_OFF_COURSE" });
  expect(error.message).toMatch(/`review_complete` is not open in run .+ Open is `analyze_file` of `analyze` in a\.js\./);
});

import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { afterEach, expect, test } from "vitest";
import { oldCalls } from "../../../../test/support/checklist-sample.ts";
import { costOf, openChecklistWorld, type ChecklistWorld } from "../../../../test/support/checklist-world.ts";

let world: ChecklistWorld | undefined;
afterEach(async () => {
  await world?.close();
  world = undefined;
});

const skipped = { status: "skipped", skip_reason: "Looked at; it stays." };

test.each([
  ["error-to-errorinfo-migration", "sample-al-app"],
  ["typescript-migration", "sample-ts-app"],
])(
  "every instance of %s comes with five lines on either side, its proposal and its guidance whole, in 400 tokens",
  async (workflow, sample) => {
    world = await openChecklistWorld({ workflows: [workflow], sample });
    const { call } = await world.client();
    let reply = await call("workflow_start", { workflow_type: workflow });
    const session_id: string = reply.data.session_id;
    if (reply.data.next_action.type === "user_decision") reply = await call("workflow_progress", { session_id, answer: "review_by_file" });
    let [seen, whole, guided] = [0, 0, 0];
    while (reply.data.next_action.action === "convert_instance") {
      seen += 1;
      const { file, line, match_text: match, context, cut = [], specialist_guidance: guidance } = reply.data.next_action;
      expect(costOf(reply)).toBeLessThan(400);
      expect(cut.filter((name: string) => name !== "context")).toEqual([]);
      const { text = "" } = (await world.engine.context.workspace.readText(world.folder, file)) ?? {};
      const lines = text.split(/\r?\n/);
      const end = line + match.split("\n").length - 1;
      const around = lines.slice(Math.max(0, line - 6), end + 5);
      const bare = (text: string): string => text.replaceAll(/\s+/g, " ").trim();
      const isWhole = !cut.includes("context");
      if (isWhole) whole += 1;
      expect(!isWhole || bare(context) === bare(around.join("\n")), `${context}\n---\n${around.join("\n")}`).toBe(true);
      expect(bare(context)).toContain(bare(match));
      if (guidance !== undefined) guided += 1;
      expect(guidance ?? "Topic a/b.").toMatch(/Topic [\w-]+\/[\w-]+\.$/);
      expect(sample === "sample-ts-app" ? `${reply.text}${guidance ?? ""}` : "").not.toMatch(/\bAL\b|codeunit/i);
      reply = await call("workflow_progress", { ...reply.data.next_call.arguments, ...skipped });
      expect(reply.isError, reply.text).toBe(false);
    }
    expect(guided).toBeGreaterThan(2);
    expect(whole / seen).toBeGreaterThan(0.65);
  },
);

test("the checklist of a file describes an instance by its place and text", async () => {
  const byAgent = oldCalls.replace("required: true }\ntopic", "required: true, by: agent }\ntopic");
  const definitions = { ".waymark/workflows/old-calls.workflow.yaml": byAgent };
  world = await openChecklistWorld({ workflows: [], definitions, files: { "a.js": "\nold(x);\n" } });
  const { call } = await world.client();
  const { session_id } = (await call("workflow_start", { workflow_type: "old-calls" })).data;
  const instance = await call("workflow_progress", { session_id, answer: "review_by_file" });
  const entry = await call("workflow_progress", { ...instance.data.next_call.arguments, ...skipped });
  const described = entry.data.current_file.checklist.map(({ description }: { description: string }) => description);
  expect(described).toEqual(["Scan", "Line 2: old(x)", "All calls dealt with"]);
});

const byType = oldCalls.replace(
  "completion_rules:",
  "approach: { options: [{ id: review_by_type, label: T }, { id: review_by_file, label: F }], recommended: review_by_file, answer_by: relay }\ncompletion_rules:",
);

test.each(["review_by_file", "review_by_type"])(
  "%s: what others changed is not handed out, and is settled with that reason",
  async (way) => {
    const files = { "a.js": "old(x);\nold(y);\nold(z);\n", "b.js": "old(w);\n" };
    world = await openChecklistWorld({ workflows: [], definitions: { ".waymark/workflows/old-calls.workflow.yaml": byType }, files });
    const { call } = await world.client();
    const { session_id } = (await call("workflow_start", { workflow_type: "old-calls" })).data;
    const first = await call("workflow_progress", { session_id, answer: way });
    expect(first.data.next_action.match_text).toBe("old(x)");
    await writeFile(join(world.folder, "a.js"), "// first\nold(x);\nfresh(y);\nold(z);\n");
    await writeFile(join(world.folder, "b.js"), "fresh(w);\n");
    const second = await call("workflow_progress", { ...first.data.next_call.arguments, ...skipped });
    expect(second.data.next_action).toMatchObject({ match_text: "old(z)", line: 4, instruction: "Look at it" });
    expect(second.data.next_action.context).toContain("fresh(y)");
    const last = await call("workflow_progress", { ...second.data.next_call.arguments, ...skipped });
    expect(last.data.next_action.action).toBe("complete_workflow");
    const done = await call("workflow_complete", { session_id });
    expect(done.data.summary).toMatchObject({ instances_converted: 0, instances_skipped: 4, manually_reviewed: 0 });
    expect(done.data.report.match(/it was changed outside of this run/g)).toHaveLength(2);
  },
);

test("what changes together with a converted place is converted with it, by hand", async () => {
  const text = [
    "codeunit 50100 A",
    "{",
    "    procedure P()",
    "    var",
    "        M: Codeunit NoSeriesManagement;",
    "    begin",
    "        X := M.GetNextNo(S, D, true);",
    "        M.SetSeries(S);",
    "    end;",
    "}",
    "",
  ].join("\n");
  world = await openChecklistWorld({ workflows: ["bc-version-upgrade"], files: { "src/a.al": text } });
  const { call } = await world.client();
  const options = { source_version: "23", target_version: "24" };
  const { session_id } = (await call("workflow_start", { workflow_type: "bc-version-upgrade", options })).data;
  const first = await call("workflow_progress", { session_id, answer: "review_by_file" });
  expect(first.data.next_action.instance_type).toBe("declaration");
  const changed = text.replace("NoSeriesManagement", '"No. Series"').replace(", true", "").replace("        M.SetSeries(S);\n", "");
  await writeFile(join(world.folder, "src/a.al"), changed);
  const next = await call("workflow_progress", { ...first.data.next_call.arguments, status: "completed" });
  expect(next.data.next_action.action).toBe("complete_workflow");
  expect((await call("workflow_complete", { session_id })).data.summary).toMatchObject({
    instances_converted: 3,
    instances_skipped: 0,
    manually_reviewed: 3,
  });
});

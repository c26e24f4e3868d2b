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
      if (!cut.includes("context")) {
        whole += 1;
        expect(bare(context)).toBe(bare(around.join("\n")));
      }
      expect(bare(context)).toContain(bare(match));
      if (guidance !== undefined) {
        guided += 1;
        expect(guidance).toMatch(/Topic [\w-]+\/[\w-]+\.$/);
        if (sample === "sample-ts-app") expect(reply.text + guidance).not.toMatch(/\bAL\b|codeunit/i);
      }
      reply = await call("workflow_progress", { ...reply.data.next_call.arguments, ...skipped });
      expect(reply.isError, reply.text).toBe(false);
    }
    expect(guided).toBeGreaterThan(2);
    expect(whole / seen).toBeGreaterThan(0.7);
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

import { expect, test } from "vitest";
import { smallBot } from "../../../../test/support/bot-sample.ts";
import { sampleSet } from "../../../../test/support/sample-set.ts";
import { loadWorkflow } from "../../../../test/support/all-dialects.ts";

test("an action that several behaviours share and that calls nothing that exists is told once, in its own file", () => {
  const gather = { name: "gather", workflow: true, order: 1, next_action: "render", calls: "nosuch" };
  const files = smallBot({ "base_actions/gather/action_config.json": JSON.stringify(gather) });
  const { diagnostics, program } = loadWorkflow(sampleSet(files, ["small_bot"]));
  expect(program).toBeUndefined();
  expect(diagnostics.filter(({ severity }) => severity === "error")).toEqual([
    expect.objectContaining({
      code: "BOTS_UNKNOWN_WORKFLOW",
      path: "calls",
      place: expect.objectContaining({ file: ".waymark/workflows/small_bot/base_actions/gather/action_config.json", line: 1 }),
    }),
  ]);
});

import { afterEach, expect, test } from "vitest";
import { openChat, type ChatBench } from "../support/chat-bench.ts";
import { samples } from "../support/calling-samples.ts";

let bench: ChatBench;
afterEach(() => bench.close());

/** An agent that reports every step as done. */
const script = {
  turns: [
    {
      match: '"run_id":"(?<run>[^"]+)","action_id":"(?<action>[^"]+)"',
      do: [
        { call: { tool: "workflow_progress", with: { run_id: "$<run>", action_id: "$<action>", status: "success" } } },
        { say: "Done." },
      ],
    },
    { match: "", do: [{ say: "Nothing to report." }] },
  ],
};

test.each([
  ["steps", "  Steps: sample_hello\n", ["hello"]],
  ["checklist", "  Steps: inventory → analysis → summary\n", ["**Phase**: inventory", "**Phase**: analysis"]],
  ["bots", "", [expect.stringMatching(/^\*\*Question\*\* from sample [^]*project area of sample/)]],
  ["machine", "  Steps: MAKE → DONE\n", ["**State**: MAKE"]],
] as const)("a workflow of the dialect %s is listed with its steps, started and shown", async (dialect, steps, shown) => {
  bench = await openChat({ ...samples[dialect]("sample"), "a.js": "1;\n" }, { script, allow: ["sample"] });
  const { description = "" } = (await bench.engine.context.catalog.list()).find(({ name }) => name === "sample") ?? {};
  expect(await bench.say("/workflow list")).toEqual([`Available Workflows:\n\n**sample**\n  ${description}\n${steps}\n`]);
  const said = await bench.say("/workflow run sample");
  const line = steps === "" ? "" : `\n\n${steps.trim()}`;
  expect(said.slice(0, shown.length + 1)).toEqual([`**Starting workflow**: sample\n\n${description}${line}`, ...shown]);
});

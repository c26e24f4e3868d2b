import { afterEach, beforeEach, expect, test } from "vitest";
import { openCliBench, type CliBench } from "../../../test/process/cli-world.ts";

const chain = `name: chain
description: Says and does
version: "1.0.0"
steps:
  - { id: hello, type: user_message, message: Hello. }
  - { id: plan, type: agent_task, prompt: Plan it. }
  - { id: between, type: user_message, message: Half of it. }
  - { id: work, type: agent_task, prompt: Do it. }
  - { id: report, type: agent_shell_command, command: make, state_update: { path: raw.made } }
  - { id: bye, type: user_message, message: Bye. }
`;
const agent = String.raw`turns:
  - { match: Plan, do: [{ say: Planned. }] }
  - { match: Do it, do: [{ say: Did it. }] }
  - match: '"run_id":"(?<run>[^"]+)","action_id":"(?<action>[^"]+)"'
    do:
      - { say: Made it. }
      - { call: { tool: workflow_progress, with: { run_id: $<run>, action_id: $<action>, result: made } } }
`;

let bench: CliBench;
beforeEach(async () => {
  bench = await openCliBench({ ".waymark/workflows/chain.yaml": chain, "agent.yaml": agent });
  await bench.run(["allow", "chain"], { terminal: true, typed: ["y"] });
});
afterEach(() => bench.close());

const happened = [
  "Hello.",
  "✓ hello",
  "script:agent.yaml: Planned.",
  "✓ plan",
  "Half of it.",
  "✓ between",
  "script:agent.yaml: Did it.",
  "✓ work",
  "script:agent.yaml: Made it.",
  "✓ report",
  "Bye.",
  "✓ bye",
];

test.each([[[]], [["--json"]]])("lines come in the order of what happened, without a terminal (%j)", async (flags) => {
  const { code, stdout } = await bench.run([...flags, "run", "chain", "--agent", "script:agent.yaml", "--permission", "edit"]);
  const lines = stdout.split("\n").map((line) => (line.startsWith("{") ? ((JSON.parse(line) as { text?: string }).text ?? "") : line));
  expect([code, lines.filter((line) => happened.includes(line))]).toEqual([0, happened]);
});

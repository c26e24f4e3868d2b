import { afterEach, expect, test } from "vitest";
import { openChat, type ChatBench } from "../support/chat-bench.ts";

let bench: ChatBench;
afterEach(() => bench.close());

const chain = {
  ".archon/workflows/feature-development.yaml": `name: feature-development
description: Build a feature from plan to PR. Use when user wants to add new functionality.
steps:
  - step: plan
  - step: implement
    clearContext: true
  - step: create-pr
`,
  ".archon/steps/plan.md": "Plan: $USER_MESSAGE\n",
  ".archon/steps/implement.md": "Implement: $USER_MESSAGE\n",
  ".archon/steps/create-pr.md": "Create the PR.\n",
};

const worker = {
  turns: [
    { match: "^Plan: ", do: [{ say: "I plan." }, { write: { file: "plan.md", text: "1." } }, { say: "Planned." }] },
    { match: "^Implement: ", do: [{ say: "Implemented." }] },
    { match: "^Create the PR", do: [{ say: "Opened." }] },
  ],
};

test("a request starts the workflow, and its steps are shown to the end", async () => {
  bench = await openChat(chain, { script: worker, allow: ["feature-development"] });
  expect(await bench.say("Build a dark mode feature")).toEqual([
    "**Starting workflow**: feature-development\n\nBuild a feature from plan to PR. Use when user wants to add new functionality.\n\nSteps: plan → implement → create-pr",
    "**Step 1/3**: plan",
    "I plan.",
    "🔧 WRITE\nplan.md",
    "Planned.",
    "**Step 2/3**: implement",
    "Implemented.",
    "**Step 3/3**: create-pr",
    "Opened.",
    "**Workflow complete**: feature-development",
  ]);
});

test("/help, /status and /workflow list need no agent", async () => {
  bench = await openChat(chain, { allow: ["feature-development"] });
  const [list = ""] = await bench.say("/workflow list");
  expect(list.startsWith("Available Workflows:\n\n")).toBe(true);
  expect(list).toContain(
    "**feature-development**\n  Build a feature from plan to PR. Use when user wants to add new functionality.\n  Steps: plan → implement → create-pr\n\n",
  );
  const [help = ""] = await bench.say("/help");
  expect(help).toContain(
    "Workflows:\n  /workflow list - Show available workflows\n  /workflow reload - Reload workflow definitions\n  Note: Workflows are YAML files in .archon/workflows/",
  );
  const [status = ""] = await bench.say("/status");
  expect(status).toContain("Codebase: work\n");
  expect(await bench.say("/workflow reload")).toEqual([expect.stringMatching(/^Reloaded \d+ workflow\(s\)\.$/)]);
});

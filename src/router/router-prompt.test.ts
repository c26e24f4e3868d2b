import { expect, test } from "vitest";
import { buildRouterPrompt } from "./router-prompt.ts";

const feature = {
  name: "feature-development",
  description: "Build a feature from plan to PR. Use when user wants to add new functionality.",
};

test("without workflows the prompt is the message, unchanged", () => {
  expect(buildRouterPrompt(' Add "dark mode" \n', [])).toBe(' Add "dark mode" \n');
});

test("with workflows it lists them, quotes the message and asks for a routing line", () => {
  expect(buildRouterPrompt("Add dark mode", [feature, { name: "fix-issue", description: "Fix a bug." }])).toBe(`# Router

You route user requests to the appropriate workflow.

## Available Workflows

- **feature-development**: Build a feature from plan to PR. Use when user wants to add new functionality.
- **fix-issue**: Fix a bug.

## User Request

"Add dark mode"

## Instructions

Analyze the user's request carefully.

If a workflow matches:
1. Respond with exactly: WORKFLOW: {workflow-name}
2. Then write a clear summary of the user's intent for the workflow agents.

If no workflow matches:
- Respond conversationally to help the user directly.
- You can ask clarifying questions or provide information.

IMPORTANT: Only output "WORKFLOW: name" if you're confident the request matches a workflow.
The workflow name must exactly match one from the Available Workflows list.`);
});

test("what a workflow says beside its description follows it on its line", () => {
  const more = { triggers: ["add a"], examples: ['Add a "map".'], notFor: ["bugs", "reviews"] };
  expect(buildRouterPrompt("x", [{ ...feature, ...more }])).toContain(
    `- **feature-development**: ${feature.description} Triggers: "add a", "Add a \\"map\\".". NOT for: bugs; reviews.\n`,
  );
});

test("of a very long message the beginning is enough", () => {
  const prompt = buildRouterPrompt("a".repeat(10_000_000), [feature]);
  expect(prompt.length).toBeLessThan(25_000);
  expect(prompt).toContain('a... (10000000 characters)"');
});

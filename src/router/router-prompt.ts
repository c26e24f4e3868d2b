import { cutText } from "../base/index.ts";
import type { Routable } from "./routed.ts";
import { withoutRoutingLines } from "./routing-line.ts";

/** More of a message does not help to choose, and may not fit into a model. */
const longestMessage = 20_000;

/** What a model is asked; the message itself where there is nothing to choose from. */
export function buildRouterPrompt(userMessage: string, workflows: readonly Routable[]): string {
  if (workflows.length === 0) return userMessage;
  return `# Router

You route user requests to the appropriate workflow.

## Available Workflows

${workflows.map(listed).join("\n")}

## User Request

"${cutText(userMessage, longestMessage)}"

## Instructions

Analyze the user's request carefully.

If a workflow matches:
1. Respond with exactly: WORKFLOW: {workflow-name}
2. Then write a clear summary of the user's intent for the workflow agents.

If no workflow matches:
- Respond conversationally to help the user directly.
- You can ask clarifying questions or provide information.

IMPORTANT: Only output "WORKFLOW: name" if you're confident the request matches a workflow.
The workflow name must exactly match one from the Available Workflows list.`;
}

function listed({ name, description, triggers = [], examples = [], notFor = [] }: Routable): string {
  const asked = [...triggers, ...examples].map((phrase) => JSON.stringify(phrase)).join(", ");
  const more = [...(asked === "" ? [] : [`Triggers: ${asked}.`]), ...(notFor.length === 0 ? [] : [`NOT for: ${notFor.join("; ")}.`])];
  // A line of a description must not look like an answer that a model may repeat.
  return `- **${name}**: ${[withoutRoutingLines(description).trimEnd(), ...more].join(" ")}`;
}

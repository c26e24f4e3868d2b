import { asSentence } from "../base/index.ts";
import type { ChosenAgent } from "./choose-agent.ts";
import type { DriveEnd } from "./drive-request.ts";

/** How driving ends where an agent can do nothing before a person has changed something. */
export type Refusal = Pick<Extract<DriveEnd, { readonly kind: "parked" }>, "why" | "login" | "setup">;

/** What cannot work with one model may with another. */
export function setupOf({ agent, model }: Pick<ChosenAgent, "agent" | "model">): string {
  return JSON.stringify([agent, model]);
}

export function refusalOf(agent: string, needs: "login" | "setup", why: string, role?: string): Refusal {
  if (needs === "login") return { why: `\`${agent}\` is refused by its provider: ${why}`, login: agent };
  const todo =
    role === undefined
      ? "Correct its entry below `agents` in the configuration, or name another model or agent. No step failed for it."
      : `Name another model or agent for the role \`${role}\` (\`--role\`, or \`roles\` in the configuration), or correct the entry of the agent. No step failed for it.`;
  return { why: `\`${agent}\` cannot work as it is set up: ${asSentence(why)} ${todo}`, setup: agent };
}

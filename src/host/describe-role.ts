import type { RoleConfig } from "./settings.ts";

/** Who plays a role, as one line. */
export function describeRole({ agent, model, permission }: RoleConfig): string {
  const facts = [...(model === undefined ? [] : [`model ${model}`]), ...(permission === undefined ? [] : [`permission ${permission}`])];
  return `${agent ?? "the agent of the run"}${facts.length === 0 ? "" : ` (${facts.join(", ")})`}`;
}

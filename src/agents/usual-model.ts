import type { AgentEvent } from "../ports/index.ts";
import type { AgentSpec } from "./agent-spec.ts";

type Notice = Extract<AgentEvent, { readonly type: "notice" }>;

/** A size or an alias in the place of a model. An agent that has no model for it works with its usual one. */
export function isSize(model: string): boolean {
  return /^(?:small|medium|large)$|^@/.test(model);
}

export function usualModelNotice({ name }: Pick<AgentSpec, "name">, size: string): Notice {
  const text = `\`${name}\` has no model for \`${size}\`, so its usual model is used. Name one in its entry below \`agents\` in the configuration: \`${modelsEntry(size)}\`.`;
  return { type: "notice", level: "warn", text, once: true };
}

/** The line of an agent's entry that says which model a name is. */
export function modelsEntry(name: string): string {
  return `models: { ${/^[\w.-]+$/.test(name) ? name : JSON.stringify(name)}: <model> }`;
}

import { defined, type JsonObject } from "../../../base/index.ts";
import type { PromptsDefinition } from "./prompts-definition.ts";

/** What the workflow says for all of its steps, as far as it says something. */
export function usualOf({
  provider: agent,
  model,
  permission,
}: Pick<PromptsDefinition, "provider" | "model" | "permission">): JsonObject | undefined {
  const usual = defined({ agent, model, permission });
  return Object.keys(usual).length === 0 ? undefined : usual;
}

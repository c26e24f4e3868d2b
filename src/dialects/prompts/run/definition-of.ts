import type { RunHandle } from "../../../engine/index.ts";
import type { PromptsDefinition } from "../definition/index.ts";

/** What lowering kept of the run's own workflow; undefined for runs of other dialects. */
export function definitionOf({ program }: Pick<RunHandle, "program">): PromptsDefinition | undefined {
  const part = program.parts[program.main];
  return part?.dialect === "prompts" ? (part.config["prompts"] as unknown as PromptsDefinition) : undefined;
}

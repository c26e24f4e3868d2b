/**
 * Chains of prompts as they are written in files: a YAML file with steps, and a Markdown file per step. Pure. Begin with
 * `prompts-dialect.ts`, then `parse-prompts.ts` and `lower.ts`.
 */
export type { GraphNode } from "./graph-definition.ts";
export { type PromptsDefinition, artifactsFolder, logsFolder, stateFolder } from "./prompts-definition.ts";
export { promptsDialect } from "./prompts-dialect.ts";

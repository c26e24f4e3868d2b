import type { topicTools } from "../definition/index.ts";

/** Named here once more, and checked by the compiler, since the list of tools is shown before any definition is read. */
const own: Readonly<Record<(typeof topicTools)[number], true>> = {
  analyze_al_code: true,
  analyze_code: true,
  retrieve_bc_knowledge: true,
  retrieve_knowledge: true,
  ask_bc_expert: true,
};

/** A tool of Waymark that suggests topics of the knowledge; any other one is of a server that the agent has. */
export function isOwnTool(tool: string): boolean {
  return Object.hasOwn(own, tool);
}

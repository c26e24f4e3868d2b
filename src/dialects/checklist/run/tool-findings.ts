import type { Finding } from "../../../ports/index.ts";
import type { ChecklistDefinition, ToolDefinition } from "../definition/index.ts";
import { runTool, type ToolCounts, type ToolEngine } from "./run-tool.ts";
import { presentTools } from "./tools-of-run.ts";

export interface ToolFindings {
  /** By path, relative to the workspace. */
  readonly findings: Readonly<Record<string, readonly Finding[]>>;
  readonly counts: readonly ToolCounts[];
  /** Tools of the workflow that are not in this workspace. */
  readonly absent: readonly ToolDefinition[];
}

/**
 * What the tools of a workflow report of these files, without a run; a permission for them is asked before. Throws CHECKLIST_TOOL_BROKEN when one
 * does not say what it found.
 */
export async function toolFindings(
  context: ToolEngine,
  { tools = [] }: Pick<ChecklistDefinition, "tools">,
  paths: ReadonlySet<string>,
): Promise<ToolFindings> {
  const present = presentTools(context, tools);
  const found = new Map<string, Finding[]>();
  const counts: ToolCounts[] = [];
  for (const tool of present) {
    const look = await runTool(context, { tool, counts: (path) => paths.has(path) });
    // Only a signal stops it, and nobody gave one.
    if (look === undefined) throw new Error(`\`${tool.id}\` was stopped.`);
    counts.push(look.counts);
    for (const [path, own] of look.findings) found.set(path, [...(found.get(path) ?? []), ...own]);
  }
  return { findings: Object.fromEntries(found), counts, absent: tools.filter((tool) => !present.includes(tool)) };
}

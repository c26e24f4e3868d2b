import type { EngineContext } from "../../../engine/index.ts";
import { timeOf } from "./machine-job.ts";
import type { MachineMemory } from "./machine-memory.ts";
import type { MachineRun } from "./machine-run.ts";

/** The one file that status files have a flag for. */
const flagged = ".github/copilot-instructions.md";

export async function projectFlags(context: EngineContext): Promise<NonNullable<MachineMemory["flags"]>> {
  const found = await context.workspace.read(context.host.workspace, flagged);
  return { copilot_instructions_exists: found !== undefined, copilot_checked_at: await timeOf(context) };
}

/**
 * Files with the project's own instructions that roles must read. The flag is read from memory as it was stored; where it is not
 * known, the file is looked for again.
 */
export async function projectInstructions(
  context: EngineContext,
  run: MachineRun,
  flags: MachineMemory["flags"],
): Promise<readonly string[]> {
  const found: string[] = [];
  for (const path of run.definition.projectInstructions) {
    const known = path === flagged ? (flags?.copilot_instructions_exists ?? undefined) : undefined;
    if (known ?? (await context.workspace.read(context.host.workspace, path)) !== undefined) found.push(path);
  }
  return found;
}

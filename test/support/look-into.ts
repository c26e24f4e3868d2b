import { openCliBench, type CliResult } from "../process/cli-world.ts";
import type { Package } from "../process/mcp-package.ts";

/**
 * What a command that only shows something prints for the workspace of a built package. The command line is the real one, in the process of the
 * test: starting the package once more would show nothing else and take ten times as long.
 */
export async function lookInto(
  { workspace, command }: Pick<Package, "workspace" | "command">,
  args: readonly string[],
): Promise<CliResult> {
  const desk = await openCliBench();
  try {
    return await desk.run(args, { cwd: workspace, env: command([]).env });
  } finally {
    await desk.close();
  }
}

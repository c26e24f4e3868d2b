import type { Program } from "../program/index.ts";
import type { Permission } from "../ports/index.ts";
import type { LoadedWorkflow } from "./catalog.ts";
import { refused } from "./codes.ts";
import type { EngineContext } from "./context.ts";

/** Everything a program can make the engine run, as a person should see it before allowing it. Tool calls count only where the engine can make them. */
export function whatItRuns({ leaves, host }: Pick<EngineContext, "leaves" | "host">, program: Program): string[] {
  const runs = leaves.inProgram(program).flatMap(({ leaf, block }) => leaf.runs(block.args));
  const effective = runs.filter(({ kind }) => kind !== "tool" || host.tools.configured);
  return [...new Set(effective.map(({ kind, text }) => `${kind}: ${text}`))];
}

/** A project's workflow that can run something needs a person's permission for exactly this content. */
export async function requirePermission(
  context: EngineContext,
  workflow: LoadedWorkflow & { readonly program: Program },
): Promise<Permission | undefined> {
  if (workflow.source !== "project") return undefined;
  // An agent that a person started asks that person itself; only one that Waymark starts needs permission.
  const runs = whatItRuns(context, workflow.program).filter((line) => !line.startsWith("agent: "));
  if (runs.length === 0) return undefined;
  const permission = await context.host.permissions.find(workflow.hash);
  if (permission !== undefined) return permission;
  const allowedCommands = new Set(
    (await context.host.permissions.list())
      .filter((entry) => entry.workflow === "" && entry.workspace === context.host.workspace)
      .flatMap((entry) => entry.runs),
  );
  if (runs.every((line) => allowedCommands.has(line))) return undefined;
  const shown = runs
    .slice(0, 10)
    .map((line) => `  ${line}`)
    .join("\n");
  throw refused(
    "ENGINE_NOT_ALLOWED",
    `\`${workflow.name}\` comes with this project and has not been allowed to run anything yet. It would run:\n${shown}${runs.length > 10 ? `\n  and ${runs.length - 10} more` : ""}\nNothing was started.`,
    `A person must read ${workflow.path} and then run: waymark allow ${workflow.name}`,
    { hash: workflow.hash, runs },
  );
}

import { isObject, nearest, type JsonObject } from "../../base/index.ts";
import type { RunOptions } from "../../kernel/index.ts";
import type { Budget, Program } from "../../program/index.ts";
import type { Caller } from "../caller.ts";
import type { LoadedWorkflow } from "../catalog.ts";
import { patternsOf } from "../checklist/pattern-problems.ts";
import { refused } from "../codes.ts";
import type { EngineContext } from "../context.ts";
import { createRun, pinWorkflow, runId } from "../create-run.ts";
import { checkInputs } from "../check-inputs.ts";
import { scopeOf } from "../effects/inventory.ts";
import type { Position } from "../position.ts";
import { requirePermission } from "../permission.ts";
import { next, type NextRequest } from "./next.ts";

export interface StartRequest extends Pick<NextRequest, "waitMs" | "signal" | "onProgress"> {
  readonly workflow: string;
  readonly inputs?: JsonObject;
  readonly serial?: boolean;
  readonly budget?: Budget;
  /** Id of the run; minted unless given. */
  readonly id?: string;
}

/** Pins the workflow as it is now, checks inputs and permission, and walks to the first thing the caller must do. */
export async function start(
  context: EngineContext,
  caller: Caller,
  request: StartRequest,
): Promise<Position & { readonly workflow: LoadedWorkflow }> {
  const workflow = await context.catalog.loadValid(request.workflow);
  const inputs = await checkInputs(context, workflow, request.inputs ?? {});
  await requirePermission(context, workflow);
  if (workflow.program.dialect === "checklist") {
    refuseUnknownOptions(inputs);
    await refuseBadPath(context, inputs);
  }
  await refuseBadRules(workflow.program);
  const run = request.id ?? runId(workflow.name, await context.store.now(), context.host.randomText(6));
  const options: RunOptions = { serial: request.serial === true, unable: context.host.tools.configured ? [] : ["mcp"] };
  const pin = await pinWorkflow(context, workflow);
  const given = { ...context.settings.budget, ...workflow.program.parts[workflow.program.main]?.budget };
  const budget = { ...given, ...(caller.holder.kind === "person" ? request.budget : withinOf(given, request.budget ?? {})) };
  await createRun(context, caller, { run, pin, program: workflow.program, inputs, options, budget });
  const position = await next(context, caller, { ...request, run });
  return { ...position, workflow };
}

/** Only a person may raise a limit that the workflow or the settings give; anybody may ask for less. */
function withinOf(given: Budget, asked: Budget): Budget {
  const keys = Object.keys(asked) as (keyof Budget)[];
  return Object.fromEntries(keys.map((key) => [key, Math.min(asked[key] ?? Infinity, given[key] ?? Infinity)]));
}

/** Patterns that cannot be used are refused before anything is begun, all of them at once. */
async function refuseBadRules(program: Program): Promise<void> {
  if (patternsOf(program).length === 0) return;
  const { compileRules } = await import("../../scan/index.ts");
  for (const patterns of patternsOf(program)) compileRules({ patterns });
}

/** A scope with nothing that could be worked on is refused before anything is begun: no retry could change its path. */
async function refuseBadPath(context: EngineContext, inputs: JsonObject): Promise<void> {
  const scope = scopeOf(context, inputs);
  if (scope.kind === "workspace") return;
  const paths = scope.kind === "files" ? scope.paths : [scope.path];
  const isRoot = (path: string): boolean => !path.startsWith("/") && path.split("/").every((name) => name === "" || name === ".");
  if (scope.kind === "directory" && paths.every(isRoot)) return;
  // Named one by one, so that nothing is walked: what is no regular file may be a folder.
  const { files, problems } = await context.workspace.inventory({
    root: context.host.workspace,
    patterns: ["**/*"],
    exclusions: [],
    scope: { kind: "files", paths },
    priority: [],
    gitignore: false,
  });
  const folder = problems.some(({ code }) => code === "WORKSPACE_FILE_NOT_REGULAR");
  if (scope.kind === "files" ? files.length > 0 : folder) return;
  const said =
    scope.kind === "directory" && files.length > 0
      ? [`\`${scope.path}\` is a file, not a folder.`]
      : problems.map(({ message }) => message);
  throw refused(
    "ENGINE_WRONG_INPUTS",
    `${said.slice(0, 3).join(" ")} Nothing was started.`,
    `Start again with a \`path\` inside the workspace ${context.host.workspace}: ${scope.kind === "files" ? "files that exist, separated by commas" : "a folder that exists; a file needs the scope `files`"}.`,
    {},
  );
}

/** Keys that a checklist's start understands inside its two objects; any other is a mistake, not a wish to be ignored. */
const optionKeys: Readonly<Record<string, readonly string[]>> = {
  options: ["bc_version", "include_patterns", "exclude_patterns", "max_files", "priority_patterns", "source_version", "target_version"],
  initial_processing: ["run_autonomous_phases", "scan_all_patterns", "timeout_ms", "stream_progress"],
};

function refuseUnknownOptions(inputs: JsonObject): void {
  const wrong = Object.entries(optionKeys).flatMap(([name, known]) => {
    const held = inputs[name];
    return isObject(held)
      ? Object.keys(held)
          .filter((key) => !known.includes(key))
          .map((key) => ({ name, key, near: nearest(key, known)[0] }))
      : [];
  });
  if (wrong.length === 0) return;
  const told = wrong
    .map(({ name, key, near }) => `\`${name}.${key}\`${near === undefined ? "" : ` (did you mean \`${near}\`?)`}`)
    .join(", ");
  throw refused(
    "ENGINE_WRONG_INPUTS",
    `Unknown: ${told}. Nothing was started.`,
    `Known are ${Object.values(optionKeys).flat().join(", ")}.`,
    {},
  );
}

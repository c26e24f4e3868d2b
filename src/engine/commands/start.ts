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
    await refuseBadRules(workflow.program);
  }
  const run = request.id ?? runId(workflow.name, await context.store.now(), context.host.randomText(6));
  const options: RunOptions = { serial: request.serial === true, unable: context.host.tools.configured ? [] : ["mcp"] };
  const pin = await pinWorkflow(context, workflow);
  const budget = { ...context.settings.budget, ...workflow.program.parts[workflow.program.main]?.budget, ...request.budget };
  await createRun(context, caller, { run, pin, program: workflow.program, inputs, options, budget });
  const position = await next(context, caller, { ...request, run });
  return { ...position, workflow };
}

/** Patterns that cannot be used are refused before anything is begun, all of them at once. */
async function refuseBadRules(program: Program): Promise<void> {
  const { compileRules } = await import("../../scan/index.ts");
  for (const patterns of patternsOf(program)) compileRules({ patterns });
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

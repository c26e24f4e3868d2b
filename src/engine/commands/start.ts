import type { JsonObject } from "../../base/index.ts";
import type { RunOptions } from "../../kernel/index.ts";
import type { Budget } from "../../program/index.ts";
import type { Caller } from "../caller.ts";
import type { LoadedWorkflow } from "../catalog.ts";
import type { EngineContext } from "../context.ts";
import { createRun, pinWorkflow, runId } from "../create-run.ts";
import { checkInputs } from "../check-inputs.ts";
import type { Position } from "../position.ts";
import { requirePermission } from "../permission.ts";
import { refuseParallel } from "../refuse-parallel.ts";
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
  await context.leaves.start(context, workflow.program, inputs);
  if (request.serial !== true) refuseParallel(workflow.program, await context.catalog.loneCalls(workflow.program));
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

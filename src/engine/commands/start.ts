import { defined, type JsonObject } from "../../base/index.ts";
import type { RunOptions } from "../../kernel/index.ts";
import type { Budget, Program } from "../../program/index.ts";
import { checkInputs } from "../../state/index.ts";
import type { LoneCall } from "../../source/index.ts";
import type { Caller } from "../caller.ts";
import type { LoadedWorkflow } from "../catalog.ts";
import type { EngineContext } from "../context.ts";
import { refused } from "../codes.ts";
import { createRun, pinWorkflow, runId } from "../create-run.ts";
import { requirePermission, sealOwn } from "../permission.ts";
import { next, type NextRequest, type Position } from "./next.ts";

export interface StartRequest extends Pick<NextRequest, "waitMs" | "signal" | "onProgress"> {
  readonly workflow: string;
  readonly inputs?: JsonObject;
  readonly serial?: boolean;
  readonly budget?: Budget;
  /** False: the caller shows the first step and leaves it to anybody. */
  readonly held?: boolean;
  /** Id of the run; minted unless given. */
  readonly id?: string;
  /** Absolute path of the folder that the run works on; the workspace unless given. */
  readonly folder?: string;
  /** The chat that starts it. */
  readonly chat?: RunOptions["chat"];
}

/** Pins the workflow as it is now, checks inputs and permission, and walks to the first thing the caller must do. */
export async function start(
  context: EngineContext,
  caller: Caller,
  request: StartRequest,
): Promise<Position & { readonly workflow: LoadedWorkflow }> {
  const workflow = await context.catalog.loadValid(request.workflow);
  const inputs = await checkedInputs(context, workflow, request.inputs ?? {});
  await requirePermission(context, workflow);
  await context.leaves.start(context, { program: workflow.program, ...defined({ folder: request.folder }) }, inputs);
  if (request.serial !== true) refuseParallel(workflow.program, await context.catalog.loneCalls(workflow.program));
  const run = request.id ?? runId(workflow.name, await context.store.now(), context.host.randomText(6));
  const options: RunOptions = {
    serial: request.serial === true,
    unable: context.host.tools.configured ? [] : ["mcp"],
    uuid: context.host.uuid(),
    ...defined({ own: await sealOwn(context, workflow), folder: request.folder, chat: request.chat }),
    ...(request.folder === undefined ? {} : { computer: context.host.computer }),
  };
  const pin = await pinWorkflow(context, workflow);
  const given = { ...context.settings.budget, ...workflow.program.parts[workflow.program.main]?.budget };
  const budget = { ...given, ...(caller.holder.kind === "person" ? request.budget : withinOf(given, request.budget ?? {})) };
  await createRun(context, caller, { run, pin, program: workflow.program, inputs, options, budget, ...defined({ held: request.held }) });
  const position = await next(context, caller, { ...request, run, looks: request.held === false });
  return { ...position, workflow };
}

/** The inputs that the run begins with; every problem is in the one error. */
async function checkedInputs(
  { sandbox }: EngineContext,
  { name, program }: { readonly name: string; readonly program: Program },
  given: JsonObject,
): Promise<JsonObject> {
  const specs = program.parts[program.main]?.inputs ?? {};
  const { inputs, problems } = await checkInputs(sandbox, specs, given);
  if (problems.length === 0) return inputs;
  const known = Object.entries(specs).map(([each, { type, required }]) => `${each} (${type}${required ? ", required" : ""})`);
  throw refused(
    "ENGINE_WRONG_INPUTS",
    `The inputs of \`${name}\` are wrong: ${problems.join("; ")}. Nothing was started.`,
    known.length === 0 ? "Start it without inputs: it has none." : `Give inputs as declared: ${known.join(", ")}.`,
    { problems },
  );
}

/** Work of two such calls at the same time would be mixed up, so no run begins that makes them. */
function refuseParallel(program: Program, [found]: readonly LoneCall[]): void {
  if (found === undefined) return;
  throw refused(
    "ENGINE_PARALLEL_CALL",
    `\`${program.name}\` calls the ${found.word} \`${found.name}\` in parallel tasks, and it has to run alone. Nothing was started.`,
    "Start it with `serial: true` (`--serial` on the command line), or call it in a `foreach` instead of a `parallel_foreach`.",
    { workflow: found.name },
  );
}

/** Only a person may raise a limit that the workflow or the settings give; anybody may ask for less. */
function withinOf(given: Budget, asked: Budget): Budget {
  const keys = Object.keys(asked) as (keyof Budget)[];
  return Object.fromEntries(keys.map((key) => [key, Math.min(asked[key] ?? Infinity, given[key] ?? Infinity)]));
}

import * as z from "zod";
import { isObject, type Json, type JsonObject } from "../../base/index.ts";
import { gatherFacts } from "../../dialects/checklist/run/index.ts";
import { next, start, type Position, type StartRequest } from "../../engine/index.ts";
import { progressUpdate } from "../../dialects/checklist/views/index.ts";
import { badArgument } from "../codes.ts";
import type { ToolCall } from "../tool.ts";
import { scannedFiles } from "./standing-action.ts";

const hidden = { hidden: true };
const texts = z.array(z.string()).optional().meta(hidden);
const version = z.union([z.string(), z.number()]).optional().meta(hidden);

/** What the options of a checklist may hold; named in one line instead of listed, since every token is paid for. */
export const checklistOptions: z.ZodObject = z.strictObject({
  bc_version: version,
  include_patterns: texts,
  exclude_patterns: texts,
  max_files: z.number().min(0).optional().meta(hidden),
  priority_patterns: texts,
  source_version: version,
  target_version: version,
});

export const initialProcessing: z.ZodObject = z.strictObject({
  run_autonomous_phases: z.boolean().optional().meta(hidden),
  scan_all_patterns: z.boolean().optional().meta(hidden),
  timeout_ms: z.number().min(0).optional().meta(hidden),
  stream_progress: z.boolean().optional().meta(hidden),
});

export interface ChecklistArguments {
  readonly inputs?: Readonly<Record<string, unknown>> | undefined;
  readonly scope?: string | undefined;
  readonly path?: string | undefined;
  readonly options?: Readonly<Record<string, unknown>> | undefined;
  readonly initial_processing?: Readonly<Record<string, unknown>> | undefined;
}

/** Inputs of the workflow, with what older clients give beside them. */
export function startInputs(args: ChecklistArguments): JsonObject | undefined {
  const beside = Object.fromEntries(
    (["scope", "path", "options", "initial_processing"] as const).flatMap((name) =>
      args[name] === undefined ? [] : [[name, plain(args[name] as Json)] as const],
    ),
  );
  const twice = Object.keys(beside).filter((name) => args.inputs?.[name] !== undefined);
  if (twice.length > 0) throw wrong(`\`${twice[0] ?? ""}\` was given twice: beside the inputs and in them`);
  if (beside["path"] !== undefined && beside["scope"] === undefined) throw wrong("`path` needs `scope`: directory or files");
  if ((beside["scope"] === "directory" || beside["scope"] === "files") && (beside["path"] ?? "") === "")
    throw wrong(`\`scope\` ${beside["scope"]} needs \`path\``);
  if (beside["scope"] === "workspace" && (beside["path"] ?? "") !== "") throw wrong("`path` means nothing with scope workspace");
  return args.inputs === undefined && Object.keys(beside).length === 0 ? undefined : ({ ...args.inputs, ...beside } as JsonObject);
}

/** Versions may come as numbers; the engine reads texts. */
function plain(value: Json): Json {
  if (!isObject(value)) return value;
  return Object.fromEntries(
    Object.entries(value).map(([name, held]) => [name, name.endsWith("_version") && typeof held === "number" ? String(held) : held]),
  );
}

function wrong(problem: string): Error {
  return badArgument(
    "workflow_start",
    [problem],
    "workflow, scope?, path? (a directory, or files separated by commas), options?, initial_processing?",
  );
}

/** Starts a run and waits as long as the caller asks, telling the client how far the work is if it wants to know. */
export async function startRun(call: ToolCall, request: StartRequest): Promise<Position> {
  const processing = isObject(request.inputs?.["initial_processing"]) ? request.inputs["initial_processing"] : {};
  const waitMs = firstWait(call, processing);
  const { tell } = call;
  if (processing["stream_progress"] !== true || tell === undefined || waitMs === 0)
    return start(call.engine, call.caller, { ...request, ...call.waiting, waitMs });
  const begun = Date.now();
  const position = await start(call.engine, call.caller, { ...request, ...call.waiting, waitMs: 0 });
  if (position.program.dialect !== "checklist") return next(call.engine, call.caller, { run: position.run, ...call.waiting, waitMs });
  const teller = updates(call, position.run, begun);
  teller.send();
  const settled = await next(call.engine, call.caller, { run: position.run, ...call.waiting, waitMs, onProgress: teller.send });
  await teller.settled();
  return settled;
}

/** `run_autonomous_phases: false` answers at once; the work goes on all the same. */
function firstWait({ waiting }: ToolCall, processing: JsonObject): number {
  const most = waiting.waitMs ?? 24_000;
  if (processing["run_autonomous_phases"] === false) return 0;
  const wanted = processing["timeout_ms"];
  return typeof wanted === "number" && wanted >= 0 ? Math.min(wanted, most) : most;
}

/** Updates are gathered while the engine works, one at a time. */
function updates(call: ToolCall, run: string, begun: number): { readonly send: () => void; readonly settled: () => Promise<void> } {
  let sending: Promise<void> | undefined;
  const one = async (): Promise<void> => {
    const handle = await call.engine.runs.open(run);
    const { phase } = await gatherFacts(call.engine, run);
    const { files, total, instances } = scannedFiles(handle);
    const update = progressUpdate({
      phase,
      filesProcessed: files,
      filesTotal: total,
      instancesFound: instances,
      elapsedMs: Date.now() - begun,
    });
    call.tell?.(JSON.stringify(update));
  };
  return {
    send: () => {
      sending ??= one()
        .catch((error: unknown) => call.engine.host.log("debug", "Progress could not be gathered.", { error: String(error) }))
        .finally(() => (sending = undefined));
    },
    settled: async () => sending,
  };
}

import * as z from "zod";
import { defined, isObject, type Json, type JsonObject } from "../../../base/index.ts";
import { gatherFacts } from "../run/index.ts";
import { next, start, type Position, type StartRequest } from "../../../engine/index.ts";
import { progressUpdate } from "../views/index.ts";
import { badArgument, startedReply, startRequest, type Arguments, type ToolCall, type ToolPart } from "../../../mcp/index.ts";
import { scannedFiles } from "./standing-action.ts";

const hidden = { hidden: true };
const texts = z.array(z.string()).optional().meta(hidden);
const version = z.union([z.string(), z.number()]).optional().meta(hidden);
const flag = z.boolean().optional().meta(hidden);
const count = z.number().min(0).optional().meta(hidden);

/** What the options may hold; named in one line instead of listed, since every token is paid for. */
const options = z.strictObject({
  fix: flag,
  bc_version: version,
  include_patterns: texts,
  exclude_patterns: texts,
  max_files: count,
  priority_patterns: texts,
  source_version: version,
  target_version: version,
  since: z.string().optional().meta(hidden),
  changed_lines: flag,
  paths: texts,
  listed: flag,
  tools: z
    .union([z.string(), z.array(z.string())])
    .optional()
    .meta(hidden),
});

const initialProcessing = z.strictObject({
  run_autonomous_phases: flag,
  scan_all_patterns: flag,
  timeout_ms: count,
  stream_progress: flag,
});

const fields = {
  scope: z.enum(["workspace", "directory", "files", "changed"]).optional(),
  path: z.string().optional().describe("Of the scope; files with commas."),
  since: z.string().optional().describe("Of changed: a ref."),
  options: options
    .optional()
    .describe(
      "fix, bc_version, include_patterns, exclude_patterns, max_files, priority_patterns, source_version, target_version, changed_lines, tools",
    ),
  initial_processing: initialProcessing.optional().describe("run_autonomous_phases, scan_all_patterns, timeout_ms, stream_progress"),
};

/** Inputs that older clients give beside the others, and how long the answer waits for the first phases. */
export const startPart: ToolPart = {
  fields,
  returns:
    "of a checklist `session_id`, `autonomous_processing`, `file_inventory` (with `changed_since` of changed files), `analysis_summary`, `phases`, `next_action`",
  run: async (call, args) => {
    const inputs = startInputs(args);
    const processing = inputs["initial_processing"];
    if (Object.keys(fields).every((name) => args[name] === undefined) && !isObject(processing)) return undefined;
    const request = { ...startRequest(call, args), inputs };
    return startedReply(call, await startRun(call, request, isObject(processing) ? processing : {}));
  },
};

/** Inputs of the workflow, with what older clients give beside them. */
function startInputs(args: Arguments): JsonObject {
  const inputs = (args["inputs"] ?? {}) as JsonObject;
  const beside: JsonObject = Object.fromEntries(
    Object.keys(fields).flatMap((name) => (args[name] === undefined ? [] : [[name, plain(args[name] as Json)] as const])),
  );
  const twice = Object.keys(beside).find((name) => inputs[name] !== undefined);
  if (twice !== undefined) throw wrong(`\`${twice}\` was given twice: beside the inputs and in them`);
  const { scope, path = "" } = beside;
  if (beside["path"] !== undefined && scope === undefined) throw wrong("`path` needs `scope`: directory, files or changed");
  if ((scope === "directory" || scope === "files") && path === "") throw wrong(`\`scope\` ${scope} needs \`path\``);
  if (scope === "workspace" && path !== "") throw wrong("`path` means nothing with scope workspace");
  return scope === "changed" || beside["since"] !== undefined ? changedInputs(inputs, beside) : { ...inputs, ...beside };
}

/** Which files were changed is an option, so that workflows that are called get it too; the scope may limit them. */
function changedInputs(inputs: JsonObject, { scope, path, since = "", ...beside }: JsonObject): JsonObject {
  const given = beside["options"] ?? inputs["options"];
  const options = isObject(given) ? given : {};
  if (options["since"] !== undefined) throw wrong("`since` was given twice: beside the options and in them");
  const where: JsonObject = scope === "changed" || scope === undefined ? {} : defined({ scope, path });
  const paths = scope === "changed" && typeof path === "string" && path !== "" ? path.split(",").map((each) => each.trim()) : undefined;
  if (paths !== undefined && options["paths"] !== undefined)
    throw wrong("`path` and `options.paths` name what the scope is limited to; give one");
  return { ...inputs, ...beside, ...where, options: { ...options, ...defined({ since, paths }) } };
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
    "workflow, scope?, path? (a directory, or files separated by commas), since? (a branch, tag or commit, of scope changed), options?, initial_processing?",
  );
}

/** Starts a run and waits as long as the caller asks, with word to the client of how far the work is if it wants that. */
async function startRun(call: ToolCall, request: StartRequest, processing: JsonObject): Promise<Position> {
  const waitMs = firstWait(call, processing);
  if (processing["stream_progress"] !== true || call.tell === undefined || waitMs === 0)
    return start(call.engine, call.caller, { ...request, waitMs });
  const { run, program } = await start(call.engine, call.caller, { ...request, waitMs: 0 });
  const wait = { run, ...call.waiting, waitMs };
  if (program.dialect !== "checklist") return next(call.engine, call.caller, wait);
  const teller = updates(call, run);
  teller.send();
  const settled = await next(call.engine, call.caller, { ...wait, onProgress: teller.send });
  await teller.settled();
  return settled;
}

/** `run_autonomous_phases: false` answers at once; the work continues all the same. */
function firstWait({ waiting }: ToolCall, processing: JsonObject): number {
  const most = waiting.waitMs ?? 24_000;
  if (processing["run_autonomous_phases"] === false) return 0;
  const wanted = processing["timeout_ms"];
  return typeof wanted === "number" && wanted >= 0 ? Math.min(wanted, most) : most;
}

/** Updates are gathered while the engine works, one at a time. */
function updates(call: ToolCall, run: string): { readonly send: () => void; readonly settled: () => Promise<void> } {
  let sending: Promise<void> | undefined;
  const one = async (): Promise<void> => {
    const { phase } = await gatherFacts(call.engine, run);
    const { cursor, total, instances } = scannedFiles(await call.engine.runs.open(run));
    const done = { filesProcessed: cursor, filesTotal: total, instancesFound: instances };
    call.tell?.(JSON.stringify(progressUpdate({ phase, ...done, elapsedMs: call.elapsedMs() })));
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

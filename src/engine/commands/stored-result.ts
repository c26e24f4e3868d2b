import type { Json } from "../../base/index.ts";
import { matchStored, storesAnswer, taskName, type Action, type Decision } from "../../kernel/index.ts";
import type { WriteOperation } from "../../program/index.ts";
import { noResult } from "../codes.ts";
import type { EngineContext } from "../context.ts";
import type { RunHandle } from "../run-cache.ts";
import type { ReportRequest } from "./report-request.ts";

/** Operations whose value is not what the state holds then. */
const numeric: ReadonlySet<WriteOperation> = new Set<WriteOperation>(["increment", "decrement", "multiply"]);

/**
 * What the holder of a step stored as its result, where the report brings none. undefined where the report is enough as it is. A step that
 * stores its result is not done without one: in the report, or written to its paths since it was handed out.
 */
export async function resultStored(
  context: EngineContext,
  { handle, action, returns }: { readonly handle: RunHandle; readonly action: Action; readonly returns: boolean },
  request: Omit<ReportRequest, "run">,
): Promise<Json | undefined> {
  if (request.status === "failed" || request.result !== undefined || action.what === "state_update") return undefined;
  if (action.paths.length === 0 && (request.status !== undefined || !returns)) return undefined;
  const stored = await storedResult(context, handle, action);
  if (stored !== undefined) return stored;
  const strand = handle.state.strands[action.strand];
  const task = strand?.task === undefined ? undefined : taskName(strand);
  throw noResult(action, { result: "what the step asks for" }, task);
}

/** What the holder wrote for the first write of an open step since it was handed out; undefined unless it made all of them. A null is a result, but not an answer. */
export async function storedResult(context: EngineContext, handle: RunHandle, open: Action | Decision): Promise<Json | undefined> {
  const strand = handle.state.strands[open.strand];
  const frame = strand?.frames.at(-1);
  const block = open.block === undefined ? undefined : handle.program.blocks[open.block];
  const [path] = open.paths;
  if (path === undefined || frame?.kind !== "do" || block?.kind !== "do") return undefined;
  if ("question" in open && !storesAnswer(open, block)) return undefined;
  const wanted = open.paths.map((each, at) => ({ path: each, op: block.writes[at]?.op ?? ("set" as const) }));
  const made = matchStored(wanted, frame.stored ?? []);
  if (!wanted.every((each, at) => made[at] !== undefined || frame.written?.includes(each.path))) return undefined;
  const last = frame.stored?.findLast((each) => each.path === path);
  const value = last === undefined || numeric.has(last.op) ? await readPath(context, handle, strand?.scope ?? "run", path) : last.value;
  return value === null && "question" in open ? undefined : value;
}

async function readPath({ evaluator }: EngineContext, { id, program, state }: RunHandle, scope: string, path: string): Promise<Json> {
  return (await evaluator.read(program, id, state.scopes, scope, [path]))[path] ?? null;
}

import type { Json } from "../../base/index.ts";
import type { Action, Decision } from "../../kernel/index.ts";
import { noResult } from "../codes.ts";
import type { EngineContext } from "../context.ts";
import type { RunHandle } from "../run-cache.ts";
import type { ReportRequest } from "./report.ts";

/** A step that stores its result is not done without one: in the report, or written to its path since it was handed out. */
export async function withStored(
  context: EngineContext,
  { handle, action, returns }: { readonly handle: RunHandle; readonly action: Action; readonly returns: boolean },
  request: Omit<ReportRequest, "run">,
): Promise<Omit<ReportRequest, "run">> {
  if (request.status === "failed" || request.result !== undefined || action.what === "state_update") return request;
  if (action.paths.length === 0 && (request.status !== undefined || !returns)) return request;
  const stored = await storedResult(context, handle, action);
  if (stored !== undefined) return { ...request, result: stored };
  throw noResult(action, { result: "what the step asks for" });
}

/** What the holder wrote to the first path of an open step since it was handed out; undefined unless it wrote to all of them. */
export async function storedResult(context: EngineContext, handle: RunHandle, open: Action | Decision): Promise<Json | undefined> {
  const strand = handle.state.strands[open.strand];
  const frame = strand?.frames.at(-1);
  const [path] = open.paths;
  if (path === undefined || frame?.kind !== "do" || !open.paths.every((each) => frame.written?.includes(each))) return undefined;
  const read = await context.evaluator.read(handle.program, handle.id, handle.state.scopes, strand?.scope ?? "run", [path]);
  return read[path] ?? undefined;
}

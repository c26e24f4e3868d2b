import { mainScope, mainStrand, type Mark } from "../../kernel/index.ts";
import { maskSecrets } from "../../views/index.ts";
import { stampOf, type Caller } from "../caller.ts";
import { refused } from "../codes.ts";
import type { EngineContext } from "../context.ts";
import { commitOrThrow } from "../commit-inputs.ts";
import type { RunHandle } from "../run-cache.ts";

/** Names the place the run is at and writes its state to a file for people and for the next conversation, which finds free what the caller held. */
export async function checkpoint(
  context: EngineContext,
  caller: Caller,
  request: { readonly run: string; readonly step?: string; readonly reason: string },
): Promise<{ readonly mark: Mark; readonly statePath: string; readonly handle: RunHandle }> {
  const handle = await context.runs.open(request.run);
  const { program, state } = handle;
  if (state.status !== "running")
    throw refused("RUN_ENDED", `Run \`${handle.id}\` is ${state.status}, so it has no place to come back to. Nothing was written.`);
  const flat = await context.evaluator.flat(program, handle.id, state.scopes, mainScope);
  const step = request.step ?? state.strands[mainStrand]?.frames.at(-1)?.block ?? "";
  const content = maskSecrets(
    { run_id: handle.id, workflow: state.workflow, status: state.status, step, reason: request.reason, position: handle.head, state: flat },
    program,
    state,
  );
  const statePath = await context.host.views.write(`checkpoints/${handle.id}-${handle.head}.json`, `${JSON.stringify(content, null, 2)}\n`);
  await commitOrThrow(context, handle, { type: "mark", step, reason: request.reason, statePath, ...(await stampOf(context, caller)) });
  const mark = handle.state.mark;
  if (mark === undefined) throw new Error("A checkpoint was recorded but is not in the state.");
  await context.holding.release(caller.leaseOwner, handle.id);
  return { mark, statePath, handle };
}

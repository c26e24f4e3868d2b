import { defined } from "../../base/index.ts";
import type { Usage } from "../../kernel/index.ts";
import { stampOf, type Caller } from "../caller.ts";
import { commitOrThrow } from "../commit-inputs.ts";
import type { EngineContext } from "../context.ts";

export interface Use {
  readonly run: string;
  readonly action: string;
  readonly usage?: Usage;
  /** What the agent wanted to do and was not allowed. */
  readonly denied?: readonly string[];
}

/** Records what the turns of a step used, where no report said so: the agent reported before its turn ended, or nobody reported. */
export async function recordUse(context: EngineContext, caller: Caller, { run, action, usage, denied }: Use): Promise<void> {
  const handle = await context.runs.open(run);
  await commitOrThrow(context, handle, { type: "used", action, ...(await stampOf(context, caller)), ...defined({ usage, denied }) });
}

import { defined } from "../../base/index.ts";
import type { Settling, Usage } from "../../kernel/index.ts";
import { stampOf, type Caller } from "../caller.ts";
import { commitOrThrow } from "../commit-inputs.ts";
import type { EngineContext } from "../context.ts";

export interface Use {
  readonly run: string;
  readonly action: string;
  readonly usage?: Usage;
  /** What the agent wanted to do and was not allowed. */
  readonly denied?: readonly string[];
  readonly settling?: Settling;
}

/** Records what the turns of a step used, where no report said so: the agent reported before its turn ended, or nobody reported. */
export async function recordUse(context: EngineContext, caller: Caller, { run, action, usage, denied, settling }: Use): Promise<void> {
  const handle = await context.runs.open(run);
  const used = defined({ usage, denied, settling });
  await commitOrThrow(context, handle, { type: "used", action, ...(await stampOf(context, caller)), ...used });
}

import { defined, isWaymarkError, own } from "../../base/index.ts";
import { usedOf, type Counted } from "../../kernel/index.ts";
import { stampOf, type Caller } from "../caller.ts";
import { commitOrThrow } from "../commit-inputs.ts";
import type { EngineContext } from "../context.ts";
import type { RunHandle } from "../run-cache.ts";
import { turnsIn, usedBy } from "../turn-use.ts";
import { recordUse } from "./record-use.ts";

/**
 * `free`: the run has no budget that a turn could exceed. `reserved`: something is reserved, until what the turn used is recorded. `full`:
 * turns under way may use up what is left. `over`: the step is not there any more; where the budget is used up, a person is asked now.
 */
export type Begun = "free" | "reserved" | "full" | "over";

const closed: ReadonlySet<string> = new Set(["ACTION_NOT_OPEN", "HOLDER_LOST", "STRAND_NOT_HELD", "RUN_ENDED"]);

/** To be called before each turn of a driven agent. */
export async function beginTurn(
  context: EngineContext,
  caller: Caller,
  { run, action }: { readonly run: string; readonly action: string },
): Promise<Begun> {
  const handle = await context.runs.open(run);
  await settleKilledTurns(context, caller, handle);
  const held = own(handle.state.actions, action);
  if (held === undefined) return "over";
  if (!(await mayExceed(context, handle))) return "free";
  const { fence = 0 } = handle.state.strands[held.strand] ?? {};
  try {
    await commitOrThrow(context, handle, { type: "begin", action, holder: caller.holder, fence, ...(await stampOf(context, caller)) });
  } catch (error) {
    if (!isWaymarkError(error)) throw error;
    if (error.code === "BUDGET_RESERVED") return "full";
    if (closed.has(error.code)) return "over";
    throw error;
  }
  return own(handle.state.budget.reserved ?? {}, action) === undefined ? "over" : "reserved";
}

async function mayExceed({ store }: EngineContext, { state }: RunHandle): Promise<boolean> {
  const { tokens, money, minutes } = state.budget.limits;
  if (tokens !== undefined || money !== undefined) return true;
  return minutes !== undefined && usedOf(state, "minutes", await store.now()) >= minutes;
}

/** What turns used whose driver was killed is taken from their transcript, once; what it does not tell is unknown. */
async function settleKilledTurns(context: EngineContext, caller: Caller, handle: RunHandle): Promise<void> {
  const { reserved = {}, limits } = handle.state.budget;
  for (const [action, { session, at }] of Object.entries(reserved)) {
    if (!context.host.isGone(session)) continue;
    const turns = await turnsIn(context.transcripts.read(handle.id, { action }));
    // The prompt is kept before the agent is asked: without one nothing was.
    const turn = turns.findLast((each) => each.at >= at) ?? { usage: {}, asked: false, worked: false };
    const [tokens, money] = [usedBy(turn, "tokens"), usedBy(turn, "money")];
    const unknown = unknownOf(limits, { tokens, money });
    await recordUse(context, caller, {
      run: handle.id,
      action,
      usage: defined({ tokens, money }),
      settling: { settles: session, unknown, killed: true },
    });
  }
}

/** What a budget limits and a turn did not say. */
export function unknownOf(
  limits: RunHandle["state"]["budget"]["limits"],
  used: Readonly<Record<Counted, number | undefined>>,
): readonly Counted[] {
  return (["tokens", "money"] as const).filter((what) => limits[what] !== undefined && used[what] === undefined);
}

import { reachedAgent, saidBy, turnsIn } from "../turn-use.ts";
import type { EngineContext } from "../context.ts";
import { authorsName } from "../../views/index.ts";
import { recordsWith } from "../journal-records.ts";

/** What turns used together. Turns that did not say it are counted beside the sum. */
export interface UseSum {
  readonly known: number;
  readonly unknown: number;
}

/** What the turns of one agent with one model in one step used. */
export interface UseTotal {
  readonly step: string;
  readonly agent: string;
  /** Absent where nobody named one: the agent's own choice. */
  readonly model?: string;
  readonly turns: number;
  readonly tokens: UseSum;
  readonly cost: UseSum;
}

/**
 * By step, agent and model, in the order in which they first worked; a turn that never reached its agent is none. From the transcript, so also what a killed turn said it used.
 * A run that tries another one again counts what that one used too, as its budget does.
 */
export async function readTotals(context: EngineContext, run: string): Promise<readonly UseTotal[]> {
  const totals = new Map<string, UseTotal>();
  const attempts = [run];
  for (let at: string | undefined = run; at !== undefined;) {
    at = (await context.runs.open(at)).state.retryOf;
    if (at !== undefined) attempts.unshift(at);
  }
  for (const attempt of attempts) await addTurns(context, attempt, totals);
  return [...totals.values()];
}

async function addTurns(context: EngineContext, run: string, totals: Map<string, UseTotal>): Promise<void> {
  const turns = (await turnsIn(context.transcripts.read(run))).filter(reachedAgent);
  const kinds = turns.length === 0 ? new Map<string, string>() : await kindsOf(context, run);
  for (const turn of turns) {
    const { agent, model } = turn;
    const step = kinds.get(turn.action) ?? turn.step;
    const key = JSON.stringify([step, agent, model]);
    const before = totals.get(key) ?? { step, agent, turns: 0, tokens: none, cost: none, ...(model === undefined ? {} : { model }) };
    const tokens = add(before.tokens, saidBy(turn, "tokens"));
    totals.set(key, { ...before, turns: before.turns + 1, tokens, cost: add(before.cost, saidBy(turn, "money")) });
  }
}

/** Steps whose own name says nothing to people count together, as what they are, by their actions. */
async function kindsOf(context: EngineContext, run: string): Promise<ReadonlyMap<string, string>> {
  const { program } = await context.runs.open(run);
  const kinds = new Map<string, string>();
  for await (const { decoded } of recordsWith(context, run, ['"action_opened"']))
    for (const event of decoded) {
      if (event.type !== "action_opened") continue;
      const { id, what, block } = event.action;
      if (context.leaves.find(program.dialect, what)?.called !== undefined) kinds.set(id, authorsName(block) ?? what);
    }
  return kinds;
}

const none: UseSum = { known: 0, unknown: 0 };

function add({ known, unknown }: UseSum, used: number | undefined): UseSum {
  return used === undefined ? { known, unknown: unknown + 1 } : { known: known + used, unknown };
}

/** All of them together. */
export function sumOf(totals: readonly UseTotal[], what: "tokens" | "cost"): UseSum {
  return totals.reduce((sum, each) => ({ known: sum.known + each[what].known, unknown: sum.unknown + each[what].unknown }), none);
}

import type { JsonObject } from "../../../base/index.ts";
import { checklistOf, type gatherFacts } from "../run/index.ts";
import type { CheckDescription } from "../definition/index.ts";
import type { Position } from "../../../engine/index.ts";
import type { CheckAction } from "../views/index.ts";
import type { ToolCall } from "../../../mcp/index.ts";

/** What an agent has to do, and the checklist of the file it works on. */
export interface ActionShown {
  readonly action: CheckAction;
  readonly checklist: CheckDescription["checklist"];
  /** More for the data part of the action. */
  readonly extra?: JsonObject;
}

/** What every call of the agent names. */
export function sessionArguments({ worker }: ToolCall, run: string): JsonObject {
  return { run_id: run, ...(worker === undefined ? {} : { worker }) };
}

/** What replies about a checklist run are made from. */
export type Facts = Awaited<ReturnType<typeof gatherFacts>>;

/** The counts of the workflow that the strand is in: the run's own, or one that it calls. */
export function factsAt(facts: Facts, { program, state }: Pick<Position, "program" | "state">, strand: string): Facts {
  const run = checklistOf({ program, state }, state.strands[strand]?.scope);
  const called = run === undefined || run.main ? undefined : facts.called?.find(({ type }) => type === run.definition.type);
  if (called === undefined) return facts;
  const { instances: _own, ...rest } = facts;
  const { files, entries, instances } = called;
  return { ...rest, files, entries, ...(instances === undefined ? {} : { instances }) };
}

import { checklistOf, type gatherFacts } from "../../dialects/checklist/run/index.ts";
import type { Position } from "../../engine/index.ts";

/** What replies about a checklist run are made from. */
export type Facts = Awaited<ReturnType<typeof gatherFacts>>;

/** The counts of the workflow in which the strand stands: the run's own, or one that it calls. */
export function factsAt(facts: Facts, { program, state }: Pick<Position, "program" | "state">, strand: string): Facts {
  const run = checklistOf({ program, state }, state.strands[strand]?.scope);
  const called = run === undefined || run.main ? undefined : facts.called?.find(({ type }) => type === run.definition.type);
  if (called === undefined) return facts;
  const { instances: _own, ...rest } = facts;
  const { files, entries, instances } = called;
  return { ...rest, files, entries, ...(instances === undefined ? {} : { instances }) };
}

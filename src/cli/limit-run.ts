import { setLimits } from "../engine/index.ts";
import type { parseDriveBudget } from "./parse-values.ts";
import { cliCaller, type Session } from "./session.ts";
import type { OpenRunner } from "./world.ts";

/** A limit that the run has is raised by a person only. */
export async function limitRun(
  { context }: OpenRunner,
  { world }: Session,
  run: string,
  budget: ReturnType<typeof parseDriveBudget>,
): Promise<void> {
  if (Object.keys(budget).length > 0) await setLimits(context, cliCaller(world, context), { run, budget });
}

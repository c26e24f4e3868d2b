import { setLimits } from "../engine/index.ts";
import type { parseDriveBudget } from "./parse-values.ts";
import { cliCaller, type Session } from "./session.ts";
import type { OpenRunner } from "./world.ts";

/** Minutes are counted from now on. A limit that the run has is raised by a person only. */
export async function limitRun(
  { context }: OpenRunner,
  { world }: Session,
  { run, budget, startedAt }: { readonly run: string; readonly budget: ReturnType<typeof parseDriveBudget>; readonly startedAt: number },
): Promise<void> {
  if (Object.keys(budget).length === 0) return;
  const { minutes, ...others } = budget;
  const passed = ((await context.store.now()) - startedAt) / 60_000;
  const limits = { ...others, ...(minutes === undefined ? {} : { minutes: Math.ceil(passed + minutes) }) };
  await setLimits(context, cliCaller(world, context), { run, budget: limits });
}

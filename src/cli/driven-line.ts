import { lastHolder, plainDriver, type Caller, type EngineContext, type RunHandle, type StrandStatus } from "../engine/index.ts";
import { driveLine, nextLine, quoted, watchLine } from "./printed-lines.ts";

type Driver = Pick<Caller["holder"], "name" | "flags">;

/** The options of a driver, which are kept with it. */
export function driverFlags({ name, flags }: Driver): readonly string[] {
  return flags ?? (name === plainDriver ? [] : ["--agent", quoted(name)]);
}

/** The line that drives a run as its driver did. */
export function drivenLine(run: string, driver: Driver): string {
  return driveLine(run, driverFlags(driver));
}

/** The line that continues a run which was driven last, as its driver did; undefined of one that others work on. */
export async function continuingLine(context: Pick<EngineContext, "store">, run: string): Promise<string | undefined> {
  const holder = await lastHolder(context, run);
  return holder?.kind === "worker" ? drivenLine(run, holder) : undefined;
}

/** A run that was driven is driven again; one that is driven now can be looked at. */
export async function lineThatContinues(
  context: EngineContext,
  { id, state }: RunHandle,
  strands: readonly StrandStatus[],
): Promise<string> {
  const isDriven = strands.some(({ strand, alive }) => alive && state.strands[strand]?.holder?.kind === "worker");
  return isDriven ? watchLine(id) : ((await continuingLine(context, id)) ?? nextLine(id));
}

/** As the last driver of the run did; plain where it had none. */
export async function lastDrivenLine(context: Pick<EngineContext, "store">, run: string): Promise<string> {
  const driver = await lastHolder(context, run, "worker");
  return driver === undefined ? driveLine(run) : drivenLine(run, driver);
}

import { lastHolder, plainDriver, type Caller, type EngineContext } from "../engine/index.ts";
import { driveLine, quoted } from "./printed-lines.ts";

/** The line that drives a run as its driver did, whose options are kept with it. */
export function drivenLine(run: string, { name, flags }: Pick<Caller["holder"], "name" | "flags">): string {
  return driveLine(run, flags ?? (name === plainDriver ? [] : ["--agent", quoted(name)]));
}

/** As the last driver of the run did; plain where it had none. */
export async function lastDrivenLine(context: Pick<EngineContext, "store">, run: string): Promise<string> {
  const driver = await lastHolder(context, run, "worker");
  return driver === undefined ? driveLine(run) : drivenLine(run, driver);
}

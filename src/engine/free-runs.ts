import { isWaymarkError, WaymarkError } from "../base/index.ts";
import { mainStrand } from "../kernel/index.ts";
import { runs } from "./commands/status.ts";
import type { EngineContext } from "./context.ts";
import { strandLease } from "./lease-keys.ts";
import { isAlive } from "./lease-life.ts";

const mostLooked = 20;
const mostNamed = 3;

/** The refusal of a run that another holder has, with other open runs that nobody works on. Any other error stays as it is. */
export async function tellFreeRuns(context: EngineContext, error: unknown): Promise<unknown> {
  if (!isWaymarkError(error) || error.code !== "STRAND_HELD" || error.details["waits"] === true) return error;
  const free = (await freeRuns(context)).filter((run) => run !== error.details["run_id"]).slice(0, mostNamed);
  if (free.length === 0) return error;
  const { code, message, fix = "", details } = error;
  return new WaymarkError({
    code,
    message,
    fix: `${fix} Nobody works on ${free.map((run) => `\`${run}\``).join(", ")}.`,
    details: { ...details, free_runs: free },
    cause: error,
  });
}

async function freeRuns(context: EngineContext): Promise<readonly string[]> {
  const now = await context.store.now();
  const free: string[] = [];
  for (const { id } of await runs(context, { status: ["running"], limit: mostLooked }))
    if (!isAlive(context, await context.store.readLease(strandLease(id, mainStrand)), now)) free.push(id);
  return free;
}

import { beginAgain, cutOff, plainDriver, type Caller, type RunHandle } from "../engine/index.ts";
import { openAgentSteps, shareByWorkers } from "./agent-steps.ts";
import { driveInTime, type TimedRequest } from "./drive-in-time.ts";
import type { DriveEnd, DriveRequest, RunnerParts } from "./drive-request.ts";
import { waitForTime } from "./wait-for-time.ts";
import { Worker } from "./worker.ts";
import { WorkerPool } from "./worker-pool.ts";

let drivers = 0;

/**
 * Drives a run to its end, or to where only a person or time can help, with one worker or several. Each worker is a holder like any other:
 * what it holds is given back when it ends, and others may work on the same run before, after and beside it.
 */
export function driveRun(parts: RunnerParts, request: DriveRequest): Promise<DriveEnd> {
  return driveInTime(parts, request, (timed) => driveAttempts(parts, timed));
}

async function driveAttempts(parts: RunnerParts, request: TimedRequest): Promise<DriveEnd> {
  const { context } = parts;
  const callers = callersOf(parts, request);
  const shared = shareByWorkers(parts);
  const holds: (() => void)[] = [];
  const attempt = async (run: string): Promise<DriveEnd | undefined> => {
    const stop = new AbortController();
    // From then on nothing begins, also what follows a command that ends.
    const hold = (): void => void holds.push(context.effects.hold(run));
    if (request.finish.aborted) hold();
    request.finish.addEventListener("abort", hold, { once: true });
    const of = { ...request, run, finish: AbortSignal.any([request.finish, stop.signal]) };
    const workers = callers.map((caller, place) => {
      const own = { ...parts, ...parts.forWorker?.(place + 1) };
      return new Worker({ parts: own, request: of, steps: openAgentSteps(own, of, caller, shared), caller });
    });
    try {
      const handle = await context.runs.open(run);
      const wait = async (isFreed: () => Promise<boolean>): Promise<boolean> =>
        request.waits !== false && waitForTime(context, of, { run, head: handle.head }, isFreed);
      const pool = {
        context,
        handle,
        workers,
        stop,
        finish: of.finish,
        waitForTime: wait,
        ask: request.ask,
        leaves: request.leaves === true,
      };
      const end = await new WorkerPool(pool).drive();
      // Other drivers of this process may have commands of the run under way.
      if (end === undefined || request.leaves === true) return end;
      hold();
      return await finished(parts, request, handle, end);
    } finally {
      request.finish.removeEventListener("abort", hold);
      await Promise.all(workers.map((worker) => worker.close()));
    }
  };
  try {
    for (let { run } = request; ;) {
      const end = (await attempt(run)) ?? (await endOf(parts, run));
      const again = end.kind === "failed" && !request.finish.aborted ? await beginAgain(context, callers[0], run) : undefined;
      if (again === undefined) return end;
      const why = end.kind === "failed" ? end.why : "";
      request.watch?.({ type: "notice", text: `${why} Its workflow asks for another attempt, which is run ${again}.` });
      run = again;
    }
  } finally {
    for (const { leaseOwner } of callers) await context.holding.release(leaseOwner);
    // The engine may be for more than this drive.
    for (const release of holds) release();
  }
}

/** Commands of the engine come to their end before driving does, so that none is done twice. undefined where the run is over then. */
async function finished(
  { context }: RunnerParts,
  { cancel }: DriveRequest,
  handle: RunHandle,
  end: DriveEnd,
): Promise<DriveEnd | undefined> {
  await context.effects.settle(() => cancel, handle.id);
  if (handle.state.status !== "running") return undefined;
  const cut = cutOff(context, handle);
  return cut.length === 0 ? end : { ...end, cut };
}

/** One holder for each worker, which has a number where there are several. */
function callersOf({ context }: RunnerParts, { agent, workers = 1, flags = [] }: DriveRequest): readonly [Caller, ...Caller[]] {
  const callerOf = (number: number): Caller => {
    drivers += 1;
    const session = `${context.host.processId}-d${drivers}`;
    const more = { ...(workers === 1 ? {} : { number }), ...(flags.length === 0 ? {} : { flags }) };
    const holder = { kind: "worker", name: agent ?? plainDriver, session, computer: context.host.computer, ...more } as const;
    return { holder, surface: "runner", leaseOwner: session, stays: true };
  };
  return [callerOf(1), ...Array.from({ length: workers - 1 }, (_, place) => callerOf(place + 2))];
}

/** How a run that is over ended. */
async function endOf({ context }: RunnerParts, run: string): Promise<DriveEnd> {
  const { state } = await context.runs.open(run);
  if (state.status === "completed") return { run, kind: "completed" };
  const why = state.error?.message ?? `The run was ${state.status}.`;
  return { run, kind: state.status === "failed" ? "failed" : "cancelled", why };
}

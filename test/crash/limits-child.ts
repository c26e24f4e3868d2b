import { writeSync } from "node:fs";
import { setTimeout as sleep } from "node:timers/promises";
import { isWaymarkError } from "../../src/base/index.ts";
import { next, progress, readState, start, updateState, type Position } from "../../src/engine/index.ts";
import { composeEngine } from "./compose-engine.ts";

/** What one process does, as JSON in its first argument. Each dies by SIGKILL where it says so. */
export type LimitsTask =
  /** Drives the newest run, or starts one, and dies after so many reports. */
  | { readonly do: "budget"; readonly base: string; readonly yaml: string; readonly killAfter: number }
  /** Runs a command with a large output and writes a large value, then dies. */
  | { readonly do: "large"; readonly base: string; readonly yaml: string; readonly valueBytes: number };

export interface LimitsLine {
  readonly reported?: string;
  readonly standing?: Position["standing"];
  readonly used?: number;
  readonly run?: string;
  readonly out?: unknown;
  readonly version?: number;
}

const task = JSON.parse(process.argv[2] ?? "{}") as LimitsTask;
const say = (line: LimitsLine): void => void writeSync(1, `${JSON.stringify(line)}\n`);
const die = (): void => void process.kill(process.pid, "SIGKILL");

const engine = await composeEngine({ base: task.base, settings: { leaseTtlMs: 200, leaseBeatMs: 50, callWaitMs: 60_000 } });
const caller = engine.caller();

async function position(): Promise<Position> {
  const [held] = await engine.context.store.listRuns({});
  if (held === undefined) {
    await engine.define("limits", task.yaml);
    return start(engine.context, caller, { workflow: "limits" });
  }
  for (;;) {
    try {
      return await next(engine.context, caller, { run: held.id });
    } catch (error) {
      if (!isWaymarkError(error) || error.code !== "STRAND_HELD") throw error;
      await sleep(20);
    }
  }
}

let at = await position();
if (task.do === "budget") {
  for (let reports = 0; at.standing.kind === "action"; reports += 1) {
    if (reports === task.killAfter) die();
    const { action } = at.standing;
    ({ position: at } = await progress(engine.context, caller, { run: at.run, action: action.id, result: 1 }));
    say({ reported: action.step });
  }
  say({ standing: at.standing, used: at.state.budget.used.steps, run: at.run });
} else {
  const { version } = await updateState(engine.context, caller, {
    run: at.run,
    updates: [{ path: "raw.big", value: "b".repeat(task.valueBytes) }],
  });
  const { state } = await readState(engine.context, at.run, ["out"]);
  say({ run: at.run, out: state["out"], version });
  die();
}
await engine.close();

import { writeSync } from "node:fs";
import { setTimeout as sleep } from "node:timers/promises";
import { isWaymarkError } from "../../src/base/index.ts";
import { next, progress, type Caller } from "../../src/engine/index.ts";
import { composeEngine, type ComposedEngine } from "./compose-engine.ts";

/** One process that drives sub-agent tasks of a run, as JSON in its first argument: its own first, then whatever is left over. */
export interface WorkerTask {
  readonly base: string;
  readonly run: string;
  readonly own: readonly string[];
  readonly all: readonly string[];
  /** Stops itself after so many reports and stands still until somebody lets it go on: a zombie. */
  readonly stopAfter?: number;
}

/** A line per report that the engine said it has recorded, and one at the end. */
export type WorkerLine =
  | { readonly action: string; readonly task: string }
  | { readonly refused: string; readonly task: string }
  | { readonly taken: number };

const task = JSON.parse(process.argv[2] ?? "{}") as WorkerTask;
let reports = 0;
const say = (line: WorkerLine): void => void writeSync(1, `${JSON.stringify(line)}\n`);

/** Whether the task has ended; false while somebody else seems to drive it. */
async function drive({ context }: ComposedEngine, caller: Caller, name: string): Promise<boolean> {
  try {
    let { standing } = await next(context, caller, { run: task.run, task: name });
    for (;;) {
      if (standing.kind === "task_ended" || standing.kind === "ended") return true;
      if (standing.kind !== "action") ({ standing } = await next(context, caller, { run: task.run, task: name }));
      else {
        const { action } = standing;
        const result = (action.args["params"] as { n: number }).n;
        if (reports === task.stopAfter) process.kill(process.pid, "SIGSTOP");
        const { position } = await progress(context, caller, { run: task.run, task: name, action: action.id, result });
        reports += 1;
        say({ action: action.id, task: name });
        standing = position.standing;
      }
    }
  } catch (error) {
    if (isWaymarkError(error) && error.code === "STRAND_HELD") return false;
    if (task.stopAfter === undefined || !isWaymarkError(error)) throw error;
    say({ refused: error.code, task: name });
    return true;
  }
}

const engine = await composeEngine({ base: task.base, settings: { leaseTtlMs: 10_000, leaseBeatMs: 500 }, logged: () => undefined });
const caller = engine.caller("worker");
await Promise.all(task.own.map((name) => drive(engine, caller, name)));
let taken = 0;
for (let left = task.all.filter((name) => !task.own.includes(name)); left.length > 0;) {
  const still: string[] = [];
  for (const name of left) if (!(await drive(engine, caller, name))) still.push(name);
  if (still.length === left.length) await sleep(100);
  left = still;
  taken += 1;
}
say({ taken });
await engine.close();

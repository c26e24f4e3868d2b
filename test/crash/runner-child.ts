import { readFileSync, readdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { openRunner } from "../../src/bin/open-runner.ts";
import type { CliWorld } from "../../src/cli/index.ts";
import type { TranscriptEntry } from "../../src/ports/index.ts";
import { createWorkspace } from "../../src/workspace/index.ts";
import { around } from "./around.ts";
import { DriverPoints, eventsOf, findRun, runHere, type DriverTask, type Said } from "./driver-points.ts";

export interface RunnerTask extends DriverTask {
  readonly workflow: string;
  readonly who: "runner" | "agent";
}

/** Written when the run has ended here. */
export interface RunnerEnd {
  readonly points: number;
  readonly code: number;
  /** Milliseconds from the call to the first word with the agent about the run that was taken up. */
  readonly takenUpMs?: number;
  /** Steps whose report is in the journal, in order. */
  readonly reported: readonly string[];
}

const points = new DriverPoints<RunnerTask>((where, watched) => {
  if (watched.task.who === "runner") return watched.die(where);
  const killed = agents();
  if (killed.length > 0) watched.note("killed.log", { where });
  for (const pid of killed) process.kill(-pid, "SIGKILL");
});
const { task, replace } = points;

/** The leaders of the agents' groups, as they are recorded. */
function agents(): number[] {
  const folder = join(task.base, "work", ".waymark", "store", "groups");
  try {
    const records = readdirSync(folder).map((name) => JSON.parse(readFileSync(join(folder, name), "utf8")) as { leader: { pid: number } });
    return records.map(({ leader }) => leader.pid);
  } catch {
    return [];
  }
}

let calledAt: number | undefined;
let takenUpMs: number | undefined;

/** The real runner, with a point before and after every commit, and after everything that is kept of a turn. */
const openWatched: CliWorld["openRunner"] = async (flags) => {
  const place = { ...flags, replace };
  const runner = await openRunner(place, process.env, () => Promise.resolve({}));
  const transcripts = around(runner.context.transcripts, ["append"], async (_name, args, call) => {
    if (calledAt !== undefined) takenUpMs ??= performance.now() - calledAt;
    const done = await call();
    points.point(`after ${(args[0] as readonly TranscriptEntry[]).map(({ event }) => event.type).join("+")} was kept`);
    return done;
  });
  // The program of the scanning threads is not part of the bundle.
  Object.assign(runner.context, { transcripts, workspace: createWorkspace({ workers: 0 }) });
  return runner;
};

const waymark = (argv: readonly string[], isTerminal = false): Promise<Said> => runHere({ openRunner: openWatched }, argv, isTerminal);

async function reportedSteps(): Promise<string[]> {
  const events = await eventsOf(waymark, (await findRun(waymark)) ?? "");
  const steps = new Map(events.flatMap((event) => (event.type === "action_opened" ? [[event.action.id, event.action.step] as const] : [])));
  return events.flatMap((event) => (event.type === "action_closed" && event.how === "reported" ? (steps.get(event.action) ?? "") : []));
}

const run = await findRun(waymark);
if (run === undefined) await waymark(["allow", task.workflow, "--yes"], true);
else calledAt = performance.now();
const said = await waymark(run === undefined ? ["run", task.workflow, "--agent", "fake"] : ["drive", run, "--agent", "fake"]);
points.problem(said);
const reported = await reportedSteps();
const end: RunnerEnd = { points: points.points, code: said.code, reported, ...(takenUpMs === undefined ? {} : { takenUpMs }) };
writeFileSync(join(task.base, "end.json"), JSON.stringify(end));

import { join } from "node:path";
import { eachOf, hasEnded, inFolder, killed, pointsOf, readTraces, runDriver, type DriverTraces } from "./driver-process.ts";
import type { RunnerEnd, RunnerTask } from "./runner-child.ts";
import { runnerExamples, type RunnerExample } from "./runner-examples.ts";

/** What a whole matrix counted. From `unfinished` on all must be 0. */
export interface RunnerCounts {
  points: number;
  /** Of runners, and of agents. */
  killed: { runner: number; agent: number };
  /** Steps that were asked for again. */
  again: number;
  /** Milliseconds from the call of the next runner to its first word with its agent, each time. */
  takenUpMs: number[];
  unfinished: number;
  /** Files that are not as a run leaves them that nobody killed; steps that were done twice or never. */
  differing: number;
  /** Steps that were asked for again in another session. */
  strayed: number;
  /** Processes or records of agents that were left. */
  left: number;
  readonly complaints: string[];
}

interface MatrixOptions {
  /** The bundled child program. */
  readonly program: string;
  /** The program of the fake agent. */
  readonly agent: string;
  /** Every n-th point only. */
  readonly every: number;
  readonly workers: number;
  readonly say?: (line: string) => void;
}

/** Kills the runner, or its agent, at every point of every example, lets another runner finish, and compares with a run that nobody killed. */
export async function runnerMatrix(options: MatrixOptions): Promise<RunnerCounts> {
  const counts: RunnerCounts = {
    points: 0,
    killed: { runner: 0, agent: 0 },
    again: 0,
    takenUpMs: [],
    unfinished: 0,
    differing: 0,
    strayed: 0,
    left: 0,
    complaints: [],
  };
  for (const example of runnerExamples) {
    const reference = await tryOnce(options, example, { killAt: 0, who: "runner" });
    if (reference.end?.code !== 0) throw new Error(`${example.workflow} does not complete by itself: ${reference.problem}`);
    const { points } = reference.end;
    counts.points += points;
    const tries = (["runner", "agent"] as const).flatMap((who) => pointsOf(points, options.every).map((killAt) => ({ who, killAt })));
    await eachOf(tries, options.workers, async (kill) =>
      judge(example, kill, { tried: await tryOnce(options, example, kill), reference }, counts),
    );
    options.say?.(`${example.workflow}: ${points} points, ${counts.complaints.length} complaints so far`);
  }
  return counts;
}

type Kill = Pick<RunnerTask, "killAt" | "who">;

interface Tried extends DriverTraces<RunnerEnd> {
  readonly problem: string;
  readonly files: Readonly<Record<string, string>>;
}

/** One process that is killed, and one that is not. */
async function tryOnce({ program, agent }: MatrixOptions, example: RunnerExample, { killAt, who }: Kill): Promise<Tried> {
  const { workflow, files, script } = example;
  return inFolder("runner", { files, script, agent }, async (base) => {
    let problem = "";
    for (const at of killAt === 0 ? [0] : [killAt, 0]) {
      const task: RunnerTask = { base, workflow, killAt: at, who };
      problem = await runDriver(program, task);
      if (hasEnded(base) || problem !== killed) break;
    }
    const traces = readTraces<RunnerEnd>(base);
    return { ...traces, problem: [problem, ...traces.problems].join("\n"), files: example.read(join(base, "work")) };
  });
}

function judge(
  example: RunnerExample,
  { killAt, who }: Kill,
  { tried, reference }: Record<"tried" | "reference", Tried>,
  counts: RunnerCounts,
): void {
  const complain = (kind: "unfinished" | "differing" | "strayed" | "left", what: string): void => {
    counts[kind] += 1;
    counts.complaints.push(`${example.workflow}, ${who} killed at ${killAt} (${tried.where ?? "nowhere"}): ${what}`);
  };
  if (tried.where !== undefined) counts.killed[who] += 1;
  if (tried.end?.code !== 0) return complain("unfinished", tried.problem);
  if (tried.end.takenUpMs !== undefined) counts.takenUpMs.push(tried.end.takenUpMs);
  const [got, wanted] = [JSON.stringify(tried.files), JSON.stringify(reference.files)];
  if (got !== wanted) complain("differing", `${got} instead of ${wanted}`);
  const [done, usually] = [tried, reference].map(({ end }) => [...(end?.reported ?? [])].sort().join(", "));
  if (done !== usually) complain("differing", `reported were ${done} instead of ${usually}`);
  if (tried.left > 0) complain("left", `${tried.left} records of agents`);
  const steps = (of: Tried): Map<string, string[]> => {
    const asked = new Map<string, string[]>();
    for (const { session, text } of of.prompts) {
      const step = example.stepOf(text);
      asked.set(step, [...(asked.get(step) ?? []), session]);
    }
    return asked;
  };
  const asked = steps(tried);
  for (const step of steps(reference).keys()) if (!asked.has(step)) complain("differing", `${step} was never asked for`);
  for (const [step, sessions] of asked) {
    const usual = steps(reference).get(step)?.length ?? 0;
    if (sessions.length > usual + 1) complain("differing", `${step} was asked for ${sessions.length} times`);
    if (sessions.length <= usual) continue;
    counts.again += 1;
    if (new Set(sessions).size === new Set(steps(reference).get(step)).size) continue;
    complain("strayed", `${step} was asked for in ${sessions.join(", ")}`);
  }
}

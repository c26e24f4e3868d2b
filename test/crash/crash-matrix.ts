import { spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { canonicalJson } from "../../src/base/index.ts";
import type { CrashEnd, CrashTask } from "./crash-child.ts";
import { crashWorkflows, type CrashWorkflow } from "./crash-workflows.ts";

/** What a whole matrix counted. Everything but the first three must be 0. */
export interface CrashCounts {
  points: number;
  kills: number;
  acknowledged: number;
  lost: number;
  doubled: number;
  differing: number;
  unfinished: number;
  readonly complaints: string[];
}

interface MatrixOptions {
  /** The bundled child program. */
  readonly program: string;
  /** Every n-th point only. */
  readonly every: number;
  readonly workers: number;
  readonly onWorkflow?: (line: string) => void;
}

const leaseTtlMs = 250;
const longestMs = 60_000;

/** Kills a process at every point of every workflow, lets another finish the run, and compares with a run nobody killed. */
export async function crashMatrix(options: MatrixOptions): Promise<CrashCounts> {
  const counts: CrashCounts = { points: 0, kills: 0, acknowledged: 0, lost: 0, doubled: 0, differing: 0, unfinished: 0, complaints: [] };
  for (const workflow of crashWorkflows) {
    const before = { ...counts };
    const began = performance.now();
    await killEverywhere(options, workflow, counts);
    const grown = (key: "points" | "kills" | "acknowledged" | "lost" | "doubled" | "differing" | "unfinished"): number =>
      counts[key] - before[key];
    options.onWorkflow?.(
      `${workflow.name}: ${grown("points")} points, ${grown("kills")} kills, ${grown("acknowledged")} acknowledged reports, ${grown("lost")} lost, ` +
        `${grown("doubled")} doubled, ${grown("differing")} differing, ${grown("unfinished")} unfinished (${((performance.now() - began) / 1000).toFixed(0)} s)`,
    );
  }
  return counts;
}

/** The first run is not killed: it says how many points there are and what the end must look like. */
async function killEverywhere(options: MatrixOptions, workflow: CrashWorkflow, counts: CrashCounts): Promise<void> {
  const reference = await inFolder((base) => tryOnce(options.program, base, workflow, [0]));
  if (reference.end === undefined || reference.end.status !== "completed")
    throw new Error(`${workflow.name} does not complete by itself: ${reference.problem}`);
  counts.points += reference.end.points;
  // The number of points may differ a little from run to run, so some more are tried; one beyond the last kills nobody.
  const tries = Array.from({ length: Math.ceil((reference.end.points + 3) / options.every) }, (_, index) => index * options.every + 1);
  const worker = async (): Promise<void> => {
    for (let killAt = tries.shift(); killAt !== undefined; killAt = tries.shift()) {
      const second = killAt % 7 === 0 ? [killAt, 3, 0] : [killAt, 0];
      const tried = await inFolder((base) => tryOnce(options.program, base, workflow, second));
      judge(workflow, { killAt, tried, reference }, counts);
    }
  };
  await Promise.all(Array.from({ length: options.workers }, worker));
}

async function inFolder<T>(work: (base: string) => Promise<T>): Promise<T> {
  const base = mkdtempSync(join(tmpdir(), "waymark-crash-"));
  try {
    return await work(base);
  } finally {
    rmSync(base, { recursive: true, force: true, maxRetries: 3 });
  }
}

interface Kill {
  readonly point: number;
  readonly where: string;
  readonly inFlight: readonly string[];
}

interface Tried {
  readonly end?: CrashEnd;
  readonly problem: string;
  readonly kills: readonly Kill[];
  readonly world: ReadonlyMap<string, number>;
  readonly acknowledged: readonly { readonly action: string; readonly step: string }[];
}

/** One process after the other on the same folder, each killed at its point, until one is not. */
async function tryOnce(program: string, base: string, workflow: CrashWorkflow, killAts: readonly number[]): Promise<Tried> {
  let end: CrashEnd | undefined;
  let problem = "";
  for (const killAt of killAts) {
    const ran = await runChild(program, { base, workflow: workflow.name, killAt, leaseTtlMs });
    problem = ran.problem;
    if (ran.end === undefined && ran.signal === "SIGKILL" && killAt !== 0) continue;
    end = ran.end;
    break;
  }
  const world = new Map<string, number>();
  for (const line of linesOf(join(base, "work", "world.log"))) world.set(line, (world.get(line) ?? 0) + 1);
  return {
    problem,
    world,
    ...(end === undefined ? {} : { end }),
    kills: linesOf(join(base, "killed.log")).map((line) => JSON.parse(line) as Kill),
    acknowledged: linesOf(join(base, "acknowledged.log")).map((line) => JSON.parse(line) as { action: string; step: string }),
  };
}

function linesOf(path: string): string[] {
  return existsSync(path)
    ? readFileSync(path, "utf8")
        .split("\n")
        .filter((line) => line !== "")
    : [];
}

async function runChild(
  program: string,
  task: CrashTask,
): Promise<{ readonly end?: CrashEnd; readonly signal: string | null; readonly problem: string }> {
  const child = spawn(process.execPath, [program, JSON.stringify(task)], { stdio: ["ignore", "pipe", "pipe"] });
  let out = "";
  let errors = "";
  child.stdout.setEncoding("utf8").on("data", (text: string) => (out += text));
  child.stderr.setEncoding("utf8").on("data", (text: string) => (errors += text));
  const late = setTimeout(() => child.kill("SIGTERM"), longestMs);
  const [code, signal] = (await once(child, "close")) as [number | null, string | null];
  clearTimeout(late);
  const problem = code === 0 ? "" : `ended with ${signal ?? code}: ${errors.trim().slice(-400)}`;
  return { signal, problem, ...(code === 0 && out !== "" ? { end: JSON.parse(out) as CrashEnd } : {}) };
}

interface Case {
  readonly killAt: number;
  readonly tried: Tried;
  readonly reference: Tried;
}

function judge(workflow: CrashWorkflow, { killAt, tried, reference }: Case, counts: CrashCounts): void {
  const { end, kills, world } = tried;
  const where = kills.map((kill) => `point ${kill.point}, ${kill.where}`).join("; then ");
  const complain = (kind: "lost" | "doubled" | "differing" | "unfinished", what: string): void => {
    counts[kind] += 1;
    counts.complaints.push(`${workflow.name} killed at ${killAt} (${where}): ${what}`);
  };
  counts.kills += kills.length;
  counts.acknowledged += tried.acknowledged.length;
  if (end === undefined) return complain("unfinished", tried.problem === "" ? "killed more often than planned" : tried.problem);
  const keys = new Set(end.keys);
  for (const { action, step } of tried.acknowledged) {
    if (!keys.has(`report:${action}`) && !keys.has(`answer:${action}:1`))
      complain("lost", `the report of ${step} (${action}) is not in the journal`);
  }
  for (const [name, count] of world) {
    const usual = reference.world.get(name) ?? 0;
    const excused = workflow.once.includes(name) ? 0 : kills.filter((kill) => kill.inFlight.includes(name)).length;
    if (count > usual + excused)
      complain(
        "doubled",
        `${name} was done ${count} times, ${usual} are usual, in flight ${JSON.stringify(kills.map((kill) => kill.inFlight))}`,
      );
  }
  const missing = [...reference.world.keys()].filter((name) => !world.has(name) && !workflow.once.includes(name));
  if (missing.length > 0) complain("differing", `${missing.join(", ")} were never done`);
  const [got, wanted] = [comparable(end), comparable(reference.end ?? end)];
  if (got !== wanted) complain("differing", `the end is ${got} instead of ${wanted}`);
  for (const problem of end.problems) complain("differing", problem);
}

/** Lists that sub-agents append to have no order of their own. */
function comparable({ status, state, lists, error }: CrashEnd): string {
  const flat = state as { notes?: readonly string[] };
  const sorted = flat.notes === undefined ? flat : { ...flat, notes: [...flat.notes].sort() };
  return canonicalJson({ status, error: error ?? null, lists, state: sorted });
}

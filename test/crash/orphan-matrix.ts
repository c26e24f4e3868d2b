import { existsSync, mkdtempSync, readFileSync, readdirSync, readlinkSync, realpathSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { OrphanLine, OrphanTask } from "./orphan-child.ts";
import { orphanWorkflows } from "./orphan-workflows.ts";
import { Random } from "../soak/random.ts";
import { runChild } from "./run-child.ts";

/** What all lives counted. Everything but the first three must be 0. */
export interface OrphanCounts {
  kills: number;
  /** Kills that found a command under way. */
  running: number;
  /** How often a command began. */
  begun: number;
  /** Commands that ran while another of the same step did, or while the next step did. */
  doubled: number;
  /** Commands that must run once and did not, or not to their end. */
  broken: number;
  /** Lives that did not come to their end, or left a process or a record behind. */
  unfinished: number;
  readonly complaints: string[];
}

interface OrphanOptions {
  /** The bundled child program. */
  readonly program: string;
  readonly kills: number;
  readonly workers: number;
  readonly seed: number;
}

const killsOfOneLife = 4;
const leaseTtlMs = 250;

/** Kills processes while their command is under way, four in a row on the same run, and lets a fifth one finish. */
export async function orphanMatrix({ program, kills, workers, seed }: OrphanOptions): Promise<OrphanCounts> {
  const counts: OrphanCounts = { kills: 0, running: 0, begun: 0, doubled: 0, broken: 0, unfinished: 0, complaints: [] };
  const random = new Random(seed);
  const lives = Array.from({ length: Math.ceil(kills / killsOfOneLife) }, (_, index) => ({
    workflow: orphanWorkflows[index % orphanWorkflows.length]!,
    // Half of them about when the command starts, the others later.
    moments: Array.from({ length: killsOfOneLife }, (_each, kill) => random.below(kill % 2 === 0 ? 120 : 900)),
  }));
  const worker = async (): Promise<void> => {
    for (let life = lives.shift(); life !== undefined; life = lives.shift()) {
      const base = mkdtempSync(join(tmpdir(), "waymark-orphan-"));
      try {
        await live(program, base, life, counts);
      } finally {
        rmSync(base, { recursive: true, force: true, maxRetries: 3 });
      }
    }
  };
  await Promise.all(Array.from({ length: workers }, worker));
  return counts;
}

interface Life {
  readonly workflow: (typeof orphanWorkflows)[number];
  /** Milliseconds after a process began to work on the run; then it is killed. */
  readonly moments: readonly number[];
}

async function live(program: string, base: string, { workflow, moments }: Life, counts: OrphanCounts): Promise<void> {
  const task: OrphanTask = { base, workflow: workflow.name, leaseTtlMs };
  const folder = join(base, "work");
  const complain = (kind: "doubled" | "broken" | "unfinished", what: string): void => {
    counts[kind] += 1;
    counts.complaints.push(`${workflow.name} killed after ${moments.join(", ")} ms: ${what}`);
  };
  for (const ms of moments) {
    const { signal } = await runChild<OrphanLine>(program, task, { after: 1, ms });
    if (signal !== "SIGKILL") break;
    counts.kills += 1;
    if (isLocked(folder)) counts.running += 1;
  }
  // Two at once, once there is a run: one of them takes the command up.
  const last = linesOf(join(folder, "marks")).length === 0 ? [task] : [task, task];
  for (const { lines, problem } of await Promise.all(last.map((each) => runChild<OrphanLine>(program, each)))) {
    const end = lines.find((line) => line.said === "end");
    if (end?.status !== "completed") complain("unfinished", `${end?.status ?? "no end"} ${problem}`);
  }
  const marks = linesOf(join(folder, "marks"));
  const begun = marks.filter((mark) => mark === "begin").length;
  counts.begun += begun;
  for (const line of linesOf(join(folder, "doubled"))) complain("doubled", `${line} ran beside another`);
  if (workflow.once && (begun > 1 || marks.length !== 2 * begun))
    complain("broken", `${marks.join(", ")} instead of once from begin to end`);
  if (isLocked(folder)) complain("unfinished", "a process of a command is left");
  const records = join(folder, ".waymark", "store", "groups");
  const left = existsSync(records) ? readdirSync(records) : [];
  if (left.length > 0) complain("unfinished", `${left.length} records are left`);
}

/** Whether any process of a command runs. The lock itself is not tried: a command that begins meanwhile would find it taken. */
export function isLocked(folder: string): boolean {
  const lock = join(realpathSync(folder), "lock");
  return readdirSync("/proc").some((pid) => /^\d+$/.test(pid) && isOpenIn(pid, lock));
}

function isOpenIn(pid: string, lock: string): boolean {
  try {
    return readlinkSync(`/proc/${pid}/fd/9`) === lock;
  } catch {
    return false;
  }
}

function linesOf(path: string): readonly string[] {
  return existsSync(path) ? readFileSync(path, "utf8").split("\n").slice(0, -1) : [];
}

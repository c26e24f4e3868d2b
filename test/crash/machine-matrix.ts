import { execFileSync } from "node:child_process";
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { Random } from "../soak/random.ts";
import type { Acknowledged, MachineLine, MachineTask } from "./machine-child.ts";
import { runChild, type Moment, type Ran } from "./run-child.ts";

/** What was tried and what came of it. `complaints` must be empty. */
export interface MachineCounts {
  /** Processes that were killed with a dispatch in hand, at the border of a write, around a commit, or elsewhere. */
  working: number;
  writing: number;
  committing: number;
  elsewhere: number;
  /** Sessions that came to their end, and what they took. */
  sessions: number;
  dispatches: number;
  reports: number;
  answers: number;
  readonly complaints: string[];
}

export interface MachineMatrix {
  /** The bundled child program. */
  readonly program: string;
  /** Where the bundled workflows are. */
  readonly root: string;
  readonly kills: number;
  readonly workers: number;
  readonly seed: number;
  /** How the first processes die; those after them by chance. */
  readonly deaths?: readonly Death[];
  readonly say?: (line: string) => void;
}

const leaseTtlMs = 250;
/** How often one session is killed before it may come to its end. */
const mostKills = 25;
export const borders = ["read", "temporary_created", "temporary_written", "temporary_synced", "renamed"] as const;

/** One process after the other goes on with a delivery and is killed, until the session is done; then comes the next session. */
export async function machineMatrix(options: MachineMatrix): Promise<MachineCounts> {
  const counts: MachineCounts = {
    working: 0,
    writing: 0,
    committing: 0,
    elsewhere: 0,
    sessions: 0,
    dispatches: 0,
    reports: 0,
    answers: 0,
    complaints: [],
  };
  let left = options.kills;
  const planned = [...(options.deaths ?? [])];
  const worker = async (number: number): Promise<void> => {
    const random = new Random("machine", options.seed, number);
    const next = (): Death => {
      left -= 1;
      return left < 0 ? {} : (planned.shift() ?? howToDie(random));
    };
    while (left > 0) {
      await session(options, counts, next);
      options.say?.(`${options.kills - Math.max(0, left)} kills, ${counts.sessions} sessions, ${counts.complaints.length} complaints`);
    }
  };
  await Promise.all(Array.from({ length: options.workers }, (_, at) => worker(at)));
  return counts;
}

async function session(options: MachineMatrix, counts: MachineCounts, next: () => Death): Promise<void> {
  const base = mkdtempSync(join(tmpdir(), "waymark-machine-"));
  growRepository(join(base, "work"), options.root);
  const heard: MachineLine[] = [];
  try {
    for (let killed = 0; ; killed += 1) {
      const how = killed < mostKills ? next() : {};
      const task: MachineTask = {
        base,
        leaseTtlMs,
        workMs: 5,
        known: acknowledged(heard),
        ...("fault" in how ? { fault: how.fault } : {}),
      };
      const ran = await runChild<MachineLine>(options.program, task, "moment" in how ? how.moment : undefined);
      heard.push(...ran.lines);
      counts.complaints.push(...ran.lines.flatMap((line) => (line.said === "accused" ? [line.question] : [])));
      if (ran.signal === "SIGKILL") count(counts, ran, how);
      else return judge(counts, ran, acknowledged(heard), killed);
    }
  } finally {
    rmSync(base, { recursive: true, force: true, maxRetries: 3 });
  }
}

export type Death = { readonly fault: NonNullable<MachineTask["fault"]> } | { readonly moment: Moment } | Record<string, never>;

function howToDie(random: Random): Death {
  const nth = 1 + random.below(10);
  if (random.chance(0.35)) return { fault: { at: random.pick(["before commit", "after commit"]), nth } };
  if (random.chance(0.5)) return { fault: { at: random.pick(borders), nth: 1 + random.below(5) } };
  return { moment: random.chance(0.3) ? { after: 0, ms: random.below(700) } : { after: 1 + random.below(3), ms: random.below(20) } };
}

function acknowledged(lines: readonly MachineLine[]): Acknowledged {
  return {
    reports: lines.flatMap((line) => (line.said === "reported" ? [line.action] : [])),
    answers: lines.flatMap((line) => (line.said === "answered" ? [{ decision: line.decision, text: line.text }] : [])),
  };
}

function count(counts: MachineCounts, { lines }: Ran<MachineLine>, how: Death): void {
  if ("fault" in how) counts[how.fault.at.endsWith("commit") ? "committing" : "writing"] += 1;
  else counts[lines.at(-1)?.said === "handed" ? "working" : "elsewhere"] += 1;
}

function judge(counts: MachineCounts, { lines, problem }: Ran<MachineLine>, known: Acknowledged, killed: number): void {
  const ended = lines.find((line) => line.said === "ended");
  const wrong = ended === undefined || ended.status !== "completed" ? [problem || `the session is ${ended?.status ?? "open"}`] : [];
  counts.complaints.push(...[...wrong, ...(ended?.problems ?? [])].map((each) => `after ${killed} kills: ${each}`));
  counts.sessions += 1;
  counts.dispatches += ended?.dispatches ?? 0;
  counts.reports += known.reports.length;
  counts.answers += known.answers.length;
}

/** A small git repository with the bundled delivery in it. */
function growRepository(folder: string, root: string): void {
  const write = (path: string, text: string): void => {
    mkdirSync(dirname(join(folder, path)), { recursive: true });
    writeFileSync(join(folder, path), text);
  };
  write(".gitignore", ".agents-work/\n.waymark/store/\n");
  write("check.mjs", "process.exit(0);\n");
  write(".waymark/workflows/delivery.machine.yaml", readFileSync(join(root, "workflows", "delivery.machine.yaml"), "utf8"));
  for (const role of readdirSync(join(root, "workflows", "roles")))
    write(`.waymark/workflows/roles/${role}`, readFileSync(join(root, "workflows", "roles", role), "utf8"));
  const who = ["-c", "user.name=t", "-c", "user.email=t@localhost", "-c", "init.defaultBranch=main"];
  for (const args of [
    ["init", "-q"],
    ["add", "-A"],
    ["commit", "-q", "-m", "begin"],
  ])
    execFileSync("git", [...who, ...args], { cwd: folder });
}

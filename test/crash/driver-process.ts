import { spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, mkdirSync, mkdtempSync, readFileSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import type { DriverTask } from "./driver-points.ts";

// What matrices share that kill processes which drive runs with a fake agent, each in a folder of its own.

const longestMs = 120_000;

/** How the process of a task ended that was killed. */
export const killed = "ended with SIGKILL";

interface Prepared {
  /** Of the workspace. */
  readonly files: Readonly<Record<string, string>>;
  /** What the agent says. */
  readonly script: object;
  /** The program of the fake agent. */
  readonly agent: string;
  /** The user's own configuration, in the place of one with the fake agent. */
  readonly config?: object;
}

/** Works in a new folder, which is removed afterwards. */
export async function inFolder<T>(name: string, prepared: Prepared, work: (base: string) => Promise<T>): Promise<T> {
  const base = mkdtempSync(join(tmpdir(), `waymark-${name}-`));
  try {
    prepare(base, prepared);
    return await work(base);
  } finally {
    rmSync(base, { recursive: true, force: true, maxRetries: 3 });
  }
}

function prepare(base: string, { files, script, agent, config }: Prepared): void {
  const write = (path: string, text: string): void => {
    mkdirSync(dirname(join(base, path)), { recursive: true });
    writeFileSync(join(base, path), text);
  };
  for (const [path, text] of Object.entries(files)) write(join("work", path), text);
  write("script.json", JSON.stringify(script));
  const args = ["log=requests.jsonl", "state=sessions", "script=script.json"].map((arg) => `--${arg.replace("=", `=${base}/`)}`);
  const fake = { protocol: "acp", command: [process.execPath, agent, ...args], permission: "edit" };
  write("config/config.yaml", JSON.stringify(config ?? { agents: { fake } }));
}

/** Runs one process; with `ms` it is killed after so many milliseconds, if it is still there. The answer says how it ended, empty where all was well. */
export async function runDriver(program: string, task: DriverTask, ms?: number): Promise<string> {
  const { base } = task;
  const env = { PATH: process.env["PATH"], HOME: base, WAYMARK_DATA_HOME: join(base, "data"), WAYMARK_CONFIG_HOME: join(base, "config") };
  const child = spawn(process.execPath, [program, JSON.stringify(task)], {
    cwd: join(base, "work"),
    env,
    stdio: ["ignore", "ignore", "pipe"],
  });
  let errors = "";
  child.stderr.setEncoding("utf8").on("data", (text: string) => (errors += text));
  const late = setTimeout(() => child.kill("SIGTERM"), longestMs);
  const kill = ms === undefined ? undefined : setTimeout(() => child.kill("SIGKILL"), ms);
  // Not `close`: an agent that was left holds the pipe.
  const [code, signal] = (await once(child, "exit")) as [number | null, string | null];
  clearTimeout(late);
  clearTimeout(kill);
  child.stderr.destroy();
  if (code === 0) return "";
  return signal === "SIGKILL" ? killed : `ended with ${signal ?? code}: ${errors.trim().slice(-600)}`;
}

/** What processes left in their folder. */
export interface DriverTraces<End> {
  /** What the process noted in which the run ended. */
  readonly end?: End;
  /** Where the first one was killed. */
  readonly where?: string;
  readonly problems: readonly string[];
  /** What the agent was asked, in order. */
  readonly prompts: readonly { readonly session: string; readonly text: string }[];
  /** How many processes are still recorded. */
  readonly left: number;
}

export function readTraces<End>(base: string): DriverTraces<End> {
  const groups = join(base, "work", ".waymark", "store", "groups");
  const [at] = linesOf<{ where: string }>(join(base, "killed.log"));
  return {
    problems: linesOf<{ out: string }>(join(base, "problems.log")).map(({ out }) => out),
    prompts: promptsIn(join(base, "requests.jsonl")),
    left: existsSync(groups) ? readdirSync(groups).length : 0,
    ...(hasEnded(base) ? { end: JSON.parse(readFileSync(join(base, "end.json"), "utf8")) as End } : {}),
    ...(at === undefined ? {} : { where: at.where }),
  };
}

export function hasEnded(base: string): boolean {
  return existsSync(join(base, "end.json"));
}

function promptsIn(log: string): DriverTraces<unknown>["prompts"] {
  return linesOf<{ method: string; params: { sessionId: string; prompt: { text: string }[] } }>(log)
    .filter(({ method }) => method === "session/prompt")
    .map(({ params }) => ({ session: params.sessionId, text: params.prompt.map(({ text }) => text).join("") }));
}

/** Whole lines of a file; none where it is not there. */
export function wordsOf(path: string): readonly string[] {
  return existsSync(path) ? readFileSync(path, "utf8").split("\n").slice(0, -1) : [];
}

export function linesOf<T>(path: string): T[] {
  return wordsOf(path).map((line) => JSON.parse(line) as T);
}

/** Every n-th point of so many, counted from 1. */
export function pointsOf(points: number, every: number): readonly number[] {
  return Array.from({ length: Math.ceil(points / every) }, (_, at) => at * every + 1);
}

/** Does all of them, so many at the same time. */
export async function eachOf<T>(all: readonly T[], workers: number, work: (one: T) => Promise<void>): Promise<void> {
  const left = [...all];
  const worker = async (): Promise<void> => {
    for (let one = left.shift(); one !== undefined; one = left.shift()) await work(one);
  };
  await Promise.all(Array.from({ length: workers }, worker));
}

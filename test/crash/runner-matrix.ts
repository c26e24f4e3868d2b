import { spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, mkdirSync, mkdtempSync, readFileSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
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

const longestMs = 120_000;

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
    const tries = (["runner", "agent"] as const).flatMap((who) =>
      Array.from({ length: Math.ceil(points / options.every) }, (_, index) => ({ who, killAt: index * options.every + 1 })),
    );
    const worker = async (): Promise<void> => {
      for (let kill = tries.shift(); kill !== undefined; kill = tries.shift())
        judge(example, kill, { tried: await tryOnce(options, example, kill), reference }, counts);
    };
    await Promise.all(Array.from({ length: options.workers }, worker));
    options.say?.(`${example.workflow}: ${points} points, ${counts.complaints.length} complaints so far`);
  }
  return counts;
}

type Kill = Pick<RunnerTask, "killAt" | "who">;

interface Tried {
  readonly end?: RunnerEnd;
  readonly problem: string;
  /** Where it was killed. */
  readonly where?: string;
  readonly files: Readonly<Record<string, string>>;
  /** What the agent was asked, in order. */
  readonly prompts: readonly { readonly session: string; readonly text: string }[];
  readonly left: number;
}

/** One process that is killed, and one that is not. */
async function tryOnce({ program, agent }: MatrixOptions, example: RunnerExample, { killAt, who }: Kill): Promise<Tried> {
  const base = mkdtempSync(join(tmpdir(), "waymark-runner-"));
  try {
    prepare(base, example, agent);
    let problem = "";
    for (const at of killAt === 0 ? [0] : [killAt, 0]) {
      problem = await runChild(program, { base, workflow: example.workflow, killAt: at, who });
      if (existsSync(join(base, "end.json")) || problem !== "ended with SIGKILL") break;
    }
    const groups = join(base, "work", ".waymark", "store", "groups");
    const [killed] = linesOf<{ where: string }>(join(base, "killed.log"));
    const problems = linesOf<{ out: string }>(join(base, "problems.log")).map(({ out }) => out);
    return {
      problem: [problem, ...problems].join("\n"),
      files: example.read(join(base, "work")),
      prompts: promptsIn(join(base, "requests.jsonl")),
      left: existsSync(groups) ? readdirSync(groups).length : 0,
      ...(existsSync(join(base, "end.json")) ? { end: JSON.parse(readFileSync(join(base, "end.json"), "utf8")) as RunnerEnd } : {}),
      ...(killed === undefined ? {} : { where: killed.where }),
    };
  } finally {
    rmSync(base, { recursive: true, force: true, maxRetries: 3 });
  }
}

function prepare(base: string, { files, script }: RunnerExample, agent: string): void {
  const write = (path: string, text: string): void => {
    mkdirSync(dirname(join(base, path)), { recursive: true });
    writeFileSync(join(base, path), text);
  };
  for (const [path, text] of Object.entries(files)) write(join("work", path), text);
  write("script.json", JSON.stringify(script));
  const args = ["log=requests.jsonl", "state=sessions", "script=script.json"].map((arg) => `--${arg.replace("=", `=${base}/`)}`);
  const fake = { protocol: "acp", command: [process.execPath, agent, ...args], permission: "edit" };
  write("config/config.yaml", JSON.stringify({ agents: { fake } }));
}

async function runChild(program: string, task: RunnerTask): Promise<string> {
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
  // Not `close`: an agent that was left holds the pipe.
  const [code, signal] = (await once(child, "exit")) as [number | null, string | null];
  clearTimeout(late);
  child.stderr.destroy();
  return code === 0 ? "" : signal === "SIGKILL" ? "ended with SIGKILL" : `ended with ${signal ?? code}: ${errors.trim().slice(-600)}`;
}

function promptsIn(log: string): Tried["prompts"] {
  return linesOf<{ method: string; params: { sessionId: string; prompt: { text: string }[] } }>(log)
    .filter(({ method }) => method === "session/prompt")
    .map(({ params }) => ({ session: params.sessionId, text: params.prompt.map(({ text }) => text).join("") }));
}

function linesOf<T>(path: string): T[] {
  const text = existsSync(path) ? readFileSync(path, "utf8") : "";
  return text
    .split("\n")
    .slice(0, -1)
    .map((line) => JSON.parse(line) as T);
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

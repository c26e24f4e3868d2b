import { spawn } from "node:child_process";
import { once } from "node:events";

/** When to kill: so many milliseconds after the n-th piece of work was handed out; with `after: 0` after its first word. */
export interface Moment {
  readonly after: number;
  readonly ms: number;
}

/** How a process ended, and what it said until then, a line of JSON each. */
export interface Ran<Line> {
  readonly signal: string | null;
  readonly problem: string;
  readonly lines: readonly Line[];
}

const longestMs = 60_000;

/** Starts a program of the crash tests with its task, and kills it at the moment, if there is one. */
export async function runChild<Line>(program: string, task: unknown, moment?: Moment): Promise<Ran<Line>> {
  const child = spawn(process.execPath, [program, JSON.stringify(task)], { stdio: ["ignore", "pipe", "pipe"] });
  let [out, errors, armed] = ["", "", false];
  child.stdout.setEncoding("utf8").on("data", (text: string) => {
    out += text;
    const handed = out.split('"said":"handed"').length - 1;
    if (moment === undefined || armed || handed < moment.after) return;
    armed = true;
    setTimeout(() => child.kill("SIGKILL"), moment.ms);
  });
  child.stderr.setEncoding("utf8").on("data", (text: string) => (errors += text));
  const late = setTimeout(() => child.kill("SIGTERM"), longestMs);
  const [code, signal] = (await once(child, "close")) as [number | null, string | null];
  clearTimeout(late);
  const lines = out.split("\n").slice(0, -1);
  const problem = code === 0 || signal === "SIGKILL" ? "" : `ended with ${signal ?? code}: ${errors.trim().slice(-600)}`;
  return { signal, problem, lines: lines.map((line) => JSON.parse(line) as Line) };
}

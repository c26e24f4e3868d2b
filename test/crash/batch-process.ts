import { spawn } from "node:child_process";
import { once } from "node:events";
import type { BatchLine, BatchTask } from "./batch-child.ts";

/** How a process of the batch test ended, and what it said until then. */
export interface Ran {
  readonly signal: string | null;
  readonly problem: string;
  /** Milliseconds from its first word, and from the token it was given, to its end. */
  readonly took: { readonly begun: number; readonly token: number };
  readonly lines: readonly BatchLine[];
}

const longestMs = 120_000;

/** A moment: milliseconds after the process has said this. */
export interface Moment {
  readonly from: "begun" | "token";
  readonly after: number;
}

export async function runBatchChild(program: string, task: BatchTask, moment?: Moment): Promise<Ran> {
  const child = spawn(process.execPath, [program, JSON.stringify(task)], { stdio: ["ignore", "pipe", "pipe"] });
  let [out, errors] = ["", ""];
  const heard = { begun: 0, token: 0 };
  child.stdout.setEncoding("utf8").on("data", (text: string) => {
    out += text;
    for (const said of ["begun", "token"] as const) {
      if (heard[said] > 0 || !out.includes(`{"said":"${said}"`)) continue;
      heard[said] = performance.now();
      if (moment?.from === said) setTimeout(() => child.kill("SIGKILL"), moment.after);
    }
  });
  child.stderr.setEncoding("utf8").on("data", (text: string) => (errors += text));
  const late = setTimeout(() => child.kill("SIGTERM"), longestMs);
  const [code, signal] = (await once(child, "close")) as [number | null, string | null];
  clearTimeout(late);
  const lines = out.split("\n").slice(0, -1);
  const problem = code === 0 || signal === "SIGKILL" ? "" : `ended with ${signal ?? code}: ${errors.trim().slice(-600)}`;
  const took = { begun: performance.now() - heard.begun, token: performance.now() - heard.token };
  return { signal, problem, took, lines: lines.map((line) => JSON.parse(line) as BatchLine) };
}

/** `planning`: no token was given yet. `written`: all files are new, and the end of the batch is not recorded. */
export type Stage = "planning" | "token given" | "confirmed" | "writing" | "written" | "undoing";

/** What the process was doing when it died, by what it said and how many files it had changed. */
export function stageOf(lines: readonly BatchLine[], { changed, old }: { readonly changed: number; readonly old: number }): Stage {
  const said = (what: BatchLine["said"]): boolean => lines.some((line) => line.said === what);
  if (changed > 0) return old > 0 ? "writing" : "written";
  return said("confirmed") ? "confirmed" : said("token") ? "token given" : "planning";
}

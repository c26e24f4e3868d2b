import { spawn } from "node:child_process";
import { once } from "node:events";
import type { BatchLine, BatchTask } from "./batch-child.ts";

/** How a process of the batch test ended, and what it said until then. */
export interface Ran {
  readonly signal: string | null;
  readonly problem: string;
  /** Milliseconds from its first word to its end. */
  readonly took: number;
  readonly lines: readonly BatchLine[];
}

const longestMs = 120_000;

/** `killAfter`: milliseconds from the moment at which it says that it begins. */
export async function runBatchChild(program: string, task: BatchTask, killAfter?: number): Promise<Ran> {
  const child = spawn(process.execPath, [program, JSON.stringify(task)], { stdio: ["ignore", "pipe", "pipe"] });
  let [out, errors, begun] = ["", "", 0];
  child.stdout.setEncoding("utf8").on("data", (text: string) => {
    if (begun === 0 && killAfter !== undefined) setTimeout(() => child.kill("SIGKILL"), killAfter);
    if (begun === 0) begun = performance.now();
    out += text;
  });
  child.stderr.setEncoding("utf8").on("data", (text: string) => (errors += text));
  const late = setTimeout(() => child.kill("SIGTERM"), longestMs);
  const [code, signal] = (await once(child, "close")) as [number | null, string | null];
  clearTimeout(late);
  const lines = out.split("\n").slice(0, -1);
  const problem = code === 0 || signal === "SIGKILL" ? "" : `ended with ${signal ?? code}: ${errors.trim().slice(-600)}`;
  return { signal, problem, took: performance.now() - begun, lines: lines.map((line) => JSON.parse(line) as BatchLine) };
}

/** `planning`: no token was given yet. `written`: all files are new, and the end of the batch is not recorded. */
export type Stage = "planning" | "token given" | "confirmed" | "writing" | "written" | "undoing";

/** What the process was doing when it died, by what it said and how many files it had changed. */
export function stageOf(lines: readonly BatchLine[], { changed, old }: { readonly changed: number; readonly old: number }): Stage {
  const said = (what: BatchLine["said"]): boolean => lines.some((line) => line.said === what);
  if (changed > 0) return old > 0 ? "writing" : "written";
  return said("confirmed") ? "confirmed" : said("token") ? "token given" : "planning";
}

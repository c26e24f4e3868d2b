import { spawn, type ChildProcess } from "node:child_process";
import { once } from "node:events";
import type { ChildLine, ChildTask } from "../crash/store-child.ts";

export interface StartedChild {
  readonly child: ChildProcess;
  /** What it said so far. */
  readonly lines: ChildLine[];
  readonly ended: Promise<ChildLine[]>;
}

/** Starts `program`, the bundle of `store-child.ts`. `shell` is what a shell does before. Who starts it kills it. */
export function startChild(program: string, task: ChildTask, shell?: string): StartedChild {
  const args = [program, JSON.stringify(task)];
  const command = shell === undefined ? [process.execPath, ...args] : ["bash", "-c", `${shell}; exec "$0" "$@"`, process.execPath, ...args];
  const child = spawn(command[0] ?? "", command.slice(1), { stdio: ["pipe", "pipe", "inherit"] });
  const lines: ChildLine[] = [];
  let rest = "";
  child.stdout.on("data", (chunk: Buffer) => {
    const parts = `${rest}${chunk.toString()}`.split("\n");
    rest = parts.pop() ?? "";
    lines.push(...parts.map((part) => JSON.parse(part) as ChildLine));
  });
  return { child, lines, ended: once(child, "close").then(() => lines) };
}

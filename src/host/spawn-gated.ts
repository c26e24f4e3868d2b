import { spawn, type ChildProcess, type SpawnOptions } from "node:child_process";
import type { Writable } from "node:stream";
import { groupOptions } from "./process-group.ts";

export interface Gated {
  readonly child: ChildProcess;
  /** Lets the program begin. */
  readonly open: () => void;
  /** The program never begins. */
  readonly refuse: () => void;
}

export interface GatedOptions extends Omit<SpawnOptions, "stdio"> {
  readonly stdio: readonly ("ignore" | "pipe")[];
}

/** Ends at once when the pipe closes without a line, as it does when Waymark dies; else it becomes the program. */
const gate = 'read -r waymark_gate <&3 && exec "$@" 3<&-';

/**
 * Spawns a program in a process group of its own that does nothing before it is let go, so that its group can be recorded first. On
 * Windows there is no gate: the program begins at once.
 */
export function spawnGated(program: string, args: readonly string[], { stdio, ...options }: GatedOptions): Gated {
  if (process.platform === "win32") {
    const child = spawn(program, args, { ...options, ...groupOptions, stdio: [...stdio] });
    return { child, open: () => undefined, refuse: () => undefined };
  }
  const child = spawn("/bin/sh", ["-c", gate, "sh", program, ...args], { ...options, ...groupOptions, stdio: [...stdio, "pipe"] });
  const pipe = child.stdio[3] as Writable | null | undefined;
  pipe?.on("error", () => undefined);
  return { child, open: () => pipe?.end("\n", () => pipe.destroy()), refuse: () => pipe?.destroy() };
}

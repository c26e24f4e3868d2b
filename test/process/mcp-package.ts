/** The built package in a temporary workspace, with a home of its own. */
import { spawn, type ChildProcessWithoutNullStreams } from "node:child_process";
import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import type { Command } from "./mcp-client.ts";

const product = join(import.meta.dirname, "../../dist/waymark.js");

export interface Package {
  readonly workspace: string;
  /** `waymark <args>` as a command for a client. */
  readonly command: (args: readonly string[], env?: Record<string, string>) => Command;
  start(args: readonly string[], env?: Record<string, string>): Child;
  close(): Promise<void>;
}

export interface Child {
  readonly process: ChildProcessWithoutNullStreams;
  stdout(): string;
  stderr(): string;
  /** Exit code, or the name of the signal that ended it. */
  readonly ended: Promise<number | string>;
  /** Resolves when stdout holds the pattern. */
  says(pattern: RegExp): Promise<string>;
  /** The same of stderr. */
  complains(pattern: RegExp): Promise<string>;
}

export async function openPackage(files: Readonly<Record<string, string>>): Promise<Package> {
  const base = await mkdtemp(join(tmpdir(), "waymark-package-"));
  const workspace = join(base, "work");
  await mkdir(workspace);
  for (const [path, text] of Object.entries(files)) {
    await mkdir(dirname(join(workspace, path)), { recursive: true });
    await writeFile(join(workspace, path), text);
  }
  const environment = {
    PATH: process.env["PATH"] ?? "",
    HOME: join(base, "home"),
    WAYMARK_DATA_HOME: join(base, "data"),
    WAYMARK_CONFIG_HOME: join(base, "config"),
  };
  const children: Child[] = [];
  const command = (args: readonly string[], env: Record<string, string> = {}): Command => ({
    command: process.execPath,
    args: [product, ...args],
    cwd: workspace,
    env: { ...environment, ...env },
  });
  return {
    workspace,
    command,
    start: (args, env) => {
      const { command: program, args: all, cwd, env: variables } = command(args, env);
      const child = watch(spawn(program, [...all], { cwd, env: variables, stdio: "pipe" }));
      children.push(child);
      return child;
    },
    close: async () => {
      for (const child of children) child.process.kill("SIGKILL");
      await Promise.all(children.map((child) => child.ended));
      await rm(base, { recursive: true, force: true });
    },
  };
}

/** Gathers what the process says from now on. */
export function watch(child: ChildProcessWithoutNullStreams): Child {
  let stdout = "";
  let stderr = "";
  const waiting = new Set<() => void>();
  child.stdout.on("data", (chunk: Buffer) => {
    stdout += chunk.toString();
    for (const look of waiting) look();
  });
  child.stderr.on("data", (chunk: Buffer) => {
    stderr += chunk.toString();
    for (const look of waiting) look();
  });
  const ended = new Promise<number | string>((resolve) => child.on("close", (code, signal) => resolve(code ?? signal ?? "unknown")));
  const hears = (text: () => string, pattern: RegExp): Promise<string> =>
    new Promise((resolve, reject) => {
      const look = (): void => {
        const found = pattern.exec(text());
        if (found === null) return;
        waiting.delete(look);
        resolve(found[0]);
      };
      waiting.add(look);
      look();
      void ended.then(() => reject(new Error(`The process ended without saying ${String(pattern)}. It said: ${stdout}\n${stderr}`)));
    });
  return {
    process: child,
    stdout: () => stdout,
    stderr: () => stderr,
    ended,
    says: (pattern) => hears(() => stdout, pattern),
    complains: (pattern) => hears(() => stderr, pattern),
  };
}

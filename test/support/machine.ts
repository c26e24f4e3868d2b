import { mkdir, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { pathToFileURL } from "node:url";
import { openPackage, type Child, type Package } from "../process/mcp-package.ts";

interface MachineOptions {
  readonly name: string;
  readonly files: Readonly<Record<string, string>>;
  /** Of the database that it shares with others. */
  readonly url: string;
  /** By how much its clock is wrong. */
  readonly clockMs?: number;
  /** The user's configuration. */
  readonly config?: object;
  readonly env?: Readonly<Record<string, string>>;
}

interface Said {
  readonly code: number | string;
  readonly stdout: string;
  readonly stderr: string;
}

/** The built command on a computer of its own: another name, another user's home, another checkout of the same project. */
export interface Machine extends Package {
  /** The folder around the checkout and the home. */
  readonly folder: string;
  /** Runs to its end. */
  waymark(...args: readonly string[]): Promise<Said>;
  /** The same with `--json`; throws when it fails. */
  json<T>(...args: readonly string[]): Promise<T>;
}

const preload = pathToFileURL(join(import.meta.dirname, "other-machine.mjs")).href;

/** What gives a process of this computer the name and the clock of another one. */
export function otherMachine(name: string, clockMs = 0): Record<string, string> {
  return { NODE_OPTIONS: `--import=${preload}`, OTHER_MACHINE: name, OTHER_CLOCK_MS: String(clockMs) };
}

export async function openMachine({ name, files, url, clockMs = 0, config, env = {} }: MachineOptions): Promise<Machine> {
  const opened = await openPackage(files);
  const folder = dirname(opened.workspace);
  const own = {
    ...otherMachine(name, clockMs),
    WAYMARK_STORE_URL: url,
    WAYMARK_STORE_PROJECT: "shared",
    WAYMARK_ALLOW_UNATTENDED: "1",
    ...env,
  };
  if (config !== undefined) {
    await mkdir(join(folder, "config"), { recursive: true });
    await writeFile(join(folder, "config/config.yaml"), JSON.stringify(config));
  }
  const start = (args: readonly string[], more: Record<string, string> = {}): Child => opened.start(args, { ...own, ...more });
  const waymark = async (...args: readonly string[]): Promise<Said> => {
    const child = start(args);
    child.process.stdin.end();
    const code = await child.ended;
    return { code, stdout: child.stdout(), stderr: child.stderr() };
  };
  return {
    ...opened,
    folder,
    start,
    command: (args, more = {}) => opened.command(args, { ...own, ...more }),
    waymark,
    json: async <T>(...args: readonly string[]) => {
      const { code, stdout, stderr } = await waymark("--json", ...args);
      if (code !== 0) throw new Error(`waymark ${args.join(" ")}: ${code}\n${stdout}${stderr}`);
      return JSON.parse(stdout) as T;
    },
  };
}

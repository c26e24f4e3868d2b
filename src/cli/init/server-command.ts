import { accessSync, constants, existsSync } from "node:fs";
import { delimiter, join } from "node:path";
import { usage } from "../codes.ts";
import type { CliWorld } from "../world.ts";

/**
 * How clients start the server: by the project's own installation, else by the one on the PATH, else by the files of this very
 * process. Programs that only a package runner put on the PATH for this moment do not count.
 */
export function serverCommand(world: Pick<CliWorld, "env" | "platform" | "self">, workspace: string): readonly string[] {
  // Clients on Windows start programs without a shell, which does not find the scripts that package managers make.
  if (world.platform === "win32") return [...world.self, "mcp"];
  if (existsSync(join(workspace, "node_modules", ".bin", "waymark"))) return ["npx", "--no-install", "waymark", "mcp"];
  if (isOnPath(world.env["PATH"] ?? "")) return ["waymark", "mcp"];
  if (world.self.some((part) => /[\\/]_npx[\\/]/.test(part))) return ["npx", "-y", "waymark", "mcp"];
  return [...world.self, "mcp"];
}

function isOnPath(path: string): boolean {
  return path.split(delimiter).some((folder) => {
    if (folder === "" || /node_modules|[\\/]_npx(?:[\\/]|$)/.test(folder)) return false;
    try {
      accessSync(join(folder, "waymark"), constants.X_OK);
      return true;
    } catch {
      return false;
    }
  });
}

/** Splits a command line as a shell would, without any of its other powers. */
export function splitCommand(line: string): readonly string[] {
  const words = [...line.matchAll(/(?:[^\s"']+|"(?:[^"\\]|\\.)*"|'[^']*')+/g)].map(([word]) =>
    word.replace(
      /"((?:[^"\\]|\\.)*)"|'([^']*)'/g,
      (_all, double: string | undefined, single: string | undefined) => double?.replace(/\\(["\\])/g, "$1") ?? single ?? "",
    ),
  );
  if (words.length === 0) throw usage("`--command` is empty.", 'Write for example `--command "npx -y waymark mcp"`.');
  return words;
}

/** Whether an entry starts a Waymark server: only such entries are taken out. */
export function startsWaymark(entry: unknown): boolean {
  const words = JSON.stringify(entry) ?? "";
  return /waymark/i.test(words) && /"mcp"/.test(words);
}

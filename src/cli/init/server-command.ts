import { accessSync, constants, existsSync, readFileSync } from "node:fs";
import { delimiter, join } from "node:path";
import { usage } from "../codes.ts";
import type { CliWorld } from "../world.ts";

type Start = Pick<CliWorld, "env" | "platform" | "self">;

/**
 * How clients start the server in files that a team shares: by the project's own dependency, else by the name of the program, which
 * everybody has on the PATH in a place of their own. Never by a path of this computer, nor by a package that a registry may have under that name.
 */
export function teamCommand(workspace: string): readonly string[] {
  return isDependency(workspace) ? ["npx", "--no-install", "waymark", "mcp"] : ["waymark", "mcp"];
}

/** The same in a file of the user's own, which may name the files of this very process where the program is not on the PATH. */
export function ownCommand({ env, platform, self }: Start): readonly string[] {
  // Clients on Windows start programs without a shell, which does not find the scripts that package managers make.
  if (platform !== "win32" && isOnPath(env["PATH"] ?? "")) return ["waymark", "mcp"];
  return [...self, "mcp"];
}

function isDependency(workspace: string): boolean {
  if (!existsSync(join(workspace, "node_modules", ".bin", "waymark"))) return false;
  try {
    const { dependencies, devDependencies } = JSON.parse(readFileSync(join(workspace, "package.json"), "utf8")) as Record<string, object>;
    return "waymark" in { ...dependencies, ...devDependencies };
  } catch {
    return false;
  }
}

/** Programs that only a package runner put on the PATH for this moment do not count. */
export function isOnPath(path: string): boolean {
  return path.split(delimiter).some((folder) => {
    if (folder === "" || /node_modules|[\\/]_npx(?:[\\/]|$)/.test(folder)) return false;
    return ["waymark", "waymark.cmd"].some((name) => {
      try {
        accessSync(join(folder, name), constants.X_OK);
        return true;
      } catch {
        return false;
      }
    });
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

import { realpath, stat } from "node:fs/promises";
import { isAbsolute, relative, resolve, sep } from "node:path";
import { refusal } from "./codes.ts";

/**
 * The real path of a folder, links followed, if it is one of the roots or below one. Where there is no such folder, and where it is elsewhere, the
 * refusal is the same: it says nothing about folders outside of the roots.
 */
export async function belowRoots(path: string, from: string, roots: readonly string[]): Promise<string> {
  const refused = refusal(
    "CHAT_FOLDER",
    `\`${path}\` is not a folder below one of the roots of this chat. Nothing was changed.`,
    roots.length === 0
      ? "The configuration names no root, so the folder cannot be changed."
      : `Name a folder below ${roots.map((root) => `\`${root}\``).join(" or ")}.`,
  );
  if (path.includes("\0")) throw refused;
  const real = await realFolder(resolve(from, path));
  if (real === undefined) throw refused;
  for (const root of roots) {
    const realRoot = await realFolder(root);
    if (realRoot !== undefined && isWithin(real, realRoot)) return real.replaceAll("\\", "/");
  }
  throw refused;
}

async function realFolder(path: string): Promise<string | undefined> {
  try {
    const real = await realpath(path);
    return (await stat(real)).isDirectory() ? real : undefined;
  } catch {
    return undefined;
  }
}

/** Both are real paths. */
export function isWithin(path: string, folder: string): boolean {
  const way = relative(folder, path);
  return way === "" || (way !== ".." && !way.startsWith(`..${sep}`) && !isAbsolute(way));
}

import { lstat, readlink, realpath } from "node:fs/promises";
import { basename, dirname, isAbsolute, join, relative, resolve } from "node:path";

/** A path as people and files write it, on any system: `/` between names, drive letters in upper case. */
export function pathFromInput(text: string): string {
  return text.replaceAll("\\", "/").replace(/^([a-z]):/, (_all, letter: string) => `${letter.toUpperCase()}:`);
}

/** A path of this computer as Waymark shows and stores it: with `/`. A backslash is an ordinary character outside Windows. */
export function pathForOutput(path: string): string {
  return process.platform === "win32" ? pathFromInput(path) : path;
}

/** Whether a path is absolute on any system, so that a definition means the same everywhere. */
export function isAbsoluteAnywhere(text: string): boolean {
  return /^([A-Za-z]:|[\\/])/.test(text);
}

/** Whether `path` is `folder` or below it, by their names alone. */
export function isBelow(folder: string, path: string): boolean {
  const way = relative(folder, path);
  return way === "" || (way !== ".." && !way.startsWith("../") && !way.startsWith("..\\") && !isAbsolute(way));
}

/**
 * Whether a path, relative to the workspace or absolute, is inside the workspace once every symbolic link is followed.
 * The path need not exist: the deepest part that does decides, and a dangling link counts as the place it points to.
 */
export async function insideWorkspace(workspace: string, path: string): Promise<boolean> {
  const root = await realPlace(resolve(workspace));
  const place = await realPlace(resolve(workspace, pathFromInput(path)));
  return root !== undefined && place !== undefined && isBelow(root, place);
}

/** Where a path really is, existing or not; undefined when links go round in circles. */
export async function realPlace(path: string, linksLeft = 40): Promise<string | undefined> {
  try {
    return await realpath(path);
  } catch (cause) {
    const code = (cause as NodeJS.ErrnoException).code;
    if (code !== "ENOENT" && code !== "ENOTDIR") return undefined;
  }
  const target = await readlinkOf(path);
  if (target !== undefined) return linksLeft === 0 ? undefined : await realPlace(resolve(dirname(path), target), linksLeft - 1);
  const above = dirname(path);
  if (above === path) return path;
  const real = await realPlace(above, linksLeft);
  return real === undefined ? undefined : join(real, basename(path));
}

async function readlinkOf(path: string): Promise<string | undefined> {
  try {
    return (await lstat(path)).isSymbolicLink() ? await readlink(path) : undefined;
  } catch {
    return undefined;
  }
}

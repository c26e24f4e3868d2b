import { readFile, realpath, stat } from "node:fs/promises";
import { basename, dirname, isAbsolute, join, relative, sep } from "node:path";
import { failure, type Session } from "../../../cli/index.ts";
import { listedPaths } from "./listed-paths.ts";

/** Files to scan below one folder, to which the globs of a workflow are relative. */
export interface ScanPlace {
  /** Absolute and real. */
  readonly root: string;
  /** Folders and files below it; `.` for itself. */
  readonly paths: readonly string[];
  /** Of files only those that the workflow takes: the list was made by something else. */
  readonly listed: boolean;
  /** The path of a file as rows have it: relative to the workspace. */
  readonly shown: (path: string) => string;
}

/**
 * What a person wants scanned, the current folder unless they name something. What is in the workspace is one place; a folder outside of it is one
 * of its own, as if it were the workspace. Links in a path are followed: it is their own choice.
 */
export async function scanPlaces(session: Session, given: readonly string[]): Promise<readonly ScanPlace[]> {
  const listed = given.includes("-");
  const typed = given.filter((path) => path !== "-");
  const all = listed ? [...typed, ...(await listedPaths(session))] : typed.length > 0 ? typed : ["."];
  const workspace = await realpath(session.workspace);
  // An empty list is a list all the same.
  const byRoot = new Map<string, Map<string, string>>(all.length === 0 ? [[workspace, new Map()]] : []);
  for (const path of all) {
    const { root, below, name } = await placeOf(session.pathOf(path), workspace);
    const paths = byRoot.get(root) ?? new Map<string, string>();
    byRoot.set(root, paths.set(below, name));
  }
  return [...byRoot].map(([root, paths]): ScanPlace => {
    const named = relative(workspace, root);
    return { root, paths: [...paths.keys()], listed, shown: (path) => paths.get(path) ?? slashed(join(named, path)) };
  });
}

/** The folder that a path is scanned in, where it is there, `.` for that folder itself, and how it is called in the workspace. */
async function placeOf(path: string, workspace: string): Promise<Readonly<Record<"root" | "below" | "name", string>>> {
  const { real, isFolder } = await followed(path);
  const below = pathIn(workspace, real);
  if (below !== undefined) return { root: workspace, below: below === "" ? "." : below, name: below };
  if (isFolder) return { root: real, below: ".", name: slashed(relative(workspace, real)) };
  // A link in the workspace is called as it is there, wherever it leads.
  const name = slashed(relative(workspace, join(await realpath(dirname(path)), basename(path))));
  return { root: dirname(real), below: basename(real), name };
}

async function followed(path: string): Promise<{ readonly real: string; readonly isFolder: boolean }> {
  let problem = "is neither a folder nor a file";
  try {
    const real = await realpath(path);
    const facts = await stat(real);
    if (facts.isDirectory() || facts.isFile()) return { real, isFolder: facts.isDirectory() };
  } catch (cause) {
    const { code, message } = cause as NodeJS.ErrnoException;
    problem = code === "ENOENT" || code === "ENOTDIR" ? "does not exist" : code === "EACCES" ? "may not be read" : message;
  }
  throw failure("CLI_FILE", `\`${path}\` ${problem}.`, "Name a folder or a file that exists.");
}

/** undefined outside of the folder. */
function pathIn(folder: string, path: string): string | undefined {
  const below = relative(folder, path);
  return below === ".." || below.startsWith(`..${sep}`) || isAbsolute(below) ? undefined : slashed(below);
}

function slashed(path: string): string {
  return sep === "\\" ? path.replaceAll("\\", "/") : path;
}

/** Runtime 1 belongs to Business Central 12. */
const firstVersion = 11;
const maxBytes = 1 << 20;

/**
 * The version that an app.json above the root asks for. The scan itself looks no higher than its root, while a person may name a
 * folder inside an application. undefined when there is none, or it names no version.
 */
export async function versionAbove({ root }: ScanPlace): Promise<string | undefined> {
  if (await readApp(root)) return undefined;
  for (let folder = dirname(root), below = root; folder !== below; below = folder, folder = dirname(folder)) {
    const text = await readApp(folder);
    if (text !== undefined) return versionIn(text);
  }
  return undefined;
}

async function readApp(folder: string): Promise<string | undefined> {
  const file = join(folder, "app.json");
  const facts = await stat(file).catch(() => undefined);
  return facts?.isFile() === true && facts.size <= maxBytes ? readFile(file, "utf8").catch(() => undefined) : undefined;
}

function versionIn(text: string): string | undefined {
  // Not parsed as JSON: app.json files carry comments and commas that only their compiler forgives.
  const named = (key: string): string | undefined => new RegExp(`"${key}"\\s*:\\s*"(\\d{1,3})[.\\d]*"`).exec(text)?.[1];
  const runtime = named("runtime");
  return runtime === undefined ? (named("platform") ?? named("application")) : String(Number(runtime) + firstVersion);
}

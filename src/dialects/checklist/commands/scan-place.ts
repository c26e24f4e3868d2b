import { readFile, realpath, stat } from "node:fs/promises";
import { basename, dirname, isAbsolute, join, relative } from "node:path";
import { failure } from "../../../cli/index.ts";

/** What a person wants scanned: a folder with everything below it, or one file. */
export interface ScanPlace {
  readonly root: string;
  /** Name of the file in the workspace, or its own where it is outside; `path` is its real name in the root. */
  readonly file?: { readonly name: string; readonly path: string };
}

/** Links in the path a person names are followed: it is their own choice. */
export async function scanPlace(path: string, workspace: string): Promise<ScanPlace> {
  try {
    const real = await realpath(path);
    const facts = await stat(real);
    if (facts.isDirectory()) return { root: real };
    const folder = relative(await realpath(workspace), await realpath(dirname(path))).replaceAll("\\", "/");
    const below = folder === "" || folder.startsWith("..") || isAbsolute(folder) ? "" : `${folder}/`;
    if (facts.isFile()) return { root: dirname(real), file: { name: `${below}${basename(path)}`, path: basename(real) } };
  } catch (cause) {
    const { code, message } = cause as NodeJS.ErrnoException;
    const reason = code === "ENOENT" || code === "ENOTDIR" ? "does not exist" : code === "EACCES" ? "may not be read" : message;
    throw failure("CLI_FILE", `\`${path}\` ${reason}.`, "Name a folder or a file that exists.");
  }
  throw failure("CLI_FILE", `\`${path}\` is neither a folder nor a file.`, "Name a folder or a file.");
}

/** Runtime 1 belongs to Business Central 12. */
const firstVersion = 11;
const maxBytes = 1 << 20;

/**
 * The version that an app.json above the root asks for. The scan itself looks no higher than its root, while a person may name a
 * folder inside an application. undefined when there is none, or it names no version.
 */
export async function versionAbove(root: string): Promise<string | undefined> {
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

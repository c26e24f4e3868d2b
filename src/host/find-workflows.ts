import type { Dirent } from "node:fs";
import { lstat, readdir, realpath, stat } from "node:fs/promises";
import { dirname, join, resolve } from "node:path";
import { isWaymarkError, type Diagnostic } from "../base/index.ts";
import type { Definitions, FoundWorkflow, SourceFile } from "../ports/index.ts";
import { fixOf, pathOutside, reasonOf } from "./codes.ts";
import type { Log } from "./log.ts";
import { readBotFolder } from "./read-bot-folder.ts";
import { isAbsent, readDefinition } from "./read-definition.ts";
import { insideWorkspace, isAbsoluteAnywhere, isBelow, pathForOutput, pathFromInput } from "./workspace-path.ts";

export interface WorkflowPlaces {
  readonly workspace: string;
  readonly home: string;
  readonly bundledFolder: string;
  /** Further folders of the project, relative to the workspace. */
  readonly extraFolders: readonly string[];
  readonly log: Log;
}

interface Root {
  readonly source: FoundWorkflow["source"];
  readonly folder: string;
}

const deepest = 16;

/** Workflow files of the project, the user and the package, in the order in which they shadow each other. */
export class WorkflowFolders implements Definitions {
  readonly #places: WorkflowPlaces;
  readonly #roots: readonly Root[];
  #problems: readonly Diagnostic[] = [];

  constructor(places: WorkflowPlaces) {
    this.#places = places;
    const own = [".waymark", ".aromcp"].map((name) => join(name, "workflows"));
    this.#roots = [
      ...[...own, ...places.extraFolders].map((name): Root => ({
        source: "project",
        folder: resolve(places.workspace, pathFromInput(name)),
      })),
      ...own.map((name): Root => ({ source: "global", folder: join(places.home, name) })),
      { source: "bundled", folder: resolve(places.bundledFolder) },
    ];
  }

  folders(): readonly string[] {
    return [...new Set(this.#roots.map(({ folder }) => pathForOutput(folder)))];
  }

  /** What kept files from being found in the last `find`; each was logged as a warning too. */
  problems(): readonly Diagnostic[] {
    return this.#problems;
  }

  async find(): Promise<readonly FoundWorkflow[]> {
    const problems: Diagnostic[] = [];
    const found: FoundWorkflow[] = [];
    const seen = new Set<string>();
    for (const root of this.#roots) {
      const real = await this.#realRoot(root, problems);
      if (real === undefined || seen.has(real)) continue;
      seen.add(real);
      found.push(...(await walk(root, real, problems)));
    }
    this.#problems = problems;
    for (const { message, code } of problems) this.#places.log("warn", message, { code });
    return found;
  }

  async read(reference: string, from: string, folder: string): Promise<SourceFile | undefined> {
    if (isAbsoluteAnywhere(reference) || reference.includes("\0")) throw pathOutside(reference, folder);
    const name = pathFromInput(reference);
    const candidates = [join(dirname(from), name), join(folder, name)].filter((path) => isBelow(resolve(folder), resolve(path)));
    if (candidates.length === 0) throw pathOutside(reference, folder);
    const real = await realpath(folder).catch(() => undefined);
    if (real === undefined) return undefined;
    for (const path of candidates) {
      const text = await readDefinition(path, real);
      if (text !== undefined) return { path: pathForOutput(path), text };
    }
    return undefined;
  }

  /** Where the folder really lies; a project's own folder must lie in the workspace. */
  async #realRoot(root: Root, problems: Diagnostic[]): Promise<string | undefined> {
    const real = await realpath(root.folder).catch(() => undefined);
    if (real === undefined || root.source !== "project" || (await insideWorkspace(this.#places.workspace, real))) return real;
    problems.push(
      problem("HOST_PATH_OUTSIDE", root.folder, `\`${root.folder}\` leads out of the workspace by a symbolic link, so it is not read.`),
    );
    return undefined;
  }
}

/** Tests of workflows lie beside them and are no workflows. */
const testFile = /\.waymark-test\.ya?ml$/i;

/** Name from the place below the workflows folder: `standards/fix.yaml`, `standards__fix.yml` and `standards:fix.workflow.yaml` are one. */
export function workflowName(way: string): string | undefined {
  if (testFile.test(way)) return undefined;
  const stem = /^(.+?)(?:\.workflow)?\.ya?ml$/.exec(way)?.[1];
  return stem?.replaceAll("/", ":").replaceAll("__", ":");
}

async function walk(root: Root, realRoot: string, problems: Diagnostic[]): Promise<FoundWorkflow[]> {
  const found: FoundWorkflow[] = [];
  const entered = new Set<string>();
  await enter("", 0);
  return found;

  async function enter(way: string, depth: number): Promise<void> {
    const folder = join(root.folder, way);
    const real = await realpath(folder).catch(() => undefined);
    if (real === undefined || entered.has(real) || depth > deepest) return;
    const bot = depth === 0 ? undefined : await readBotFolder(folder, realRoot, problems);
    const entries = bot === undefined ? await entriesOf(folder, problems) : [];
    // A link may be gone by now while the folder it led to is still there, to be entered by its own name.
    if (entries === undefined) return;
    entered.add(real);
    if (bot !== undefined) {
      const name = way.replaceAll("/", ":").replaceAll("__", ":");
      found.push({
        name,
        path: pathForOutput(bot.path),
        source: root.source,
        text: bot.text,
        folder: pathForOutput(root.folder),
        files: bot.files,
      });
      return;
    }
    for (const entry of entries) {
      const inner = way === "" ? entry.name : `${way}/${entry.name}`;
      if (entry.name.startsWith(".")) continue;
      const kind = await kindOf(entry, join(root.folder, inner), realRoot, problems);
      if (kind === "folder") await enter(inner, depth + 1);
      else if (kind === "file") await take(inner);
    }
  }

  async function take(way: string): Promise<void> {
    const name = workflowName(way);
    if (name === undefined) return;
    const path = join(root.folder, way);
    try {
      const text = await readDefinition(path, realRoot);
      if (text !== undefined)
        found.push({ name, path: pathForOutput(path), source: root.source, text, folder: pathForOutput(root.folder) });
    } catch (cause) {
      if (!isWaymarkError(cause)) throw cause;
      problems.push(problem(cause.code, path, cause.message));
    }
  }
}

/** Undefined when the folder is gone. */
async function entriesOf(folder: string, problems: Diagnostic[]): Promise<Dirent[] | undefined> {
  try {
    const entries = await readdir(folder, { withFileTypes: true });
    return entries.sort((a, b) => (a.name < b.name ? -1 : 1));
  } catch (cause) {
    if (isAbsent(cause)) return undefined;
    problems.push(problem("HOST_FILE_UNREADABLE", folder, `\`${folder}\` cannot be read: ${reasonOf(cause)}.`));
    return [];
  }
}

/** What an entry is once a link is followed; a link to the outside is a problem, whatever it points to. */
async function kindOf(entry: Dirent, path: string, realRoot: string, problems: Diagnostic[]): Promise<"file" | "folder" | undefined> {
  if (entry.isDirectory()) return "folder";
  if (!entry.isSymbolicLink()) return "file";
  const real = await realpath(path).catch(() => undefined);
  if (real === undefined) {
    if (workflowName(entry.name) !== undefined && (await isThere(path)))
      problems.push(problem("HOST_FILE_UNREADABLE", path, `\`${path}\` is a symbolic link that leads nowhere.`));
    return undefined;
  }
  if (!isBelow(realRoot, real)) {
    problems.push(
      problem("HOST_PATH_OUTSIDE", path, `\`${path}\` leads out of \`${realRoot}\` by a symbolic link, so it is not followed.`),
    );
    return undefined;
  }
  const facts = await stat(real).catch(() => undefined);
  return facts === undefined ? undefined : facts.isDirectory() ? "folder" : "file";
}

/** Whether a link is there, wherever it leads: one that was removed since its folder was listed is not. */
async function isThere(link: string): Promise<boolean> {
  return (await lstat(link).catch(() => undefined)) !== undefined;
}

function problem(code: string, path: string, message: string): Diagnostic {
  return { code, severity: "warning", message, fix: fixOf(code), place: { file: pathForOutput(path), line: 1, column: 1 } };
}

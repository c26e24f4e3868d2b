import type { Dirent } from "node:fs";
import { lstat, readdir, realpath, stat } from "node:fs/promises";
import { dirname, join, resolve } from "node:path";
import type { Definitions, FoundWorkflow, SourceFile, TextFolders, WorkflowPlace } from "../ports/index.ts";
import { leadsOut, pathOutside, unreadable } from "./codes.ts";
import { findText, listTexts } from "./find-text.ts";
import type { Log } from "./log.ts";
import { isAbsent, readDefinition, readOrWarn, type Warn } from "./read-definition.ts";
import { readWholeFolder, type WholePlace } from "./read-whole-folder.ts";
import { insideWorkspace, isAbsoluteAnywhere, isBelow, pathForOutput, pathFromInput } from "./workspace-path.ts";

export interface FolderOptions {
  readonly workspace: string;
  readonly home: string;
  readonly bundledFolder: string;
  /** Further folders of the project, relative to the workspace. */
  readonly extraFolders: readonly string[];
  /** What workflows look like on disk. Asked for with the first search. */
  readonly places: () => Promise<readonly WorkflowPlace[]>;
  readonly log: Log;
}

interface Root {
  readonly source: FoundWorkflow["source"];
  readonly folder: string;
  readonly firstValid: boolean;
  readonly texts: readonly TextFolders[];
  readonly endings: readonly string[];
  readonly whole: readonly WholePlace[];
}

const deepest = 16;
const commonFolders: readonly string[] = [".waymark", ".aromcp"].map((name) => join(name, "workflows"));

/** Workflow files of the project, the user and the package, in the order in which they shadow each other. */
export class WorkflowFolders implements Definitions {
  readonly #options: FolderOptions;
  #roots: readonly Root[];

  constructor(options: FolderOptions) {
    this.#options = options;
    this.#roots = rootsOf(options, []);
  }

  folders(): readonly string[] {
    return [...new Set(this.#roots.map(({ folder }) => pathForOutput(folder)))];
  }

  /** What keeps a file from being found is logged as a warning. */
  async find(): Promise<readonly FoundWorkflow[]> {
    const warn: Warn = (code, message) => this.#options.log("warn", message, { code });
    const found: FoundWorkflow[] = [];
    const seen = new Set<string>();
    this.#roots = rootsOf(this.#options, await this.#options.places());
    for (const root of this.#roots) {
      const real = await this.#realRoot(root, warn);
      if (real === undefined || seen.has(real)) continue;
      seen.add(real);
      found.push(...(await walk({ root, realRoot: real, workspace: this.#options.workspace, warn })));
    }
    return found;
  }

  async read(reference: string, from: string, folder: string): Promise<SourceFile | undefined> {
    if (isAbsoluteAnywhere(reference) || reference.includes("\0")) throw pathOutside(reference, folder);
    const texts = this.#roots.flatMap((root) => root.texts).find(({ word }) => reference.startsWith(`${word}/`));
    if (texts !== undefined) return this.#readText(reference.slice(texts.word.length + 1), folder, texts);
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

  async texts(folder: string): Promise<readonly string[]> {
    const found: string[] = [];
    for (const texts of this.#roots.flatMap((root) => root.texts)) {
      const { places, source } = this.#textPlaces(folder, texts);
      if (source !== "bundled") found.push(...(await listTexts(places, texts)));
    }
    return [...new Set(found)];
  }

  /** A text beside the folder, else beside the others that are searched for the same source. Those of the package are not beside it. */
  async #readText(file: string, folder: string, texts: TextFolders): Promise<SourceFile | undefined> {
    const { places, source } = this.#textPlaces(folder, texts);
    if (source === "bundled") return undefined;
    const limit = source === "project" ? this.#options.workspace : this.#options.home;
    return findText({ file, places, folders: texts.folders, limit });
  }

  #textPlaces(folder: string, { word }: TextFolders): { readonly places: readonly string[]; readonly source: Root["source"] } {
    const source = this.#roots.find((root) => pathForOutput(root.folder) === folder)?.source ?? "project";
    const roots = this.#roots.filter((root) => root.source === source && root.texts.some((each) => each.word === word));
    return { source, places: [...new Set([folder, ...roots.map((root) => root.folder)].map((each) => dirname(each)))] };
  }

  /** Where the folder really is; a project's own folder must be in the workspace. */
  async #realRoot(root: Root, warn: Warn): Promise<string | undefined> {
    const real = await realpath(root.folder).catch(() => undefined);
    if (real === undefined || root.source !== "project" || (await insideWorkspace(this.#options.workspace, real))) return real;
    warn("HOST_PATH_OUTSIDE", `\`${root.folder}\` leads out of the workspace by a symbolic link, so it is not read.`);
    return undefined;
  }
}

/** Folders that are searched, in the order in which they shadow each other. */
function rootsOf({ workspace, home, bundledFolder, extraFolders }: FolderOptions, places: readonly WorkflowPlace[]): Root[] {
  const common = places.filter(({ folders }) => folders === undefined);
  const own = places.flatMap((place) => (place.folders ?? []).map((name) => [name, [place]] as const));
  const everywhere = [...commonFolders.map((name) => [name, common] as const), ...own];
  const rootAt = (source: Root["source"], folder: string, held: readonly WorkflowPlace[]): Root => ({
    source,
    folder,
    firstValid: held.some((place) => place.firstValid === true),
    texts: held.flatMap(({ texts }) => texts ?? []),
    endings: held.flatMap(({ endings, whole }) => (whole === undefined ? endings : [])),
    whole: held.filter((place): place is WholePlace => place.whole !== undefined),
  });
  return [
    ...[...everywhere, ...extraFolders.map((name) => [name, common] as const)].map(([name, held]) =>
      rootAt("project", resolve(workspace, pathFromInput(name)), held),
    ),
    ...everywhere.map(([name, held]) => rootAt("global", join(home, name), held)),
    rootAt("bundled", resolve(bundledFolder), common),
  ];
}

/** Tests of workflows are beside them and are not workflows themselves. */
const testFile = /\.waymark-test\.ya?ml$/i;

/** Name from the place below the workflows folder: `standards/fix.yaml`, `standards__fix.yml` and `standards:fix.yaml` are one. */
export function workflowName(way: string, endings: readonly string[]): string | undefined {
  if (testFile.test(way)) return undefined;
  const ending = endings.filter((each) => way.endsWith(each) && way.length > each.length).sort((a, b) => b.length - a.length)[0];
  return ending === undefined ? undefined : nameOf(way.slice(0, -ending.length));
}

function nameOf(way: string): string {
  return way.replaceAll("/", ":").replaceAll("__", ":");
}

interface Walking {
  readonly root: Root;
  readonly realRoot: string;
  readonly workspace: string;
  readonly warn: Warn;
}

async function walk({ root, realRoot, workspace, warn }: Walking): Promise<FoundWorkflow[]> {
  const found: FoundWorkflow[] = [];
  const entered = new Set<string>();
  const common = { source: root.source, folder: pathForOutput(root.folder), ...(root.firstValid ? { firstValid: true as const } : {}) };
  await enter("", 0);
  return found;

  async function enter(way: string, depth: number): Promise<void> {
    const folder = join(root.folder, way);
    const real = await realpath(folder).catch(() => undefined);
    if (real === undefined || entered.has(real) || depth > deepest) return;
    const whole = depth === 0 ? undefined : await readWholeFolder({ folder, places: root.whole, realRoot, workspace, warn });
    const entries = whole === undefined ? await entriesOf(folder, warn) : [];
    // A link may be gone by now while the folder it led to is still there, to be entered by its own name.
    if (entries === undefined) return;
    entered.add(real);
    if (whole !== undefined) {
      found.push({ name: nameOf(way), ...common, ...whole });
      return;
    }
    for (const entry of entries) {
      const inner = way === "" ? entry.name : `${way}/${entry.name}`;
      if (entry.name.startsWith(".")) continue;
      const kind = await kindOf(entry, { path: join(root.folder, inner), root, realRoot, warn });
      if (kind === "folder") await enter(inner, depth + 1);
      else if (kind === "file") await take(inner);
    }
  }

  async function take(way: string): Promise<void> {
    const name = workflowName(way, root.endings);
    if (name === undefined) return;
    const path = join(root.folder, way);
    const text = await readOrWarn(path, realRoot, warn);
    if (text !== undefined) found.push({ name, path: pathForOutput(path), text, ...common });
  }
}

/** Undefined when the folder is gone. */
async function entriesOf(folder: string, warn: Warn): Promise<Dirent[] | undefined> {
  try {
    const entries = await readdir(folder, { withFileTypes: true });
    return entries.sort((a, b) => (a.name < b.name ? -1 : 1));
  } catch (cause) {
    if (isAbsent(cause)) return undefined;
    warn("HOST_FILE_UNREADABLE", unreadable(folder, cause).message);
    return [];
  }
}

/** What an entry is once a link is followed; a link to the outside is a problem, whatever it points to. */
async function kindOf(
  entry: Dirent,
  { path, root, realRoot, warn }: Omit<Walking, "workspace"> & { readonly path: string },
): Promise<"file" | "folder" | undefined> {
  if (entry.isDirectory()) return "folder";
  if (!entry.isSymbolicLink()) return "file";
  const real = await realpath(path).catch(() => undefined);
  if (real === undefined) {
    if (workflowName(entry.name, root.endings) !== undefined && (await isThere(path)))
      warn("HOST_FILE_UNREADABLE", `\`${path}\` is a symbolic link that leads nowhere.`);
    return undefined;
  }
  if (!isBelow(realRoot, real)) {
    warn("HOST_PATH_OUTSIDE", leadsOut(path, realRoot).message);
    return undefined;
  }
  const facts = await stat(real).catch(() => undefined);
  return facts === undefined ? undefined : facts.isDirectory() ? "folder" : "file";
}

/** Whether a link is there, wherever it leads: one that was removed since its folder was listed is not. */
async function isThere(link: string): Promise<boolean> {
  return (await lstat(link).catch(() => undefined)) !== undefined;
}

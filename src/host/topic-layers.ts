import { createHash } from "node:crypto";
import { readdirSync, readFileSync, realpathSync, statSync, type Dirent, type Stats } from "node:fs";
import { readFile, realpath } from "node:fs/promises";
import { join, resolve } from "node:path";
import { setImmediate as turn } from "node:timers/promises";
import type { Diagnostic, WaymarkError } from "../base/index.ts";
import type { TopicFile, TopicFiles, TopicLayer, TopicListing, TopicReading } from "../ports/index.ts";
import { leadsOut, pathOutside, tooLarge, unreadable } from "./codes.ts";
import { insideWorkspace, isAbsoluteAnywhere, isBelow, pathForOutput, pathFromInput } from "./workspace-path.ts";
import { writeFileAtomic } from "./write-file-atomic.ts";

export interface TopicPlaces {
  readonly workspace: string;
  /** The package's own `knowledge` folder. */
  readonly bundledFolder: string;
  /** The user's configuration folder, see `userFolders`. */
  readonly configFolder: string;
  /** Setting `knowledge.folders`: folders or checkouts, relative to the workspace or absolute, the strongest last. */
  readonly extraFolders: readonly string[];
  /** Where indexes are kept between processes; outside the workspace. */
  readonly cacheFolder: string;
}

const largestTopic = 1024 * 1024;
const deepest = 16;
/** Files are read in runs of this many, then other work gets its turn. */
const readAtOnce = 64;

/** Layers bundled, user, extra folders, project. Looks at nothing before it is asked. */
export function createTopicLayers(places: TopicPlaces): TopicFiles {
  const workspace = resolve(places.workspace);
  const layer = (name: TopicLayer["name"], folder: string): TopicLayer => ({ name, folder: pathForOutput(resolve(workspace, folder)) });
  const layers = [
    layer("bundled", places.bundledFolder),
    layer("user", join(places.configFolder, "knowledge")),
    ...places.extraFolders.map((folder) => layer("extra", pathFromInput(folder))),
    layer("project", join(".waymark", "knowledge")),
  ];
  const cacheOf = ({ folder }: TopicLayer): string =>
    join(places.cacheFolder, `${createHash("sha256").update(folder).digest("hex").slice(0, 32)}.topics`);
  return {
    layers,
    list: (asked) => list(asked, workspace),
    read: (asked, path) => read(asked, path, workspace),
    readAll: (asked, paths) => readAll(asked, paths),
    readCache: (asked) => readFile(cacheOf(asked), "utf8").catch(() => undefined),
    writeCache: (asked, text) => writeFileAtomic(cacheOf(asked), text),
  };
}

async function list(layer: TopicLayer, workspace: string): Promise<TopicListing> {
  const problems: Diagnostic[] = [];
  const files: TopicFile[] = [];
  const real = await realRoot(layer, workspace);
  if (real === undefined) {
    if (layer.name === "extra" || (await realpath(layer.folder).catch(() => undefined)) !== undefined)
      problems.push(unusable(layer, workspace));
    return { files, problems };
  }
  const entered = new Set<string>();
  await enter("", 0);
  files.sort((a, b) => (a.path < b.path ? -1 : 1));
  return { files, problems };

  async function enter(way: string, depth: number): Promise<void> {
    const folder = join(layer.folder, way);
    const place = realOf(folder);
    if (place === undefined || entered.has(place) || depth > deepest) return;
    entered.add(place);
    for (const [count, entry] of entriesOf(folder, problems).entries()) {
      if (count % 512 === 511) await turn();
      if (entry.name.startsWith(".") || entry.name === "node_modules") continue;
      const inner = way === "" ? entry.name : `${way}/${entry.name}`;
      const found = statEntry(entry, join(layer.folder, inner), real!, problems);
      if (found === "folder") await enter(inner, depth + 1);
      else if (found !== undefined && wanted(inner)) take(inner, found);
    }
  }

  function take(path: string, { size, mtimeMs }: Stats): void {
    if (size <= largestTopic) files.push({ path, size, mtime: mtimeMs });
    else problems.push(problem(join(layer.folder, path), (file) => tooLarge(file, size, largestTopic)));
  }
}

function wanted(path: string): boolean {
  return /\.md$/i.test(path) || /^specialists\.ya?ml$/.test(path);
}

/** Where the layer really is; a project's own folder must be in the workspace. */
async function realRoot(layer: TopicLayer, workspace: string): Promise<string | undefined> {
  const real = await realpath(layer.folder).catch(() => undefined);
  if (real === undefined || !statSync(real).isDirectory()) return undefined;
  return layer.name !== "project" || (await insideWorkspace(workspace, real)) ? real : undefined;
}

function statEntry(entry: Dirent, path: string, realRootFolder: string, problems: Diagnostic[]): "folder" | Stats | undefined {
  if (entry.isDirectory()) return "folder";
  if (!entry.isFile() && !entry.isSymbolicLink()) return undefined;
  const real = entry.isSymbolicLink() ? realOf(path) : path;
  if (real === undefined) return undefined;
  if (real !== path && !isBelow(realRootFolder, real)) {
    problems.push(problem(path, (file) => leadsOut(file, pathForOutput(realRootFolder))));
    return undefined;
  }
  const facts = statSync(real, { throwIfNoEntry: false });
  if (facts?.isDirectory()) return "folder";
  return facts?.isFile() ? facts : undefined;
}

function entriesOf(folder: string, problems: Diagnostic[]): Dirent[] {
  try {
    return readdirSync(folder, { withFileTypes: true });
  } catch (cause) {
    problems.push(problem(folder, (file) => unreadable(file, cause)));
    return [];
  }
}

async function read(layer: TopicLayer, path: string, workspace: string): Promise<string | undefined> {
  if (isAbsoluteAnywhere(path) || path.split(/[\\/]/).includes("..") || path.includes("\0")) throw pathOutside(path, layer.folder);
  const root = await realRoot(layer, workspace);
  const place = join(layer.folder, path);
  const real = root === undefined ? undefined : await realpath(place).catch(() => undefined);
  if (root === undefined || real === undefined) return undefined;
  if (!isBelow(root, real)) throw pathOutside(path, layer.folder);
  const facts = statSync(real, { throwIfNoEntry: false });
  if (facts?.isFile() !== true) return undefined;
  if (facts.size > largestTopic) throw tooLarge(place, facts.size, largestTopic);
  try {
    return decode(await readFile(real));
  } catch (cause) {
    throw unreadable(place, cause);
  }
}

/** Thousands of small files: read one after the other without a thread each, which is several times as quick. */
async function* readAll(layer: TopicLayer, paths: readonly string[]): AsyncGenerator<TopicReading> {
  for (const [count, path] of paths.entries()) {
    if (count % readAtOnce === readAtOnce - 1) await turn();
    yield readNow(path, join(layer.folder, path));
  }
}

function readNow(path: string, place: string): TopicReading {
  try {
    return { path, text: decode(readFileSync(place)) };
  } catch (cause) {
    if ((cause as NodeJS.ErrnoException).code === "ENOENT") return { path };
    return { path, problem: problem(place, (file) => unreadable(file, cause)) };
  }
}

/** UTF-8, or UTF-16 where its mark says so. What is not text shows as replacement characters: a topic only informs. */
function decode(bytes: Uint8Array): string {
  const utf16 = bytes[0] === 0xff && bytes[1] === 0xfe ? "utf-16le" : bytes[0] === 0xfe && bytes[1] === 0xff ? "utf-16be" : undefined;
  return new TextDecoder(utf16 ?? "utf-8").decode(bytes);
}

function realOf(path: string): string | undefined {
  try {
    return realpathSync(path);
  } catch {
    return undefined;
  }
}

function unusable(layer: TopicLayer, workspace: string): Diagnostic {
  return problem(layer.folder, (file) =>
    layer.name === "project" ? leadsOut(file, pathForOutput(workspace)) : unreadable(file, "it is not there, or is not a folder"),
  );
}

/** An error that stops nothing here: what it is about is left out. */
function problem(path: string, errorFor: (file: string) => WaymarkError): Diagnostic {
  const file = pathForOutput(path);
  const { code, message, fix = "" } = errorFor(file);
  return { code, severity: "warning", message, fix, place: { file, line: 1, column: 1 } };
}

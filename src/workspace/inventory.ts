import { lstatSync, statSync } from "node:fs";
import { join } from "node:path";
import type { Inventory, InventoryFile, InventoryRequest, ScanProblem } from "../ports/index.ts";
import { absent, badName, notRegular, outside, reserved } from "./codes.ts";
import { matchGlobs, matchWholeFolders, splitGlobs, type PathTest } from "./globs.ts";
import { gitRules, noRules } from "./ignore-rules.ts";
import { Locator, pathBelow, plainPath, realRoot } from "./root-path.ts";
import { isTemporaryName } from "./temporary-name.ts";
import { isReserved, walk } from "./walk.ts";

/**
 * Which files belong to a job, in the order in which they are worked on. Reads names and sizes only. Rejects with
 * `WORKSPACE_MISSING` or `WORKSPACE_GLOB`, or with the signal's reason; everything else is a problem beside the files.
 */
export async function takeInventory(request: InventoryRequest): Promise<Inventory> {
  const root = realRoot(request.root);
  const globs = splitGlobs(request.patterns, request.exclusions);
  const taken = matchGlobs(globs.taken);
  const left = matchGlobs(globs.left);
  const first = matchGlobs(request.priority);
  const problems: ScanProblem[] = [];
  const found = await filesOf(root, request, {
    selects: (path) => taken(path) && !left(path),
    leavesFolder: matchWholeFolders(globs.left),
    problems,
  });
  request.signal?.throwIfAborted();
  const files = inOrder(found, first);
  const limit = request.maxFiles ?? files.length;
  return { files: files.slice(0, limit), outOfScope: files.slice(limit), problems };
}

type Sized = { readonly path: string; readonly size: number };

function inOrder(found: readonly Sized[], first: PathTest): InventoryFile[] {
  const files = found.map(({ path, size }) => ({ path, size, priority: first(path) ? 1 : 2 }));
  return files.sort((a, b) => a.priority - b.priority || (a.path < b.path ? -1 : a.path > b.path ? 1 : 0));
}

interface Selection {
  readonly selects: PathTest;
  readonly leavesFolder: PathTest;
  readonly problems: ScanProblem[];
}

async function filesOf(root: string, request: InventoryRequest, selection: Selection): Promise<readonly Sized[]> {
  const { scope } = request;
  if (scope.kind === "files") return namedFiles(root, scope.paths, selection.problems);
  if (scope.kind === "paths") return filesAt(root, request, selection, scope);
  const from = scope.kind === "directory" ? startOf(root, scope.path, selection.problems) : "";
  return from === undefined ? [] : filesBelow(root, request, selection, from);
}

/** Folders and files, each once. */
async function filesAt(
  root: string,
  request: InventoryRequest,
  selection: Selection,
  { paths, listed = false }: Extract<InventoryRequest["scope"], { readonly kind: "paths" }>,
): Promise<readonly Sized[]> {
  const statOf = listed ? lstatSync : statSync;
  const isFolder = (path: string): boolean => statOf(join(root, path), { throwIfNoEntry: false })?.isDirectory() === true;
  const folders = new Set(paths.filter(isFolder));
  const others = paths.filter((path) => !folders.has(path));
  const found = new Map<string, Sized>();
  for (const folder of folders) {
    const from = startOf(root, folder, selection.problems);
    for (const file of from === undefined ? [] : await filesBelow(root, request, selection, from)) found.set(file.path, file);
  }
  const named = listed ? listedFiles(root, others, selection) : namedFiles(root, others, selection.problems);
  for (const file of named) found.set(file.path, file);
  return [...found.values()];
}

/** What is not there, and links, whose files have names of their own, were not meant by a list that something else made. */
function listedFiles(root: string, paths: readonly string[], { selects, problems }: Selection): Sized[] {
  const locator = new Locator(root);
  const files: Sized[] = [];
  for (const path of new Set(paths.flatMap((given) => plainPath(given) ?? []))) {
    if (!selects(path) || isReserved(path) || isTemporaryName(path.slice(path.lastIndexOf("/") + 1))) continue;
    const found = locator.nameOf(path);
    const facts = "place" in found ? lstatSync(found.place, { throwIfNoEntry: false }) : undefined;
    if (facts?.isFile() === true) files.push({ path, size: facts.size });
    else if (facts === undefined && path.includes("\uFFFD")) problems.push(badName(path));
  }
  return files;
}

function filesBelow(root: string, { gitignore, signal }: InventoryRequest, selection: Selection, from: string): Promise<Sized[]> {
  const rules = gitignore ? gitRules(root) : noRules;
  return walk({ root, from, rules: from === "" ? rules : rules.readmit(from), signal, ...selection });
}

/** The folder of the scope `directory` as a path below the root; undefined when it cannot be walked, with the problem noted. */
function startOf(root: string, path: string, problems: ScanProblem[]): string | undefined {
  if (!path.startsWith("/") && path.split("/").every((name) => name === "" || name === ".")) return "";
  const found = new Locator(root).targetOf(path);
  if ("refused" in found) {
    problems.push(found.refused === "outside" ? outside(path) : absent(path));
    return undefined;
  }
  const from = pathBelow(root, found.place);
  if (isReserved(from)) problems.push(reserved(path));
  else if (!statSync(found.place, { throwIfNoEntry: false })?.isDirectory()) problems.push(notRegular(path, "folder"));
  else return from;
  return undefined;
}

/** Exactly the files that were named, each once; globs and ignore rules are for files that were not named. */
function namedFiles(root: string, paths: readonly string[], problems: ScanProblem[]): Sized[] {
  const locator = new Locator(root);
  const files = new Map<string, Sized>();
  for (const given of paths) {
    const path = plainPath(given);
    const found = path === undefined ? ({ refused: "outside" } as const) : locator.targetOf(path);
    if (path === undefined || "refused" in found) {
      problems.push("refused" in found && found.refused === "absent" ? absent(given) : outside(given));
      continue;
    }
    const facts = lstatSync(found.place, { throwIfNoEntry: false });
    if (isReserved(path) || isReserved(pathBelow(root, found.place))) problems.push(reserved(given));
    else if (facts === undefined) problems.push(absent(given));
    else if (!facts.isFile()) problems.push(notRegular(given, "file"));
    else if (!files.has(found.place)) files.set(found.place, { path, size: facts.size });
  }
  return [...files.values()];
}

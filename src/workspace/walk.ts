import { lstatSync, readdirSync, realpathSync, statSync, type Dirent } from "node:fs";
import { join } from "node:path";
import { setImmediate as turn } from "node:timers/promises";
import type { ScanProblem } from "../ports/index.ts";
import { absent, badName, outside, unreadableFolder } from "./codes.ts";
import type { PathTest } from "./globs.ts";
import type { IgnoreRules } from "./ignore-rules.ts";
import { isInside } from "./root-path.ts";
import { isTemporaryName } from "./temporary-name.ts";

interface Walk {
  /** A real path. */
  readonly root: string;
  /** Folder below the root to begin in; empty for the root. */
  readonly from: string;
  readonly rules: IgnoreRules;
  readonly selects: PathTest;
  /** Folders that need not be entered, since everything below them is left out. */
  readonly leavesFolder: PathTest;
  readonly problems: ScanProblem[];
  readonly signal: AbortSignal | undefined;
}

/** Time after which other work of this thread gets its turn. */
const sliceMs = 10;

/** Whether a path is never part of a job: git's folder, installed packages, Waymark's own store. */
export function isReserved(path: string): boolean {
  return /(?:^|\/)(?:\.git|node_modules|\.waymark\/store)(?:\/|$)/i.test(path);
}

/**
 * All regular files below a folder that are selected, in no particular order. Links are not followed: one that stays inside the root
 * leads to files that are found under their own names, and one that leads outside is a problem. So no loop can hold the walk.
 */
export async function walk({ signal, ...rest }: Walk): Promise<{ path: string; size: number }[]> {
  const files: { path: string; size: number }[] = [];
  const open: { folder: string; rules: IgnoreRules }[] = [{ folder: rest.from, rules: ancestors(rest) }];
  let begun = performance.now();
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    const { folder } = next;
    const rules = next.rules.enter(folder);
    for (const entry of listFolder(rest, folder)) {
      const path = folder === "" ? entry.name : `${folder}/${entry.name}`;
      if (isReserved(path)) continue;
      if (entry.isDirectory()) {
        if (!rest.leavesFolder(path) && !rules.ignores(entry.name, true)) open.push({ folder: path, rules });
      } else if (entry.isFile()) {
        if (!rest.selects(path) || isTemporaryName(entry.name) || rules.ignores(entry.name, false)) continue;
        const size = sizeOf(rest, path);
        if (size !== undefined) files.push({ path, size });
      } else if (entry.isSymbolicLink() && !rules.ignores(entry.name, false)) checkLink(rest, path);
    }
    if (performance.now() - begun > sliceMs) {
      await turn();
      signal?.throwIfAborted();
      begun = performance.now();
    }
  }
  return files;
}

/** The rules as they are above the folder in which the walk begins. */
function ancestors({ from, rules }: Pick<Walk, "from" | "rules">): IgnoreRules {
  const names = from.split("/");
  return names.slice(1).reduce((above, _, count) => above.enter(names.slice(0, count + 1).join("/")), rules);
}

type Where = Omit<Walk, "signal">;

function listFolder({ root, problems }: Where, folder: string): Dirent[] {
  try {
    return readdirSync(join(root, folder), { withFileTypes: true });
  } catch (cause) {
    problems.push(folder.includes("\uFFFD") ? badName(folder) : unreadableFolder(folder, cause));
    return [];
  }
}

function sizeOf({ root, problems }: Where, path: string): number | undefined {
  const facts = lstatSync(join(root, path), { throwIfNoEntry: false });
  // A name that is gone a moment after it was listed is not a file of this job, unless its name was never readable.
  if (facts === undefined && path.includes("\uFFFD")) problems.push(badName(path));
  return facts?.size;
}

/** Notes a link that leads outside, or nowhere, where a file of the job was to be expected. */
function checkLink({ root, problems, selects, leavesFolder }: Where, path: string): void {
  let target: string;
  try {
    target = realpathSync.native(join(root, path));
  } catch {
    if (selects(path)) problems.push(absent(path));
    return;
  }
  if (isInside(root, target)) return;
  const isFolder = statSync(target, { throwIfNoEntry: false })?.isDirectory() === true;
  if (isFolder ? !leavesFolder(path) : selects(path)) problems.push(outside(path));
}

import { availableParallelism } from "node:os";
import { setImmediate as turn } from "node:timers/promises";
import { defined, own, remembering } from "../base/index.ts";
import type { FileScan, ScanRequest, Workspace } from "../ports/index.ts";
import { decodeBytes, scannerVersion } from "../scan/index.ts";
import { planFor, planForText } from "./byte-edits.ts";
import { matchGlobs } from "./globs.ts";
import { GuardedWrites } from "./guarded-writes.ts";
import { takeInventory } from "./inventory.ts";
import { makeFolder } from "./make-folder.ts";
import { hashOf, readWhole, withRegularFile } from "./read-regular.ts";
import type { Faults } from "./replace-file.ts";
import { Locator, realRoot } from "./root-path.ts";
import { checkRequest, FileScanner } from "./scan-files.ts";
import { ScanPool } from "./scan-pool.ts";

export interface WorkspaceOptions {
  /** Threads that scan: as many as there are cores, at most 8. With 0 this thread scans, and no pattern can be cut off. */
  readonly workers?: number;
  /** The program of those threads; by default it is beside this one. */
  readonly workerUrl?: URL;
  /** How long one pattern may run on one file, in milliseconds; default 1000. */
  readonly patternMs?: number;
  /** Called at each border of a write to a user's file; for tests. */
  readonly faults?: Faults;
}

/** The files of this computer, as the engine sees them. Nothing is started before the first scan. */
export function createWorkspace(options: WorkspaceOptions = {}): Workspace {
  const threads = options.workers ?? Math.min(8, availableParallelism());
  const program = options.workerUrl ?? new URL("./scan-worker.js", import.meta.url);
  const pool = threads === 0 ? undefined : new ScanPool({ threads, program, patternMs: options.patternMs ?? 1000 });
  const writes = new GuardedWrites(options.faults);
  // The same few sets of globs are asked about file after file.
  const matching = remembering(matchGlobs, 1000, (globs) => globs.join("\n"));
  return {
    inventory: takeInventory,
    scan: (request) => pool?.scan(request) ?? scanHere(request),
    read: async (root, path) => readFile(root, path),
    async readText(root, path) {
      const file = readFile(root, path);
      const decoded = file === undefined ? undefined : decodeBytes(file.bytes);
      if (file === undefined || decoded?.kind !== "text") return undefined;
      return { text: decoded.text, hash: file.hash, encoding: decoded.encoding };
    },
    planEdit: planWith(planFor),
    planTextEdit: planWith(planForText),
    applyEdits: (root, edits, signal) => writes.apply(root, edits, signal),
    undoEdits: (root, edits, signal) => writes.undo(root, edits, signal),
    writeFile: (root, path, bytes, expected) => writes.write(root, path, bytes, expected),
    makeFolder: async (root, path) => makeFolder(realRoot(root), path),
    matcher: async (globs) => matching(globs),
    rulesVersion: async () => scannerVersion,
    close: async () => {
      await Promise.all([pool?.close(), writes.close()]);
    },
  };
}

/** Plans edits of a file that still has the hash. */
function planWith(plan: typeof planFor): Workspace["planEdit"] {
  return async (root, path, hash, edits) => {
    const file = readFile(root, path);
    return file?.hash === hash ? plan({ path, ...file }, edits) : undefined;
  };
}

/** Without threads. */
async function* scanHere(request: ScanRequest): AsyncGenerator<FileScan, void, undefined> {
  const { root, paths, rules, hash, signal, edits = [], findings = {} } = checkRequest(request);
  const scanner = new FileScanner({ root, rules, hash, patternMs: 0 });
  let begun = performance.now();
  for (const path of paths) {
    signal?.throwIfAborted();
    const edit = edits.find((each) => each.path === path);
    yield scanner.scan(path, defined({ edit, findings: own(findings, path) }));
    if (performance.now() - begun < 10) continue;
    await turn();
    begun = performance.now();
  }
}

function readFile(root: string, path: string): { readonly bytes: Uint8Array; readonly hash: string } | undefined {
  const found = new Locator(realRoot(root)).targetOf(path);
  if ("refused" in found) return undefined;
  try {
    const bytes = withRegularFile(found.place, readWhole);
    return { bytes, hash: hashOf(bytes) };
  } catch {
    return undefined;
  }
}

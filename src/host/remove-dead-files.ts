import { readdirSync, rmSync, statSync } from "node:fs";
import { join } from "node:path";
import { isProcessGone } from "./process-id.ts";

const weekMs = 7 * 24 * 60 * 60 * 1000;

/**
 * Removes the files `<process id>.json` that processes left when they were killed. Whether a process of another computer, or of an
 * earlier boot, is dead is not known here: its files go when they are a week old.
 */
export function removeDeadFiles(folder: string): void {
  for (const name of namesIn(folder)) {
    const path = join(folder, name);
    const { mtimeMs } = statSync(path, { throwIfNoEntry: false }) ?? { mtimeMs: Date.now() };
    if (isProcessGone(name.replace(/\.json$/, "")) || Date.now() - mtimeMs > weekMs) rmSync(path, { force: true });
  }
}

function namesIn(folder: string): readonly string[] {
  try {
    return readdirSync(folder);
  } catch {
    return [];
  }
}

import { mkdirSync, readdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";

/**
 * Makes the folder of a store, which only its user can enter, and hides it from git: transcripts and secret inputs are in it. Whatever is
 * put into a store first calls this. A `.gitignore` that is there stays as it is, and a folder that also holds things of others gets none.
 * Answers whether it was hidden now. Throws what the system throws.
 */
export function makeStoreFolder(folder: string): boolean {
  mkdirSync(dirname(folder), { recursive: true });
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  const names = readdirSync(folder);
  if (names.includes(".gitignore") || !names.every(isOwn)) return false;
  try {
    writeFileSync(join(folder, ".gitignore"), "*\n", { flag: "wx" });
  } catch (cause) {
    // Another process was first.
    if ((cause as NodeJS.ErrnoException).code === "EEXIST") return false;
    throw cause;
  }
  return true;
}

const ownNames: ReadonlySet<string> = new Set(["blobs", "groups", "tmp", "transcripts", "views"]);

function isOwn(name: string): boolean {
  return ownNames.has(name) || name.startsWith("waymark.db");
}

import { createHash } from "node:crypto";
import { readdir, readFile } from "node:fs/promises";
import { join, relative } from "node:path";

/** Hashes of all files below a folder by path, without what Waymark keeps there itself. */
export async function folderContents(folder: string): Promise<ReadonlyMap<string, string>> {
  const found = new Map<string, string>();
  for (const entry of await readdir(folder, { recursive: true, withFileTypes: true })) {
    const path = join(entry.parentPath, entry.name);
    const name = relative(folder, path).replaceAll("\\", "/");
    if (!entry.isFile() || name.startsWith(".waymark/")) continue;
    found.set(
      name,
      createHash("sha256")
        .update(await readFile(path))
        .digest("hex"),
    );
  }
  return found;
}

/** How many files are in both with the same bytes. */
export function sameFiles(left: ReadonlyMap<string, string>, right: ReadonlyMap<string, string>): number {
  return [...left].filter(([name, hash]) => right.get(name) === hash).length;
}

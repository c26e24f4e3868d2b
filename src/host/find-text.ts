import { readdir, realpath } from "node:fs/promises";
import { join } from "node:path";
import type { SourceFile, TextFolders } from "../ports/index.ts";
import { readDefinition } from "./read-definition.ts";
import { isBelow, pathForOutput } from "./workspace-path.ts";

interface WantedText {
  /** Relative to the folder that it is in. */
  readonly file: string;
  /** Folders that hold the `folders`, in the order in which they are searched. */
  readonly places: readonly string[];
  readonly folders: readonly string[];
  /** Nothing outside it is read, also by symbolic link. */
  readonly limit: string;
}

/** The first file of this name in the folders of each place, then one folder down in them. Rejects with a `HOST_*` code for one that cannot be read. */
export async function findText({ file, places, folders, limit }: WantedText): Promise<SourceFile | undefined> {
  const real = await realpath(limit).catch(() => undefined);
  if (real === undefined) return undefined;
  for (const place of places) {
    const direct = folders.map((name) => join(place, name));
    const below = (await Promise.all(direct.map(foldersIn))).flat();
    for (const folder of [...direct, ...below]) {
      const path = join(folder, file);
      if (!isBelow(folder, path)) continue;
      const text = await readDefinition(path, real);
      if (text !== undefined) return { path: pathForOutput(path), text };
    }
  }
  return undefined;
}

/** References to the files of this kind in the folders of each place and one folder down in them. */
export async function listTexts(places: readonly string[], { word, folders, endings }: TextFolders): Promise<readonly string[]> {
  const direct = places.flatMap((place) => folders.map((name) => join(place, name)));
  const below = (await Promise.all(direct.map(foldersIn))).flat();
  const entries = await Promise.all([...direct, ...below].map((folder) => readdir(folder).catch(() => [])));
  const names = entries.flat().filter((name) => endings.some((ending) => name.endsWith(ending)));
  return [...new Set(names)].map((name) => `${word}/${name}`);
}

async function foldersIn(folder: string): Promise<readonly string[]> {
  const entries = await readdir(folder, { withFileTypes: true }).catch(() => []);
  const names = entries.filter((entry) => entry.isDirectory() && !entry.name.startsWith(".")).map(({ name }) => name);
  return names.sort().map((name) => join(folder, name));
}

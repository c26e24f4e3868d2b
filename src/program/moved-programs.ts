import type { Program } from "./program.ts";

/** Folders that are tried: each costs as much as the whole program, which another user of the database may have made. */
export const mostFolders = 32;

/**
 * The program as it would be if one of the folders around its files were `to`: a checkout of the same project is elsewhere on another computer.
 * Folders that are nearer to a file come first, and those of the root's file before others.
 */
export function movedPrograms(program: Program, to: string): readonly Program[] {
  return foldersOf(program, to).map((from) => ({ ...program, places: movedPlaces(program, from, to) }));
}

function foldersOf({ places, parts, main }: Program, but: string): readonly string[] {
  const root = places[parts[main]?.root ?? ""]?.file;
  const files = [...(root === undefined ? [] : [root]), ...Object.values(places).map(({ file }) => file)];
  const around = new Set<string>();
  for (const file of new Set(files)) {
    for (const folder of foldersAround(file)) {
      if (folder !== but) around.add(folder);
      if (around.size === mostFolders) return [...around];
    }
  }
  return [...around];
}

function movedPlaces({ places }: Program, from: string, to: string): Program["places"] {
  const moved = (file: string): string => (file.startsWith(`${from}/`) ? `${to}${file.slice(from.length)}` : file);
  return Object.fromEntries(Object.entries(places).map(([id, place]) => [id, { ...place, file: moved(place.file) }]));
}

/** The nearest first. On Windows the drive is one of them; the root of all files is not. */
function foldersAround(file: string): readonly string[] {
  const names = file.split("/").slice(0, -1);
  return names.map((_, at) => names.slice(0, names.length - at).join("/")).filter((folder) => folder !== "");
}

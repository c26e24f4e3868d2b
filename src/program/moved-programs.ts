import type { Program } from "./program.ts";

/** The program as it would be if one of the folders around its files were `to`: a checkout of the same project is elsewhere on another computer. */
export function movedPrograms(program: Program, to: string): readonly Program[] {
  const around = new Set(Object.values(program.places).flatMap(({ file }) => foldersAround(file)));
  around.delete(to);
  return [...around].map((from) => ({ ...program, places: movedPlaces(program, from, to) }));
}

function movedPlaces({ places }: Program, from: string, to: string): Program["places"] {
  const moved = (file: string): string => (file.startsWith(`${from}/`) ? `${to}${file.slice(from.length)}` : file);
  return Object.fromEntries(Object.entries(places).map(([id, place]) => [id, { ...place, file: moved(place.file) }]));
}

function foldersAround(file: string): readonly string[] {
  const names = file.split("/").slice(1, -1);
  return names.map((_, at) => `/${names.slice(0, at + 1).join("/")}`);
}

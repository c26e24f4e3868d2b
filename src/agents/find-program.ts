import { accessSync, constants, statSync } from "node:fs";
import { delimiter, isAbsolute, join, resolve } from "node:path";

/** The path of a program: one with a slash from the folder, a bare name from the search path; undefined when there is none. */
export function findProgram(program: string, folder: string, searchPath: string): string | undefined {
  if (isAbsolute(program) || /[\\/]/.test(program)) return firstOf([resolve(folder, program)]);
  return firstOf(
    searchPath
      .split(delimiter)
      .filter(isAbsolute)
      .map((place) => join(place, program)),
  );
}

const endings = process.platform === "win32" ? ["", ".exe", ".cmd", ".bat"] : [""];

function firstOf(paths: readonly string[]): string | undefined {
  return paths.flatMap((path) => endings.map((ending) => path + ending)).find(isProgram);
}

function isProgram(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return statSync(path).isFile();
  } catch {
    return false;
  }
}

// @ts-check
import { existsSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { root } from "./run-tool.mjs";

/**
 * Projects of the parts of dialects (`src/dialects/<name>/<part>`), each of which says what that part may see. They are found, so that a
 * new dialect needs no list changed.
 *
 * @returns {string[]} paths relative to the repository
 */
export function dialectProjects() {
  const dialects = join("src", "dialects");
  return foldersIn(dialects)
    .flatMap((dialect) => foldersIn(dialect))
    .filter((part) => existsSync(join(root, part, "tsconfig.json")));
}

/** @param {string} folder */
function foldersIn(folder) {
  return readdirSync(join(root, folder), { withFileTypes: true })
    .filter((entry) => entry.isDirectory())
    .map((entry) => join(folder, entry.name));
}

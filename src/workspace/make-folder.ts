import { mkdirSync, realpathSync } from "node:fs";
import { join } from "node:path";
import { isInside, plainPath } from "./root-path.ts";

/** Makes a folder and those above it, name by name below a real root; false when a name, or a link behind one, leads out of it. */
export function makeFolder(root: string, path: string): boolean {
  const plain = plainPath(path);
  if (plain === undefined) return false;
  let place = root;
  for (const name of plain.split("/")) {
    mkdirSync(join(place, name), { recursive: true });
    place = realpathSync.native(join(place, name));
    if (!isInside(root, place)) return false;
  }
  return true;
}

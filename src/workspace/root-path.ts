import { lstatSync, realpathSync, statSync } from "node:fs";
import { dirname, join, relative, sep } from "node:path";
import { codeOf, workspaceMissing } from "./codes.ts";

/** The real place of a folder to work on. Throws `WORKSPACE_MISSING`. */
export function realRoot(root: string): string {
  try {
    const real = realpathSync.native(root);
    if (statSync(real).isDirectory()) return real;
  } catch (cause) {
    throw workspaceMissing(root, cause);
  }
  throw workspaceMissing(root);
}

/**
 * A relative path as it is stored: with `/`, without `.` and empty names. undefined when it is absolute, climbs with `..`, is
 * empty or holds a zero byte. A backslash separates names only on Windows.
 */
export function plainPath(path: string): string | undefined {
  if (sep === "/" && !oddPath.test(path)) return path;
  const text = sep === "\\" ? path.replaceAll("\\", "/") : path;
  if (text.startsWith("/") || (sep === "\\" && /^[A-Za-z]:/.test(text)) || text.includes("\0")) return undefined;
  const names = text.split("/").filter((name) => name !== "" && name !== ".");
  return names.includes("..") || names.length === 0 ? undefined : names.join("/");
}

/** A name that is empty, `.` or `..`, or a zero byte: what a path that is stored does not have. */
const oddPath = /(?:^|\/)\.{0,2}(?:\/|$)|\0/;

/** Whether `place` is `root` or below it; both are real paths. */
export function isInside(root: string, place: string): boolean {
  return place === root || place.startsWith(root.endsWith(sep) ? root : root + sep);
}

/** The path of a real place below a root, with `/`. */
export function pathBelow(root: string, place: string): string {
  const path = relative(root, place);
  return sep === "\\" ? path.replaceAll("\\", "/") : path;
}

export type Located = { readonly place: string } | { readonly refused: "outside" | "absent" };

/**
 * Finds files below one real root and never leaves it. Folders that are known to be inside are remembered, so that a file costs no
 * more than its own name; a locator is made for one job and thrown away, since links may change.
 */
export class Locator {
  readonly root: string;
  readonly #folders = new Map<string, Located>();

  constructor(root: string) {
    this.root = root;
  }

  /** Where a file is once every link in its folders is followed. The last name is not followed; it may be a link. */
  nameOf(path: string): Located {
    const plain = plainPath(path);
    if (plain === undefined) return { refused: "outside" };
    const cut = plain.lastIndexOf("/");
    const folder = this.#folder(cut < 0 ? "" : plain.slice(0, cut));
    if ("refused" in folder) return folder;
    return { place: folder.place.endsWith(sep) ? folder.place + plain.slice(cut + 1) : `${folder.place}${sep}${plain.slice(cut + 1)}` };
  }

  /** The same, with the last name followed: the place of the file itself. It must exist. */
  targetOf(path: string): Located {
    const found = this.nameOf(path);
    if ("refused" in found) return found;
    try {
      return lstatSync(found.place).isSymbolicLink() ? this.#follow(found.place) : found;
    } catch {
      return { refused: "absent" };
    }
  }

  #folder(path: string): Located {
    const known = this.#folders.get(path);
    if (known !== undefined) return known;
    const found = this.#follow(join(this.root, path));
    this.#folders.set(path, found);
    return found;
  }

  #follow(place: string): Located {
    try {
      const real = realpathSync.native(place);
      return isInside(this.root, real) ? { place: real } : { refused: "outside" };
    } catch {
      return { refused: "absent" };
    }
  }
}

/** The place that a new file below missing folders would have: the deepest folder that exists must be inside the root. */
export function placeForNew(root: string, path: string): string | undefined {
  const plain = plainPath(path);
  if (plain === undefined) return undefined;
  const missing: string[] = [];
  for (let folder = join(root, plain); ; folder = dirname(folder)) {
    try {
      const real = realpathSync.native(folder);
      return isInside(root, real) ? join(real, ...missing) : undefined;
    } catch (cause) {
      if (codeOf(cause) !== "ENOENT" || folder === dirname(folder)) return undefined;
      if (lstatSync(folder, { throwIfNoEntry: false })?.isSymbolicLink() === true) return undefined;
      missing.unshift(folder.slice(dirname(folder).length).replace(/^[\\/]/, ""));
    }
  }
}

import { readlinkSync, realpathSync } from "node:fs";
import { dirname, isAbsolute, join, relative, resolve, sep } from "node:path";

/** So many links that lead to nothing are followed; a longer way leads out. */
const mostLinks = 40;

/** Home folders and addresses: what an agent makes of them is its own matter. A number after a colon is a line. */
const elsewhere = /^(?:~|[a-z][a-z\d+-]+:(?!\d))/i;

/** Where a pattern can turn into several paths. */
const patternMarks = /[*?{[(]/;

/**
 * Whether a path, or each file that a pattern can mean, is inside the folder with all links followed; what does not exist yet counts by the
 * folder it would be in.
 */
export function isInside(path: string, folder: string): boolean {
  const text = path.trim();
  if (elsewhere.test(text) || leavesByPattern(text)) return false;
  // A system that follows a link before it goes up arrives elsewhere than one that only reads the names.
  const names = text.split(splitter);
  const above = names.flatMap((name, at) => (name === ".." ? [names.slice(0, at).join("/") || (at > 0 ? "/" : ".")] : []));
  return [...above, text].every((place) => wayTo(place, folder) !== undefined);
}

/**
 * Whether a path leads to what decides what Waymark and git run: `.git` and `.waymark`, at any depth and in any spelling that a file system
 * takes for them, the folder itself, which holds them, and patterns, which can mean them.
 */
export function isGuarded(path: string, folder: string): boolean {
  const text = path.trim();
  const way = wayTo(text, folder);
  if (way === undefined || way === "" || /[*?{]/.test(text)) return true;
  const written = relative(folder, resolve(folder, text));
  const names = [...way.split(splitter), ...(written.startsWith("..") ? [] : written.split(splitter))];
  return names.some((name) => guarded.test(plainName(name)));
}

const splitter = sep === "\\" ? /[\\/]/ : /\//;
const guarded = /^(?:\.git|git~\d+|\.waymark|waymar~\d+)$/;
/** Characters that some file systems do not see. */
const unseen = /[\u200b-\u200f\u202a-\u202e\u2060-\u206f\ufeff]/g;

function plainName(name: string): string {
  return name
    .replace(unseen, "")
    .replace(/:.*$/s, "")
    .replace(/[. ]+$/, "")
    .toLowerCase();
}

function leavesByPattern(text: string): boolean {
  return patternMarks.test(text) && (text.split(/[\\/{},|()]/).includes("..") || /[{,(|]\s*[\\/~]/.test(text));
}

/** The way from the folder to a place, links followed; undefined when it leads out. */
function wayTo(path: string, folder: string): string | undefined {
  const way = relative(realPlace(folder), realPlace(resolve(folder, path)));
  return way === ".." || way.startsWith(`..${sep}`) || isAbsolute(way) ? undefined : way;
}

function realPlace(path: string, links = 0): string {
  try {
    return realpathSync(path);
  } catch {
    const above = dirname(path);
    if (above === path || links > mostLinks) return sep;
    const place = join(realPlace(above, links), path.slice(above.length));
    // What is written to a link that leads to nothing is made where it leads.
    const target = linkAt(place);
    return target === undefined ? place : realPlace(resolve(dirname(place), target), links + 1);
  }
}

function linkAt(path: string): string | undefined {
  try {
    return readlinkSync(path);
  } catch {
    return undefined;
  }
}

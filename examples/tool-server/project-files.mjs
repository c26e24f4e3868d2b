/** Files of one project folder: finding, reading and writing them, never outside of it. */
import { mkdir, readdir, readFile, realpath, writeFile } from "node:fs/promises";
import { dirname, join, relative, resolve, sep } from "node:path";

const passedOver = new Set(["node_modules", ".git", ".waymark", "dist"]);

/**
 * Paths below `root` that match one of the patterns, sorted. `*` matches a name or a part of it, `**` any folders, and
 * `{a,b}` either.
 *
 * @param {string} root
 * @param {string | string[]} patterns
 * @returns {Promise<string[]>}
 */
export async function listFiles(root, patterns) {
  const wanted = [patterns].flat().map(patternToRegExp);
  const found = await walk(root, "");
  return found.filter((path) => wanted.some((pattern) => pattern.test(path))).sort();
}

/** @param {string} root @param {string} folder @returns {Promise<string[]>} */
async function walk(root, folder) {
  const paths = [];
  for (const entry of await readdir(join(root, folder), { withFileTypes: true })) {
    const path = folder === "" ? entry.name : `${folder}/${entry.name}`;
    if (passedOver.has(entry.name)) continue;
    if (entry.isDirectory()) paths.push(...(await walk(root, path)));
    else if (entry.isFile()) paths.push(path);
  }
  return paths;
}

/** @param {string} pattern */
function patternToRegExp(pattern) {
  const plain = pattern.replaceAll("\\", "/").replace(/^\.\//, "");
  const source = plain.replace(/\*\*\/|\*\*|\*|\?|\{[^{}]*\}|[.+^$()|[\]\\{}]/g, (token) => {
    if (token === "**/") return "(?:.*/)?";
    if (token === "**") return ".*";
    if (token === "*") return "[^/]*";
    if (token === "?") return "[^/]";
    if (token.startsWith("{") && token.endsWith("}")) return `(?:${token.slice(1, -1).split(",").map(escapeText).join("|")})`;
    return `\\${token}`;
  });
  return new RegExp(`^${source}$`);
}

/** @param {string} text */
function escapeText(text) {
  return text.replace(/[.*+?^${}()|[\]\\]/g, "\\$&");
}

/** @param {string} root @param {string} path */
export async function readText(root, path) {
  return readFile(await placeOf(root, path), "utf8");
}

/** @param {string} root @param {string} path @param {string} text */
export async function writeText(root, path, text) {
  const place = await placeOf(root, path);
  await mkdir(dirname(place), { recursive: true });
  await writeFile(place, text);
}

/**
 * Where a path of the project is; a path that leads out of it, also by a link, is refused.
 *
 * @param {string} root
 * @param {string} path
 */
export async function placeOf(root, path) {
  const home = await realpath(root);
  const place = resolve(home, path);
  const real = await realpath(place).catch(() => place);
  for (const candidate of [place, real]) {
    const way = relative(home, candidate);
    if (way === ".." || way.startsWith(`..${sep}`) || resolve(way) === way) throw new Error(`${path} is outside the project.`);
  }
  return real;
}

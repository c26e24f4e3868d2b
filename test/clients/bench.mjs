// @ts-check
import { execFileSync } from "node:child_process";
import { cpSync, mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { delimiter, dirname, join } from "node:path";
import { runBounded } from "./run-bounded.mjs";

const here = import.meta.dirname;

/**
 * A copy of the built product, so that a build at the same time does not disturb, and a place for throw-away homes.
 *
 * @typedef {{ folder: string, script: string }} Bench
 * @param {string} root top folder of the repository
 * @returns {Bench}
 */
export function openBench(root) {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), "waymark-clients-run-")));
  const product = join(folder, "product");
  mkdirSync(product);
  for (const part of ["dist", "workflows", "package.json"]) {
    cpSync(join(root, part), join(product, part), { recursive: true, filter: (from) => from !== join(root, "dist", "rooms") });
  }
  symlinkSync(join(root, "node_modules"), join(product, "node_modules"), "dir");
  return { folder, script: join(product, "dist", "waymark.js") };
}

/** @param {Bench} bench */
export function closeBench({ folder }) {
  rmSync(folder, { recursive: true, force: true, maxRetries: 3 });
}

/**
 * A home of its own and a fresh git project with three notes and the example workflow, which is allowed.
 *
 * @typedef {{ home: string, project: string, env: Record<string, string>, notes: string[], hashes: Record<string, string>,
 *   waymark: (args: readonly string[]) => Promise<{ code: number | null, stdout: string, stderr: string }> }} Place
 * @param {Bench} bench
 * @param {string} name
 * @param {string} [node] a Node that comes first in PATH
 * @returns {Promise<Place>}
 */
export async function openPlace(bench, name, node = process.execPath) {
  const [home, project, scratch] = ["home", "project", "tmp"].map((part) => join(bench.folder, name, part));
  for (const folder of [home, project, scratch]) mkdirSync(/** @type {string} */ (folder), { recursive: true });
  if (home === undefined || project === undefined || scratch === undefined) throw new Error("unreachable");
  const path = [...new Set([dirname(node), dirname(process.execPath), ...(process.env["PATH"] ?? "").split(delimiter)])].join(delimiter);
  const env = { PATH: path, HOME: home, TMPDIR: scratch, LANG: "C.UTF-8", TERM: "dumb", NO_COLOR: "1" };
  /** @type {Record<string, string>} */
  const contents = { "notes/a.md": "milk\n", "notes/c.md": "tea\n", "notes/it's b.md": "eggs and flour\n" };
  mkdirSync(join(project, "notes"));
  for (const [file, text] of Object.entries(contents)) writeFileSync(join(project, file), text);
  cpSync(join(here, "workflows"), join(project, ".waymark", "workflows"), { recursive: true });
  const git = (/** @type {string[]} */ ...args) => execFileSync("git", args, { cwd: project, env, encoding: "utf8" }).trim();
  git("init", "--quiet");
  git("add", "--all");
  const notes = Object.keys(contents);
  const hashes = Object.fromEntries(notes.map((file) => [file, git("hash-object", file)]));
  const waymark = (/** @type {readonly string[]} */ args) =>
    runBounded(process.execPath, [bench.script, ...args], { cwd: project, env: { ...env, WAYMARK_ALLOW_UNATTENDED: "1" }, seconds: 60 });
  const allowed = await waymark(["allow", "clients:tour", "--yes"]);
  if (allowed.code !== 0) throw new Error(`The example workflow could not be allowed: ${allowed.stderr || allowed.stdout}`);
  return { home, project, env, notes, hashes, waymark };
}

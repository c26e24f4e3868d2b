// @ts-check
import { existsSync, lstatSync, mkdirSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { runBounded } from "./run-bounded.mjs";

/** Where clients are kept between runs: never among the project's own dependencies. */
export function toolsFolder() {
  const cache = process.env["XDG_CACHE_HOME"];
  return join(cache !== undefined && cache !== "" ? cache : tmpdir(), "waymark-clients");
}

/** Programs are run from this folder, and its name can be guessed: it must be nobody else's. */
export function openToolsFolder() {
  const folder = toolsFolder();
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  const found = lstatSync(folder);
  const isMine = process.getuid === undefined || (found.uid === process.getuid() && (found.mode & 0o022) === 0);
  if (!found.isDirectory() || !isMine)
    throw new Error(`${folder} is not a folder that only its user can write to. Remove it, or set XDG_CACHE_HOME.`);
}

/**
 * Installs exactly this version of a package into a folder of its own, unless it is there, and answers that folder. Install scripts of
 * the package do not run. Throws with npm's last words when the package cannot be had.
 *
 * @param {string} spec
 * @returns {Promise<string>}
 */
export async function installTool(spec) {
  const folder = join(toolsFolder(), spec.replace(/^@/, "").replaceAll(/[/@]/g, "-"));
  if (existsSync(join(folder, "node_modules"))) return folder;
  // Made beside its place and moved there when whole, so that a broken install is never taken for a good one.
  const beside = `${folder}.${process.pid}`;
  rmSync(beside, { recursive: true, force: true });
  mkdirSync(beside, { recursive: true });
  writeFileSync(join(beside, "package.json"), '{ "private": true }\n');
  const flags = ["--ignore-scripts", "--no-audit", "--no-fund", "--loglevel=error"];
  const ended = await runBounded("npm", ["install", ...flags, spec], { cwd: beside, env: process.env, seconds: 600 });
  if (ended.code !== 0) {
    rmSync(beside, { recursive: true, force: true });
    throw new Error(ended.timedOut ? "npm did not end within 600 s." : (ended.stderr.trim().split("\n")[0] ?? "npm failed."));
  }
  rmSync(folder, { recursive: true, force: true });
  renameSync(beside, folder);
  return folder;
}

/** Some tools need a newer Node than the product. @param {number} least major version */
export async function nodeForTools(least) {
  if (Number(process.versions.node.split(".")[0]) >= least) return process.execPath;
  const name = `node-${process.platform}-${process.arch}`;
  return join(await installTool(`${name}@24.21.0`), "node_modules", name, "bin", "node");
}

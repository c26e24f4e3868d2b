// @ts-check
import { spawn } from "node:child_process";
import { readFileSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import { fileURLToPath } from "node:url";

/** Top folder of the repository. */
export const root = resolve(dirname(fileURLToPath(import.meta.url)), "..");

/**
 * Starts a development tool by the script its package names, so that neither a shell nor `npx` is needed on any platform.
 * With `live` the output goes straight to the terminal and `output` stays empty.
 *
 * @param {string} name package and command name, which are the same for every tool we use but `tsc`
 * @param {readonly string[]} args
 * @param {{ live?: boolean }} [options]
 * @returns {Promise<{ code: number, output: string }>}
 */
export function runTool(name, args, { live = false } = {}) {
  return runNode([toolScript(name), ...args], { live });
}

/**
 * @param {readonly string[]} args
 * @param {{ live?: boolean }} [options]
 * @returns {Promise<{ code: number, output: string }>}
 */
export function runNode(args, { live = false } = {}) {
  return new Promise((done, refuse) => {
    const child = spawn(process.execPath, args, { cwd: root, stdio: live ? "inherit" : ["ignore", "pipe", "pipe"] });
    let output = "";
    for (const stream of [child.stdout, child.stderr]) stream?.setEncoding("utf8").on("data", (text) => (output += text));
    child.on("error", refuse);
    child.on("close", (code) => done({ code: code ?? 1, output }));
  });
}

/** @param {number} since as given by `performance.now()` */
export function seconds(since) {
  return ((performance.now() - since) / 1000).toFixed(1);
}

/** @param {string} name */
export function toolScript(name) {
  const folder = join(root, "node_modules", name === "tsc" ? "typescript" : name);
  const { bin } = JSON.parse(readFileSync(join(folder, "package.json"), "utf8"));
  return join(folder, typeof bin === "string" ? bin : bin[name]);
}

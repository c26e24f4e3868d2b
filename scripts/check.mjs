// @ts-check
// Everything that can be said about the sources without running them. All parts run even when one fails; `npm run check -- lint types`
// runs only the parts named.
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { dialectProjects } from "./dialect-projects.mjs";
import { lineBudget, longFiles } from "./file-sizes.mjs";
import { judgeLicences } from "./licences.mjs";
import { root, runTool, seconds } from "./run-tool.mjs";

/** @typedef {{ code: number, output: string }} Result */
/** @type {Record<string, () => Promise<Result> | Result>} */
const parts = {
  format: () => runTool("oxfmt", ["--check"]),
  lint: () => runTool("oxlint", ["--type-aware", "--deny-warnings", "--disable-nested-config"]),
  types: () => runTool("tsc", ["-b", ".", ...dialectProjects()]),
  unused: () => runTool("knip", ["--no-progress"]),
  licences: checkLicences,
  sizes: checkSizes,
};

const wanted = process.argv.slice(2);
const unknown = wanted.filter((name) => !Object.hasOwn(parts, name));
if (unknown.length > 0) {
  console.error(`There is no part ${unknown.join(", ")}. Parts: ${Object.keys(parts).join(", ")}.`);
  process.exit(2);
}

const rows = [];
for (const [name, run] of Object.entries(parts)) {
  if (wanted.length > 0 && !wanted.includes(name)) continue;
  const begun = performance.now();
  const { code, output } = await run();
  rows.push({ name, result: code === 0 ? "ok" : "FAILED", took: seconds(begun) });
  if (output.trim() !== "" && (code !== 0 || name === "sizes")) console.log(`--- ${name}\n${output.trimEnd()}\n`);
}
console.log(`${"part".padEnd(10)} ${"result".padEnd(7)} seconds`);
for (const { name, result, took } of rows) console.log(`${name.padEnd(10)} ${result.padEnd(7)} ${took.padStart(7)}`);
process.exitCode = rows.every(({ result }) => result === "ok") ? 0 : 1;

/** @returns {Result} */
function checkLicences() {
  const lock = JSON.parse(readFileSync(join(root, "package-lock.json"), "utf8"));
  const { refused } = judgeLicences(lock, (folder) => {
    const file = join(root, folder, "package.json");
    return existsSync(file) ? JSON.parse(readFileSync(file, "utf8")) : undefined;
  });
  return { code: refused.length === 0 ? 0 : 1, output: refused.join("\n") };
}

/** @returns {Result} */
function checkSizes() {
  const found = longFiles(join(root, "src"));
  const lines = found.map(
    ({ file, lines, refused }) =>
      `src/${file} has ${lines} lines: ${refused ? `more than ${lineBudget.most} are refused` : `aim for ${lineBudget.aim}`}.`,
  );
  return { code: found.some(({ refused }) => refused) ? 1 : 0, output: lines.join("\n") };
}

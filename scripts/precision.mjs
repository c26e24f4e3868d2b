// @ts-check
// Measures the own rules of codebase-review on public repositories against labels, and `any` and `==` of typescript-migration against
// oxlint. `--trees <folder>` holds the repositories of test/precision/repositories.yaml, each under its name. Run `npm run build` before.
import { execFile } from "node:child_process";
import { existsSync } from "node:fs";
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { promisify } from "node:util";
import { parse } from "yaml";
import { compareWithLinter } from "./precision/compare-with-linter.mjs";
import { compareWithLabels, readLabels } from "./precision/compare-with-labels.mjs";
import { root, toolScript } from "./run-tool.mjs";

const run = promisify(execFile);
const least = { right: 0.8, alike: 0.98 };

const at = process.argv.indexOf("--trees");
const trees = at < 0 ? undefined : process.argv[at + 1];
if (trees === undefined) {
  console.error("Say where the repositories are: npm run precision -- --trees <folder>");
  process.exit(2);
}
/** @type {readonly { name: string, url: string, commit: string, what: string }[]} */
const repositories = parse(await readFile(join(root, "test/precision/repositories.yaml"), "utf8")).repositories;
const labels = await readLabels(join(root, "test/precision/labels.tsv"));
const work = await mkdtemp(join(tmpdir(), "waymark-precision-"));
const config = join(work, "oxlint.json");
await writeFile(
  config,
  JSON.stringify({
    plugins: ["typescript"],
    categories: { correctness: "off" },
    rules: { eqeqeq: "error", "typescript/no-explicit-any": "error" },
  }),
);

/** @type {string[]} */
const failures = [];
/** @type {import("./precision/compare-with-labels.mjs").Place[]} */
const found = [];
/** @type {Record<string, import("./precision/compare-with-linter.mjs").Alike>} */
const alike = {};
/** @type {Set<string>} */
const present = new Set();
try {
  for (const repository of repositories) await measure(repository);
  report();
} finally {
  await rm(work, { recursive: true, force: true });
}
if (failures.length > 0) {
  console.error(`\nFailed:\n${failures.map((line) => `- ${line}`).join("\n")}`);
  process.exitCode = 1;
}

/** @param {{ name: string, url: string, commit: string }} repository */
async function measure({ name, url, commit }) {
  const folder = resolve(trees ?? "", name);
  if (!existsSync(folder)) {
    console.log(`${name}: absent. Get it: git clone ${url} ${folder} && git -C ${folder} checkout ${commit}`);
    failures.push(`${name} is absent from ${trees}.`);
    return;
  }
  // A tree without history cannot say which commit it is.
  const head = await run("git", ["-C", folder, "rev-parse", "HEAD"]).then(
    ({ stdout }) => stdout.trim(),
    () => "",
  );
  if (head !== "" && head !== commit) failures.push(`${name} is at ${head}, not at ${commit}.`);
  present.add(name);
  const review = await scan(folder, "codebase-review");
  for (const { file, line, rule, severity } of review) found.push({ repository: name, file, line, rule, severity });
  const migration = await scan(folder, "typescript-migration");
  const counts = await compareWithLinter({ folder, migration, oxlint: toolScript("oxlint"), config });
  for (const [rule, { ours, theirs, both, either, apart }] of Object.entries(counts)) {
    const sum = (alike[rule] ??= { ours: 0, theirs: 0, both: 0, either: 0, apart: [] });
    sum.ours += ours;
    sum.theirs += theirs;
    sum.both += both;
    sum.either += either;
    sum.apart.push(...apart.map((place) => `${name}/${place}`));
  }
  console.log(`${name}: ${review.length} places${head === "" ? ", commit not known" : ""}`);
}

/**
 * @param {string} folder
 * @param {string} workflow
 * @returns {Promise<readonly { file: string, line: number, rule: string, severity: string }[]>}
 */
async function scan(folder, workflow) {
  const { stdout } = await run(process.execPath, [join(root, "dist/waymark.js"), "scan", workflow, ".", "--json"], {
    cwd: folder,
    maxBuffer: 512 * 1024 * 1024,
  });
  return JSON.parse(stdout).findings;
}

function report() {
  const { rows, right, wrong, unlabelled, missed, critical } = compareWithLabels(found, labels, present);
  console.log("\nrule            places   right   wrong   no label   right in %   missed");
  for (const [rule, row] of rows) {
    const share = row.right + row.wrong === 0 ? "" : percent(row.right / (row.right + row.wrong));
    console.log(
      [rule.padEnd(14), row.found, row.right, row.wrong, row.unlabelled, share, row.missed]
        .map((cell, column) => String(cell).padStart(column === 0 ? 0 : 8))
        .join(" "),
    );
  }
  const share = right / Math.max(1, right + wrong);
  console.log(
    `\n${right} of ${right + wrong} places right: ${percent(share)} %. ${missed} right places of the labels were not found. ${labels.length} labels.`,
  );
  if (labels.length < 300) failures.push(`There are ${labels.length} labels; 300 are needed.`);
  if (share < least.right) failures.push(`${percent(share)} % are right; ${percent(least.right)} % are needed.`);
  for (const place of critical) failures.push(`A wrong critical: ${place}`);
  for (const place of unlabelled.slice(0, 20)) failures.push(`No label: ${place}`);
  console.log("\nlines            ours   oxlint     both   either   alike in %");
  for (const [rule, { ours, theirs, both, either, apart }] of Object.entries(alike)) {
    const same = either === 0 ? 1 : both / either;
    console.log(`${rule.padEnd(12)} ${[ours, theirs, both, either, percent(same)].map((cell) => String(cell).padStart(8)).join(" ")}`);
    if (same < least.alike)
      failures.push(
        `\`${rule}\` is alike in ${percent(same)} % of the lines; ${percent(least.alike)} % are needed: ${apart.slice(0, 5).join(", ")}`,
      );
  }
}

/** @param {number} share */
function percent(share) {
  return (Math.floor(share * 1000) / 10).toFixed(1);
}

// @ts-check
// `npm test`: build, check, then every test. Prints where the time went; the last line counts the tests. The exit code is 0 only
// when all parts held.
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { root, runNode, runTool, seconds } from "./run-tool.mjs";

/** @typedef {{ passed: number, failed: number, skipped: number }} Counts */
/** @typedef {{ name: string, status: string, startTime: number, endTime: number, assertionResults: { status: string }[] }} TestFile */

const slowest = 10;
/** @type {{ name: string, took: string, result: string }[]} */
const rows = [];
/** @type {TestFile[]} */
const files = [];
/** @type {Counts} */
const counts = { passed: 0, failed: 0, skipped: 0 };

const built = await part("build", async () => (await runNode(["scripts/build.mjs"], { live: true })).code === 0);
const checked = await part("check", async () => (await runNode(["scripts/check.mjs"], { live: true })).code === 0);
for (const project of ["unit", "scenario", "process"]) {
  // Process tests use what was built.
  if (project === "process" && !built) console.log("The build failed, so the process tests did not run.");
  else await part(project, () => runTests(project));
}
printTimes();
if (!checked) console.log("The check failed; its table above names the part.");
console.log(`${counts.passed} passed, ${counts.failed} failed, ${counts.skipped} skipped`);
process.exitCode = built && checked && counts.failed === 0 ? 0 : 1;

/**
 * @param {string} name
 * @param {() => Promise<boolean>} run
 */
async function part(name, run) {
  console.log(`=== ${name}`);
  const begun = performance.now();
  const held = await run();
  rows.push({ name, took: seconds(begun), result: held ? "ok" : "FAILED" });
  return held;
}

/** @param {string} project */
async function runTests(project) {
  const folder = mkdtempSync(join(tmpdir(), "waymark-test-"));
  const report = join(folder, "report.json");
  try {
    const args = ["run", "--project", project, "--reporter=default", "--reporter=json", `--outputFile.json=${report}`];
    const { code } = await runTool("vitest", args, { live: true });
    const own = count(report, code);
    for (const kind of /** @type {const} */ (["passed", "failed", "skipped"])) counts[kind] += own[kind];
    return own.failed === 0;
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/**
 * Sums the tests of a report. What fails outside any test (a file that does not load, a promise nobody awaited, a runner that died)
 * is in no test's result and counts as one failed.
 *
 * @param {string} report
 * @param {number} code
 */
function count(report, code) {
  /** @type {Counts} */
  const own = { passed: 0, failed: 0, skipped: 0 };
  try {
    /** @type {{ testResults: TestFile[] }} */
    const { testResults } = JSON.parse(readFileSync(report, "utf8"));
    for (const file of testResults) {
      const before = own.failed;
      for (const { status } of file.assertionResults) own[status === "passed" || status === "failed" ? status : "skipped"]++;
      if (file.status === "failed" && own.failed === before) own.failed++;
    }
    files.push(...testResults);
  } catch {
    console.log("The test runner left no report.");
  }
  if (code !== 0 && own.failed === 0) own.failed = 1;
  return own;
}

function printTimes() {
  console.log(`\n${"part".padEnd(10)} ${"result".padEnd(7)} seconds`);
  for (const { name, result, took } of rows) console.log(`${name.padEnd(10)} ${result.padEnd(7)} ${took.padStart(7)}`);
  console.log("\nslowest test files");
  const long = files.map(({ name, startTime, endTime }) => ({ name, ms: endTime - startTime })).sort((a, b) => b.ms - a.ms);
  for (const { name, ms } of long.slice(0, slowest)) console.log(`${(ms / 1000).toFixed(1).padStart(7)} ${name.slice(root.length + 1)}`);
  console.log("");
}

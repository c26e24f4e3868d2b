// @ts-check
// `npm test`: build, check, then every test. The last line counts the tests; the exit code is 0 only when all parts held.
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { runNode, runTool } from "./run-tool.mjs";

const built = await part("build", () => runNode(["scripts/build.mjs"], { live: true }));
const checked = await part("check", () => runNode(["scripts/check.mjs"], { live: true }));
const counts = await runTests(built);
if (!built) console.log("The build failed, so the process tests did not run.");
if (!checked) console.log("The check failed; the table above names the part.");
console.log(`${counts.passed} passed, ${counts.failed} failed, ${counts.skipped} skipped`);
process.exitCode = built && checked && counts.failed === 0 ? 0 : 1;

/**
 * @param {string} name
 * @param {() => Promise<{ code: number }>} run
 */
async function part(name, run) {
  console.log(`=== ${name}`);
  return (await run()).code === 0;
}

/**
 * Process tests use what was built, so without a build only the unit tests run.
 *
 * @param {boolean} withProcesses
 */
async function runTests(withProcesses) {
  console.log("=== tests");
  const folder = mkdtempSync(join(tmpdir(), "waymark-test-"));
  const report = join(folder, "report.json");
  const projects = withProcesses ? [] : ["--project", "unit"];
  try {
    const { code } = await runTool("vitest", ["run", ...projects, "--reporter=default", "--reporter=json", `--outputFile.json=${report}`], {
      live: true,
    });
    return count(report, code);
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
  const counts = { passed: 0, failed: 0, skipped: 0 };
  try {
    /** @type {{ testResults: { status: string, assertionResults: { status: string }[] }[] }} */
    const { testResults } = JSON.parse(readFileSync(report, "utf8"));
    for (const file of testResults) {
      const before = counts.failed;
      for (const { status } of file.assertionResults) counts[status === "passed" || status === "failed" ? status : "skipped"]++;
      if (file.status === "failed" && counts.failed === before) counts.failed++;
    }
  } catch {
    console.log("The test runner left no report.");
  }
  if (code !== 0 && counts.failed === 0) counts.failed = 1;
  return counts;
}

// @ts-check
// Runs the tests of the rooms below with coverage and fails when one of them has too few lines that its tests reach.
import { readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import { root, runTool } from "./run-tool.mjs";

const leastPercent = 80;
const rooms = ["src/agents", "src/runner", "src/router", "src/chat", "src/dialects/prompts"];
/** Walks of whole runs that are theirs. */
const walks = ["test/scenario/runner-", "test/scenario/chat-", "test/scenario/seed-002-"];
const folder = join(root, "coverage");

const projects = ["unit", "scenario", "process"].map((name) => `--project=${name}`);
const { code, output } = await runTool("vitest", [
  "run",
  ...projects,
  ...rooms,
  ...walks,
  "--coverage.enabled",
  "--coverage.provider=v8",
  "--coverage.reporter=json-summary",
  `--coverage.reportsDirectory=${folder}`,
  "--coverage.exclude=**/*.test.ts",
  ...rooms.map((room) => `--coverage.include=${room}/**/*.ts`),
]);
if (code !== 0) {
  console.error(output);
  process.exit(1);
}

/** @type {Record<string, { lines: { total: number, covered: number } }>} */
const summary = JSON.parse(readFileSync(join(folder, "coverage-summary.json"), "utf8"));
rmSync(folder, { recursive: true, force: true });
for (const room of rooms) {
  const lines = Object.entries(summary).flatMap(([file, counts]) => (file.startsWith(join(root, room)) ? [counts.lines] : []));
  const [total, covered] = [lines.reduce((sum, one) => sum + one.total, 0), lines.reduce((sum, one) => sum + one.covered, 0)];
  const percent = total === 0 ? 0 : (covered / total) * 100;
  console.log(`${room}: ${percent.toFixed(1)} % of ${total} lines`);
  if (percent < leastPercent) process.exitCode = 1;
}
if (process.exitCode === 1) console.error(`At least ${leastPercent} % of the lines of each room must be reached by its tests.`);

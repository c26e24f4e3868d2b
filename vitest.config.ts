import { defineConfig } from "vitest/config";
import { LongestFirst } from "./test/support/longest-first.ts";

/**
 * Four kinds of tests. All but the long ones share their workers, without a fresh world per file: they must leave nothing behind.
 * Unit tests start no process and wait for no clock (`forbid-processes` holds that). Scenarios walk whole runs on the real engine, with
 * git and shell commands. Process tests start, kill or use the built package. Long ones do that for
 * minutes, and have a command of their own (`npm run test:long`). What lasts long begins first, and temporary files of scenarios are in
 * memory where they can be. Limits are for a busy machine: a test that hangs fails, one that waits for its turn does not.
 */
export default defineConfig({
  test: {
    sequence: { sequencer: LongestFirst },
    // `npm test` starts the runner three times: what one has translated, the next ones take from node_modules/.
    experimental: { fsModuleCache: true },
    projects: [
      {
        test: {
          name: "unit",
          include: ["src/**/*.test.ts", "test/unit/**/*.test.ts"],
          exclude: ["src/**/*.process.test.ts", "src/**/*.scenario.test.ts"],
          setupFiles: ["test/support/forbid-processes.ts"],
          pool: "threads",
          isolate: false,
          maxWorkers: 2,
          testTimeout: 60_000,
          hookTimeout: 60_000,
          sequence: { groupOrder: 0 },
        },
      },
      {
        test: {
          name: "scenario",
          include: ["src/**/*.scenario.test.ts", "test/scenario/**/*.test.ts"],
          globalSetup: ["test/support/temporary-in-memory.ts", "test/support/made-by-workers.ts"],
          pool: "forks",
          isolate: false,
          maxWorkers: 3,
          testTimeout: 120_000,
          hookTimeout: 60_000,
          sequence: { groupOrder: 1 },
        },
      },
      {
        test: {
          name: "process",
          include: ["src/**/*.process.test.ts", "test/process/**/*.test.ts"],
          globalSetup: ["test/support/postgres-for-tests.ts"],
          pool: "forks",
          // Loading the sources again for every file took a tenth of the time.
          isolate: false,
          // They wait for other processes, so more than there are cores at least.
          maxWorkers: 4,
          testTimeout: 300_000,
          hookTimeout: 120_000,
          sequence: { groupOrder: 2 },
        },
      },
      {
        test: {
          name: "long",
          include: ["test/long/**/*.test.ts"],
          globalSetup: ["test/support/postgres-for-tests.ts"],
          pool: "forks",
          maxWorkers: 2,
          testTimeout: 600_000,
          hookTimeout: 120_000,
          sequence: { groupOrder: 3 },
        },
      },
    ],
  },
});

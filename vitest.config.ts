import { defineConfig } from "vitest/config";
import { LongestFirst } from "./test/support/longest-first.ts";

/**
 * Four kinds of tests. Unit tests and scenarios share their workers, without a fresh world per file: they must leave nothing behind.
 * Unit tests start no process and wait for no clock (`forbid-processes` holds that). Scenarios walk whole runs on the real engine, with
 * git and shell commands. Process tests start, kill or use the built package, each file in a process of its own. Long ones do that for
 * minutes, and have a command of their own (`npm run test:long`). What lasts long begins first, and temporary files of scenarios are in
 * memory where they can be. Limits are for a busy machine: a test that hangs fails, one that waits for its turn does not.
 */
export default defineConfig({
  test: {
    sequence: { sequencer: LongestFirst },
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
          globalSetup: ["test/support/temporary-in-memory.ts"],
          pool: "forks",
          isolate: false,
          maxWorkers: 2,
          testTimeout: 120_000,
          hookTimeout: 60_000,
          sequence: { groupOrder: 1 },
        },
      },
      {
        test: {
          name: "process",
          include: ["src/**/*.process.test.ts", "test/process/**/*.test.ts"],
          pool: "forks",
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

import { defineConfig } from "vitest/config";

/**
 * Unit tests share their threads, without a fresh world per file: they must leave nothing behind. Tests that start processes, kill
 * workers or use the built package run afterwards, each file in a process of its own.
 */
export default defineConfig({
  test: {
    projects: [
      {
        test: {
          name: "unit",
          include: ["src/**/*.test.ts", "test/unit/**/*.test.ts"],
          exclude: ["src/**/*.process.test.ts"],
          pool: "threads",
          isolate: false,
          maxWorkers: 2,
          testTimeout: 20_000,
          sequence: { groupOrder: 0 },
        },
      },
      {
        test: {
          name: "process",
          include: ["src/**/*.process.test.ts", "test/process/**/*.test.ts"],
          pool: "forks",
          maxWorkers: 2,
          testTimeout: 120_000,
          hookTimeout: 60_000,
          sequence: { groupOrder: 1 },
        },
      },
    ],
  },
});

import { existsSync, readdirSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { expect, test } from "vitest";
import { WaymarkError } from "../base/index.ts";
import { engineCodes } from "../engine/index.ts";
import { exitCodeOf, cliCodes } from "./codes.ts";

/** A folder with a front door of its own is that of a dialect, which has its own codes. */
const isGeneral = (file: string): boolean => dirname(file) === "." || !existsSync(join(import.meta.dirname, dirname(file), "index.ts"));
const sources = readdirSync(import.meta.dirname, { recursive: true, encoding: "utf8" })
  .filter((file) => file.endsWith(".ts") && !file.endsWith(".test.ts") && isGeneral(file))
  .map((file) => readFileSync(join(import.meta.dirname, file), "utf8"));

test("every code of the command line is in its catalogue, and every one there is used", () => {
  const used = new Set(sources.flatMap((text) => [...text.matchAll(/"(CLI_[A-Z_]+)"/g)].map(([, code]) => code)));
  expect(used).toEqual(new Set(Object.keys(cliCodes)));
});

test("codes of other rooms that are named here exist there", () => {
  const named = sources.flatMap((text) =>
    [...text.matchAll(/(?:code: |\.code === )"((?!CLI_)[A-Z]+_[A-Z_]+)"/g)].map(([, code = ""]) => code),
  );
  expect(named.length).toBeGreaterThan(1);
  expect(named.filter((code) => !Object.hasOwn(engineCodes, code))).toEqual([]);
});

test.each([
  ["CLI_USAGE", 2],
  ["CLI_UNEXPECTED", 5],
  ["ENGINE_NO_WORKFLOW", 2],
  ["RUN_ENDED", 2],
  ["STORE_LOCKED", 5],
  ["STORE_NOT_ADOPTED", 2],
  ["HOST_WRITE_FAILED", 5],
  ["HOST_CONFIG_UNKNOWN_KEY", 2],
  ["HOST_WORKSPACE_MISSING", 2],
  ["HOST_WORKTREE", 2],
])("%s ends the command with %i", (code, exit) => {
  expect(exitCodeOf(new WaymarkError({ code, message: "" }))).toBe(exit);
});

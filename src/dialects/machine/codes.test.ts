import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { machineCodes } from "./codes.ts";

const sources = readdirSync(import.meta.dirname, { recursive: true, encoding: "utf8" })
  .filter((path) => path.endsWith(".ts") && !path.endsWith(".test.ts") && path !== "codes.ts")
  .map((path) => readFileSync(join(import.meta.dirname, path), "utf8"));

test("every code of the sources is in the catalogue, and every code of the catalogue is used", () => {
  // The kernel ends a state by itself.
  const used = new Set(["MACHINE_NO_OUTCOME", ...sources.flatMap((text) => text.match(/(?<=")MACHINE_\w+(?=")/g) ?? [])]);
  expect([...used].sort()).toEqual(Object.keys(machineCodes).sort());
});

test("each code says what, why and what to do, in sentences", () => {
  for (const [code, { what, why, fix }] of Object.entries(machineCodes))
    for (const text of [what, why, fix]) expect(text, code).toMatch(/^[A-Z`].*\.$/);
});

import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { scanCodes } from "../scan/index.ts";
import { workspaceCodes } from "./codes.ts";

const sources = readdirSync(import.meta.dirname)
  .filter((name) => name.endsWith(".ts") && !name.includes(".test.") && !name.includes(".child."))
  .map((name) => readFileSync(join(import.meta.dirname, name), "utf8"));

test("every code that is thrown or reported is in the catalogue, and every entry is used", () => {
  const used = new Set(sources.flatMap((text) => [...text.matchAll(/"((?:WORKSPACE|SCAN)_[A-Z_]+)"/g)].map((match) => String(match[1]))));
  // What the scanner reports is looked at here, and listed there.
  for (const code of Object.keys(scanCodes)) used.delete(code);
  expect([...used].sort()).toEqual(Object.keys(workspaceCodes).sort());
});

test("every entry says what, why and what to do, in sentences", () => {
  for (const entry of Object.values(workspaceCodes)) for (const text of Object.values(entry)) expect(text).toMatch(/^[A-Z`].*\.$/);
});

import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { storeCodes } from "./codes.ts";

/** Codes are permanent: those of older versions stay explained. */
const given = ["STORE_NOT_FOUND"];

test("every code that the room throws, or threw once, is in its catalogue, and no other", () => {
  const sources = readdirSync(import.meta.dirname, { recursive: true, encoding: "utf8" }).filter((name) =>
    /(?<!\.test|\.contract|codes)\.ts$/.test(name),
  );
  const thrown = sources.flatMap((name) =>
    Array.from(readFileSync(join(import.meta.dirname, name), "utf8").matchAll(/"(STORE_\w+)"/g), ([, code]) => code),
  );
  expect(thrown.length).toBeGreaterThan(10);
  expect(thrown).not.toContain(given[0]);
  expect(new Set([...thrown, ...given])).toEqual(new Set(Object.keys(storeCodes)));
});

test("every entry is made of full sentences", () => {
  for (const { what, why, fix } of Object.values(storeCodes)) for (const text of [what, why, fix]) expect(text).toMatch(/^[A-Z].*\.$/);
});

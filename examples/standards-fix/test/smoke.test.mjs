import assert from "node:assert/strict";
import { test } from "node:test";
import { readFileSync } from "node:fs";

test("the sources declare nothing with var", () => {
  for (const name of ["total", "money", "invoice", "currency"]) assert.doesNotMatch(readFileSync(new URL(`../src/${name}.ts`, import.meta.url), "utf8"), /\bvar\b/);
});

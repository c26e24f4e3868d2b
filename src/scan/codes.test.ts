import { readdirSync, readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { scanCodes } from "./codes.ts";

test("every code that appears in this room is in its catalogue, and every entry is used", () => {
  const texts = readdirSync(import.meta.dirname, { recursive: true, encoding: "utf8" })
    .filter((file) => file.endsWith(".ts") && !file.endsWith(".test.ts"))
    .map((file) => readFileSync(`${import.meta.dirname}/${file}`, "utf8"));
  const quoted = new Set(texts.flatMap((text) => [...text.matchAll(/"(SCAN_[A-Z_]+)"/g)].map(([, code]) => code)));
  expect(quoted).toEqual(new Set(Object.keys(scanCodes)));
});

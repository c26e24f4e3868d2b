import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { knowledgeCodes } from "./codes.ts";

const sources = readdirSync(import.meta.dirname, { recursive: true, encoding: "utf8" }).filter(
  (name) => name.endsWith(".ts") && !name.endsWith(".test.ts"),
);
const text = sources.map((name) => readFileSync(join(import.meta.dirname, name), "utf8")).join("\n");

test("every code the room uses is in its catalogue, and every entry is used", () => {
  const used = new Set([...text.matchAll(/"(KNOWLEDGE_[A-Z_]+)"/g)].map((match) => match[1]!));
  expect(used).toEqual(new Set(Object.keys(knowledgeCodes)));
});

test("every entry says what happened, why, and what to do, in full sentences", () => {
  for (const [code, entry] of Object.entries(knowledgeCodes)) {
    expect(code).toMatch(/^KNOWLEDGE_[A-Z_]+$/);
    for (const sentence of [entry.what, entry.why, entry.fix]) expect(sentence).toMatch(/^[A-Z`].*\.$/);
  }
});

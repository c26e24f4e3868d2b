import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { cliCodes } from "../../../cli/index.ts";
import { codes } from "./codes.ts";

test("every code of the commands for checklists is in a catalogue, and every one of their own is used", () => {
  const texts = readdirSync(import.meta.dirname)
    .filter((file) => file.endsWith(".ts") && !file.endsWith(".test.ts") && file !== "codes.ts")
    .map((file) => readFileSync(join(import.meta.dirname, file), "utf8"));
  const used = new Set(texts.flatMap((text) => [...text.matchAll(/"(CLI_[A-Z_]+)"/g)].map(([, code = ""]) => code)));
  expect([...used].filter((code) => !Object.hasOwn(cliCodes, code)).sort()).toEqual(Object.keys(codes).sort());
});

import { expect, test } from "vitest";
import type { GateDefinition } from "../definition/index.ts";
import { differenceOf } from "./expected-text.ts";
import { howToAnswer } from "./gate-brief.ts";
import { mentioned, mentioning } from "./waiver.ts";

/** The lines that a difference takes away and adds. */
const changed = (before: string, after: string): string[] =>
  differenceOf("f", before, after)
    .split("\n")
    .filter((line) => /^[-+](?![-+])/.test(line));

test("the difference of two texts begins with the first place where they differ and ends with the last", () => {
  expect(differenceOf("f", "same\n", "same\n")).toBe("");
  expect(changed("a\nb\nc\n", "a\nx\nc\n")).toEqual(["-b", "+x"]);
  expect(changed("a\nb\nc\nd\n", "a\nx\nc\ny\n")).toEqual(["-b", "-c", "-d", "+x", "+c", "+y"]);
  expect(changed("a\n", "a\nb\n")).toEqual(["+b"]);
  expect(changed("a\nb\n", "a\n")).toEqual(["-b"]);
  expect(changed("a\na\n", "a\na\na\n")).toEqual(["+a"]);
  expect(changed("", "a\n")).toEqual(["+a"]);
});

test("a gate tells the words that answer it", () => {
  const gate = (of: Partial<GateDefinition>): string => howToAnswer({ choices: {}, ...of } as GateDefinition);
  expect(gate({ passes: "approve" })).toBe("Answer `approve`.");
  expect(gate({ choices: { a: "first", b: "second" } })).toBe("Answer `a` or `b`.");
  expect(gate({ passes: "approve", changes: { prefix: "changes:" } as NonNullable<GateDefinition["changes"]> })).toBe(
    "Answer `approve`, or `changes: <what to change>`.",
  );
});

test("a name is mentioned as a whole word, and not inside a longer name", () => {
  const names = ["AC-1", "AC-10", "npm test", "a.ts", ""];
  expect(mentioned("AC-10, please", names)).toEqual(["AC-10"]);
  expect(mentioned("AC-1 and AC-10.", names)).toEqual(["AC-10", "AC-1"]);
  expect(mentioned("`npm test` for a.ts", names)).toEqual(["npm test", "a.ts"]);
  expect(mentioned("AC-1-x, a.tsx, x.a.ts, xAC-1", names)).toEqual([]);
  const pattern = new RegExp(`^${mentioning(names)}$`);
  expect(["waive: AC-1", "AC-2", "for\na.ts now", "axts"].map((text) => pattern.test(text))).toEqual([true, false, true, false]);
});

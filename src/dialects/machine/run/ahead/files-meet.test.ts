import { expect, test } from "vitest";
import { filesMeet } from "./files-meet.ts";

test.each([
  [["a.txt"], ["b.txt"]],
  [["src/a"], ["src/ab/c.ts"]],
  [["src/a/**"], ["src/b/**", "docs/*.md"]],
  [["src/a/*.ts"], ["test/a/*.ts"]],
])("%j and %j do not meet", (one, other) => {
  expect(filesMeet(one, other)).toBe(false);
  expect(filesMeet(other, one)).toBe(false);
});

test.each([
  [["a.txt"], ["b.txt", "./a.txt"]],
  [["src"], ["src/a.ts"]],
  [["src/"], ["src/**"]],
  [["src/**"], ["src/a/b.ts"]],
  [["**/*.test.ts"], ["src/a.ts"]],
  [["src/*.ts"], ["src/a*"]],
  [["A.txt"], ["a.txt"]],
  [[], ["a.txt"]],
  [["."], ["a.txt"]],
  [["./"], ["src/**"]],
  [[""], ["a.txt"]],
  [["./."], ["*.txt"]],
  [["src/./a.ts"], ["src//a.ts"]],
  [["src/../docs/a.md"], ["docs/a.md"]],
])("%j and %j meet, or may", (one, other) => {
  expect(filesMeet(one, other)).toBe(true);
  expect(filesMeet(other, one)).toBe(true);
});

import fc from "fast-check";
import { expect, test } from "vitest";
import { narrowed, NeedleSearch } from "./needle-search.ts";

const letter = fc.constantFrom("a", "b", "c", "A", "B", ".", "(", "é", " ");
const needle = fc.stringMatching(/^[abc.(]{2,6}$/);

test("finds exactly the needles that are there, in any case", () => {
  fc.assert(
    fc.property(
      fc.uniqueArray(needle, { minLength: 1, maxLength: 8 }),
      fc.array(letter, { maxLength: 60, size: "max" }),
      (needles, letters) => {
        const text = letters.join("");
        const seen = new NeedleSearch(needles).search(Buffer.from(text));
        expect([...seen]).toEqual(needles.map((one) => (text.toLowerCase().includes(one) ? 1 : 0)));
        expect([...new NeedleSearch(needles).search(narrowed(text))]).toEqual([...seen]);
      },
    ),
    { numRuns: 500 },
  );
});

test("needles at the very ends, and one that holds another", () => {
  const search = new NeedleSearch(["error", "or", "errorinfo"]);
  expect([...search.search(Buffer.from("ERROR"))]).toEqual([1, 1, 0]);
  expect([...search.search(Buffer.from("xxErrorInfo"))]).toEqual([1, 1, 1]);
  expect([...search.search(Buffer.from("erro"))]).toEqual([0, 0, 0]);
});

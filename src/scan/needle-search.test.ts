import fc from "fast-check";
import { expect, test } from "vitest";
import { NeedleSearch } from "./needle-search.ts";

const letter = fc.constantFrom("a", "b", "c", "k", "s", "A", "B", ".", "(", "é", "\u212a", "\u017f", "中", " ");
const needle = fc.stringMatching(/^[abcks.(]{2,6}$/);

/** Only ASCII letters have two cases here. */
const folded = (text: string): string => text.replaceAll(/[A-Z]/g, (capital) => capital.toLowerCase());

test("finds exactly the needles that are there, in any case", () => {
  fc.assert(
    fc.property(
      fc.uniqueArray(needle, { minLength: 1, maxLength: 8 }),
      fc.array(letter, { maxLength: 60, size: "max" }),
      fc.constantFrom(1, 50),
      (needles, letters, times) => {
        const text = letters.join("").repeat(times);
        const seen = new NeedleSearch(needles).search(text);
        expect([...seen]).toEqual(needles.map((one) => (folded(text).includes(one) ? 1 : 0)));
      },
    ),
    { numRuns: 500 },
  );
});

test("needles at the very ends, and one that holds another", () => {
  const search = new NeedleSearch(["error", "or", "errorinfo"]);
  expect([...search.search("ERROR")]).toEqual([1, 1, 0]);
  expect([...search.search("xxErrorInfo")]).toEqual([1, 1, 1]);
  expect([...search.search("erro")]).toEqual([0, 0, 0]);
});

test("a needle behind many places of another one", () => {
  const search = new NeedleSearch(["error", "errors", "subtype"]);
  expect([...search.search(`${"Error ".repeat(1000)}SubType`)]).toEqual([1, 0, 1]);
  expect([...search.search(`${"Error ".repeat(1000)}errorS`)]).toEqual([1, 1, 0]);
});

test("no needle, no text", () => {
  expect([...new NeedleSearch([]).search("abc")]).toEqual([]);
  expect([...new NeedleSearch(["abc"]).search("")]).toEqual([0]);
});

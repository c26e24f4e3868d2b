import { expect, test } from "vitest";
import { nearestWord } from "./nearest-word.ts";

const vocabulary = new Set(["database", "localis", "perform", "review", "deploy"]);

test.each([
  ["databse", "a letter is missing"],
  ["databbase", "a letter is too many"],
  ["databose", "another letter"],
  ["datbaase", "neighbours that changed places"],
])("%s is a slip: %s", (word) => {
  expect(nearestWord(word, vocabulary)).toEqual({ word: "database", isSlip: true });
});

test.each([
  ["localisat", "localis"],
  ["performant", "perform"],
])("%s is derived from the same word as %s", (word, other) => {
  expect(nearestWord(word, vocabulary)).toEqual({ word: other, isSlip: false });
});

test.each(["revise", "deployx1", "data", "base", "perfect", "depl"])("%s is another word", (word) => {
  expect(nearestWord(word, vocabulary)).toBeUndefined();
});

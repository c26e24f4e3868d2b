import { expect, test } from "vitest";
import { withoutQuotations } from "./without-quotations.ts";

test.each([
  ["he wrote 'cut a release' to us", "he wrote it to us"],
  ['he wrote "cut a release", twice', "he wrote it , twice"],
  ["he wrote “cut a release” to us", "he wrote it to us"],
  ["er schrieb „bitte ein release“ und", "er schrieb it und"],
  ["elle écrit «une version» ici", "elle écrit it ici"],
  ["run `git push --force` first", "run it first"],
  ["> cut a release\n\nno", "no"],
  ["see\n```\ncut a release\n```\nno", "see\n\n\nno"],
  ["see\n```\ncut a release\nwithout an end", "see"],
])("%j is read as %j", (text, own) => {
  expect(withoutQuotations(text).replaceAll(/ +/g, " ").trim()).toBe(own);
});

test.each([
  "don't fix Tom's list, it's Ann's",
  'the button "Save" is gone',
  "it's 5' long and 6' wide",
  "'cut a release'",
  "> cut a release",
  "a 'b",
])("%j has nothing to leave out, or nothing else", (text) => {
  expect(withoutQuotations(text)).toBe(text);
});

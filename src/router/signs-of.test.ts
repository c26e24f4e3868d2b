import { expect, test } from "vitest";
import { fieldsOfWork, namesOf, signsOf } from "./signs-of.ts";
import { allWords } from "./words-of.ts";

/** The field to which a text points most, by the first word of its names. */
function strongest(text: string): string | undefined {
  const [best] = [...signsOf(allWords(text))].sort(([, a], [, b]) => b - a);
  return fieldsOfWork[best?.[0] ?? -1]?.names.split(" ")[0];
}

test.each([
  ["p95 of the search is 3 seconds", "performance"],
  ["our lockfile is full of deprecated npm things", "dependency"],
  ["nullreferenceexception: object not set\n  at shop.cart.add(item)", "bug"],
  ["the buttons in french are untranslated", "translation"],
  ["drop the nullable foreign key", "database"],
  ["a researcher found an xss", "security"],
  ["the suite is flaky since we mock it", "test"],
  ["two more pods for the namespace", "infrastructure"],
])("%s: %s", (text, field) => {
  expect(strongest(text)).toBe(field);
});

test("words that follow one another are one sign, and each counts once in a message", () => {
  const [once, often] = ["dead code", "dead code and dead code"].map((text) => [...signsOf(allWords(text)).values()]);
  expect(often).toEqual(once);
  expect(signsOf(allWords("code that is dead"))).not.toEqual(signsOf(allWords("dead code")));
});

test("a workflow that names a field often does more of it, and a sign of it counts little", () => {
  const of = (text: string): number => Math.max(0, ...namesOf(allWords(text)).values());
  expect(of("translates texts")).toBeGreaterThan(of("french texts"));
  expect(of("translation: translates")).toBeGreaterThan(of("translates"));
  expect(of("cooks soup")).toBe(0);
});

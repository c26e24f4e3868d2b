import fc from "fast-check";
import { expect, test } from "vitest";
import { fillTemplate } from "./command-template.ts";

test("arguments, all of them, and a literal dollar", () => {
  expect(fillTemplate("Do $1 for $2, all: $ARGUMENTS. Costs \\$1 and \\$ARGUMENTS.", ["a", "b c"], `a "b c"`)).toBe(
    `Do a for b c, all: a "b c". Costs $1 and $ARGUMENTS.`,
  );
});

test("whole names only, and nothing for what was not given", () => {
  expect(fillTemplate("$10 $1x $ARGUMENTS_LIST $0 $3 $ARGUMENT", ["a"])).toBe("$10 $1x $ARGUMENTS_LIST $0  $ARGUMENT");
});

test("what is put in is never read again, whatever it is", () => {
  const word = fc.constantFrom("$1", "$2", "$ARGUMENTS", "$&", "$$", "\\$", "text");
  fc.assert(
    fc.property(word, word, (first, second) => {
      expect(fillTemplate("<$1|$2|$ARGUMENTS>", [first, second])).toBe(`<${first}|${second}|${first} ${second}>`);
    }),
  );
});

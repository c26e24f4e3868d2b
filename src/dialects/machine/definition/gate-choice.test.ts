import { expect, test } from "vitest";
import { choiceOf, plainWord } from "./vocabulary.ts";

import fc from "fast-check";

const gate = {
  choices: { "per-batch": "After every task.", "single-final": "Once." },
  also: { "per-batch": ["per task", "after each batch"], "single-final": ["final review"] },
};

test.each([
  ["per-batch", "per-batch"],
  ["Per batch.", "per-batch"],
  [" PER_TASK ", "per-batch"],
  ["after each batch!", "per-batch"],
  ["single final", "single-final"],
  ["Final review", "single-final"],
])("%j stands for %s", (answer, choice) => expect(choiceOf(gate, answer)).toBe(choice));

test.each(["both", "per-batch or single-final", "not per-batch", "per-batches", "perbatch", "", "...", "?", "per-batch?", "final"])(
  "%j names no choice",
  (answer) => expect(choiceOf(gate, answer)).toBeUndefined(),
);

test("only the words that the gate lists are taken, in any spelling", () => {
  const word = fc.constantFrom("per", "batch", "single", "final", "task", "review", "after", "each", "both");
  const gap = fc.stringMatching(/^[ _.!\t-]{1,3}$/);
  const words = fc.array(word, { maxLength: 4 });
  const known = new Set(["per-batch", "per-task", "after-each-batch", "single-final", "final-review"]);
  fc.assert(
    fc.property(words, gap, fc.boolean(), (parts, of, loud) => {
      const text = loud ? parts.join(of).toUpperCase() : parts.join(of);
      expect(choiceOf(gate, text) !== undefined).toBe(known.has(parts.join("-")));
    }),
  );
  fc.assert(
    fc.property(fc.string({ unit: "grapheme" }), (text) => {
      expect(choiceOf(gate, text) === undefined || known.has(plainWord(text))).toBe(true);
    }),
  );
});

test("a choice stands for itself, and a program without other words knows its own", () => {
  for (const choice of Object.keys(gate.choices)) expect(choiceOf({ choices: gate.choices }, choice)).toBe(choice);
});

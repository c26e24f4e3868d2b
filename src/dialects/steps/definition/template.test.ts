import { runInNewContext } from "node:vm";
import fc from "fast-check";
import { expect, test } from "vitest";
import { fillHoles, findHoles, hasHole, textAsCode, wholeHole, wordsOf } from "./template.ts";

test("a hole ends at its own braces, not at those of its code", () => {
  expect(findHoles("a {{ {b: {c: 1}} }} d {{ '}}' }} {{ `}}` }}").map((hole) => hole.code.trim())).toEqual(["{b: {c: 1}}", "'}}'", "`}}`"]);
  expect(findHoles("{{ open").length).toBe(0);
  expect(hasHole("{ {x} }")).toBe(false);
});

test("a text is one hole only when nothing stands around it", () => {
  expect(wholeHole("  {{ a.b }}\n")).toBe("a.b");
  expect(wholeHole("{{ a }}{{ b }}")).toBeUndefined();
  expect(wholeHole("x {{ a }}")).toBeUndefined();
});

test("filling holes keeps everything else", () => {
  expect(fillHoles("raw.{{ a }}.b.{{ c }}", "_")).toBe("raw._.b._");
});

test("words are names, not properties and not texts", () => {
  expect(wordsOf("a.b + c?.d + 'e f' + g[h]")).toEqual(["a", "c", "g", "h"]);
});

test("a text as code gives the text again", () => {
  const run = (text: string): unknown => runInNewContext(textAsCode(text), { x: [1] });
  expect(run("{{ x }}")).toEqual([1]);
  expect(run("n {{ x.length }} of {{ x }} {{ undefined }}")).toBe("n 1 of [1] null");
  fc.assert(
    fc.property(fc.string(), fc.string(), (before, after) => {
      fc.pre(!`${before}${after}`.includes("{"));
      expect(run(`${before}{{ "-" }}${after} .`)).toBe(`${before}-${after} .`);
    }),
  );
});

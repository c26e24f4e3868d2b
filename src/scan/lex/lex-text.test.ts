import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { isNamePart } from "./cursor.ts";
import { grammars } from "./generic.ts";
import { languageOf } from "./language-of.ts";
import { lexText } from "./lex-text.ts";
import { maskGaps, maskText, trimToMask } from "./mask-text.ts";

const languages = ["typescript", "tsx", "javascript", "csharp", "python", "sql", "yaml", "text", ...Object.keys(grammars)];

/** Pieces that open, close and break things, in any order. */
const hostile = fc
  .array(
    fc.oneof(
      fc.constantFrom(
        ...'\'|"|`|\'\'\'|"""|${|{|}|{{|}}|$"|$@"|@"|f\'|r"|(|)|[|]|<|>|</|/>|<a|/|//|/*|*/|--|#|#if|\\|:|: |- |\n|\r\n|\r| |a|return|1|.|é|中|😀|\ud800'.split(
          "|",
        ),
        "|",
        "a: |\n",
      ),
      fc.string({ maxLength: 3 }),
    ),
    { maxLength: 40, size: "max" },
  )
  .map((pieces) => pieces.join(""));

describe("every lexer", () => {
  test.each(languages)("covers any text in order: %s", (language) => {
    fc.assert(
      fc.property(hostile, (text) => {
        let done = 0;
        for (const { start, end } of lexText(text, language)) {
          expect(start).toBe(done);
          expect(end).toBeGreaterThan(start);
          done = end;
        }
        expect(done).toBe(text.length);
      }),
      { numRuns: 60 },
    );
  });

  test("reads on after JSX that never ends, many times", () => {
    const text = "x = <a>it's; f('b');\n".repeat(200);
    const tokens = lexText(text, "tsx");
    expect(tokens.at(-1)?.end).toBe(text.length);
  });
});

describe("the mask", () => {
  test.each(languages)("is as long as the text, keeps its lines and nothing but its part: %s", (language) => {
    fc.assert(
      fc.property(hostile, (text) => {
        const tokens = lexText(text, language);
        const code = maskText(text, tokens, "code").text;
        const comments = maskText(text, tokens, "comments").text;
        const strings = maskText(text, tokens, "strings").text;
        for (const masked of [code, comments, strings]) {
          expect(masked.length).toBe(text.length);
          const wrong = text
            .split("")
            .some((_unit, at) => masked[at] !== text[at] && (masked[at] !== " " || /[\r\n]/.test(text.charAt(at))));
          expect(wrong).toBe(false);
        }
        for (let at = 0; at < text.length; at++) {
          const kept = [code, comments, strings].filter((masked) => masked.charAt(at).trim() !== "");
          expect(kept.length).toBeLessThan(2);
        }
      }),
      { numRuns: 40 },
    );
  });

  test("texts of every length and script follow each other", () => {
    for (const length of [10, 300_000, 3, 600_000, 5]) {
      for (const letter of ["a", "é", "中"]) {
        const text = letter.repeat(length);
        expect(maskGaps(`${text}\n${text}`, [1, length + 2]).text).toBe(
          `${letter}${" ".repeat(length - 1)}\n ${letter.repeat(length - 1)}`,
        );
      }
    }
    // Units whose lower byte is that of a line end are blanked like any other.
    expect(maskGaps("\u0a0a\u0d0d\u010a\n\r", [0, 5]).text).toBe("   \n\r");
  });

  test("a span loses what is masked at its ends", () => {
    const text = "f( /* a */ 'b' ) // c";
    const masked = maskText(text, lexText(text, "typescript"), "code");
    expect(masked.gaps).toEqual([3, 10, 11, 14, 17, 21]);
    expect(trimToMask(masked, 0, 16)).toEqual({ start: 0, end: 16 });
    expect(trimToMask(masked, 1, 15)).toEqual({ start: 1, end: 3 });
    expect(trimToMask(masked, 1, 11)).toEqual({ start: 1, end: 3 });
    expect(trimToMask(masked, 5, 16)).toEqual({ start: 14, end: 16 });
    expect(trimToMask(masked, 11, 21)).toEqual({ start: 14, end: 17 });
    expect(trimToMask(masked, 17, 21)).toBeUndefined();
    expect(trimToMask(masked, 5, 12)).toBeUndefined();
  });
});

test.each([
  ["src/A.Codeunit.AL", "al"],
  ["a/b.ts", "typescript"],
  ["a/b.d.mts", "typescript"],
  ["a.tsx", "tsx"],
  ["a/b.cs", "csharp"],
  ["Dockerfile", "shell"],
  ["a.b/README", "text"],
  ["constructor", "text"],
  ["a.constructor", "text"],
])("the language of %s is %s", (path, language) => {
  expect(languageOf(path)).toBe(language);
});

test("letters of other scripts are parts of names", () => {
  expect(["é", "中", "ß", "٣", "_"].map((letter) => isNamePart(letter, 0))).toEqual([true, true, true, true, true]);
  expect(["«", "\u00a0", "😀", "-", "$"].map((letter) => isNamePart(letter, 0))).toEqual([false, false, false, false, false]);
});
